"""Records from a generator: it runs in the thread of its caller, and Ctrl-C ends the run."""

from __future__ import annotations

import _thread
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite import Pincite, UsageError
from pincite.errors import ProviderError
from pincite.records.report import UpsertProgress

_LIMIT_S = 60


@pytest.fixture
def pincite(tmp_path: Path) -> Any:
    with Pincite(tmp_path / "index") as opened:
        opened.upsert({"id": "first", "text": "The printer is on fire."}, lexical=True)
        yield opened
    with Pincite(tmp_path / "index") as again:
        again.stop()


@pytest.fixture
def _interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def rows(count: int, name: str = "row") -> Iterator[dict[str, object]]:
    for number in range(count):
        yield {"id": f"{name}{number}", "text": f"{name} {number} of the scanner"}


@pytest.mark.usefixtures("_interruptible")
def test_an_interrupted_run_ends_and_keeps_what_it_has_written(pincite: Pincite) -> None:
    read = 0

    def counted() -> Iterator[dict[str, object]]:
        nonlocal read
        for one in rows(1_000_000):
            read += 1
            if read == 2_000:  # comes while records are read, or while they are written
                threading.Timer(0.02, _thread.interrupt_main).start()
            yield one

    with pytest.raises(KeyboardInterrupt):
        pincite.upsert(counted(), batch=100)
    so_far = read
    written = pincite.count_records(where="path ^= row")
    assert 0 < written <= so_far < 1_000_000
    report = pincite.upsert(rows(500), wait_s=0)  # nobody holds the collection
    assert (report.unchanged + report.written + report.resumed, report.failed) == (500, ())
    assert read == so_far
    started_s = time.monotonic()
    pincite.close()
    assert time.monotonic() - started_s < 10


def test_rows_of_a_database_are_read_in_the_thread_that_opened_it(pincite: Pincite) -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE desk (id, text)")
    database.executemany("INSERT INTO desk VALUES (?, ?)", [(n, f"row {n}") for n in range(30)])
    found = database.execute("SELECT id, text FROM desk")
    assert pincite.upsert(({"id": i, "text": t} for i, t in found), batch=10).written == 30


def test_a_generator_and_the_progress_may_ask_the_same_pincite(pincite: Pincite) -> None:
    told: list[tuple[UpsertProgress, int]] = []

    def unknown() -> Iterator[dict[str, object]]:
        for one in rows(6):
            if not pincite.count_records(ids=str(one["id"])):
                yield one

    def progress(one: UpsertProgress) -> None:
        assert threading.current_thread() is threading.main_thread()
        told.append((one, pincite.count_records()))

    report = pincite.upsert(unknown(), batch=2, progress=progress)
    assert report.written == 6
    assert [(one.done, count) for one, count in told if one.stage == "write"][-1] == (6, 7)
    assert list(pincite.search("scanner"))


def test_a_slow_generator_delays_no_search_of_another_thread(pincite: Pincite) -> None:
    begun, found = threading.Event(), threading.Event()

    def slow() -> Iterator[dict[str, object]]:
        begun.set()
        assert found.wait(_LIMIT_S)
        yield from rows(1)

    def search() -> None:
        assert begun.wait(_LIMIT_S)
        if pincite.search("printer").evidence:
            found.set()

    other = threading.Thread(target=search)
    other.start()
    assert pincite.upsert(slow()).written == 1
    other.join()


@pytest.mark.parametrize("error", [KeyError("mine"), ProviderError("theirs")])
def test_an_error_of_the_generator_is_raised_after_the_batches_before_it(
    pincite: Pincite, error: Exception
) -> None:
    def broken() -> Iterator[dict[str, object]]:
        yield from rows(25)
        raise error

    with pytest.raises(type(error)) as raised:
        pincite.upsert(broken(), batch=10)
    assert raised.value is error
    assert pincite.count_records(where="path ^= row") == 20
    assert pincite.upsert(rows(25), wait_s=0).written == 5


def test_an_error_of_the_progress_ends_the_run(pincite: Pincite, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# Scanner\n\nThe scanner is slow.\n")
    for run in (
        lambda progress: pincite.upsert(rows(10), progress=progress),
        lambda progress: pincite.index(tmp_path / "docs", progress=progress),
    ):
        with pytest.raises(ZeroDivisionError):
            run(lambda _: 1 / 0)
    assert pincite.upsert(rows(1), wait_s=0).failed == ()


def test_a_notice_that_asks_the_same_pincite_is_told_what_to_do(pincite: Pincite) -> None:
    row = {"id": "x", "text": "slow", "attributes": {"new_one": 1}}

    def ask(_: object) -> None:
        pincite.collections()

    with pytest.raises(UsageError, match="cannot call it") as raised:
        pincite.upsert(row, on_notice=ask)
    assert "when the function has returned" in raised.value.hint
