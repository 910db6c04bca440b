"""Documents are analysed in worker processes, and in the process that would wait for them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.code.parsing import NeedsLimits
from pincite.errors import SourceError
from pincite.ingestion.analysis import pooled
from pincite.ingestion.analysis.analyse import Analysed, Pending, analyse
from pincite.ingestion.analysis.choose import WORTH_BYTES, open_analyser
from pincite.ingestion.analysis.local import Careful
from pincite.ingestion.analysis.pooled import Shared
from pincite.ingestion.analysis.worker_pool import Workers
from pincite.model import Document
from pincite.providers.sparse.bm25 import Bm25Encoder
from tests.chunkers.broken import broken
from tests.ingestion.analysis.documents import by_lines, document
from tests.time_limits import HANGS_S

CONFIG, SPARSE = ChunkerConfig(), Bm25Encoder("english")
ROOT = Path(__file__).parents[3]


@pytest.fixture
def both() -> Iterator[Shared]:
    """One worker and this process."""
    found = Shared(Workers(CONFIG, "english", 1), CONFIG, SPARSE)
    yield found
    found.close()


class Stopped:
    """The worker has a document and does not go on with it."""

    def __init__(self, both: Shared) -> None:
        assert both.submit(document("x = 0\n"), 90.0).result().sections
        end_s = time.monotonic() + HANGS_S
        while not both._workers._workers and time.monotonic() < end_s:
            time.sleep(0.01)
        (worker,) = both._workers._workers
        self._pid = worker._process.pid
        os.kill(self._pid, signal.SIGSTOP)
        self.document = document("def kept(): return 1\n", "kept.py")
        self.pending = both.submit(self.document, 90.0)
        assert isinstance(self.pending, pooled._Open)
        while not self.pending.pending.running() and time.monotonic() < end_s:
            time.sleep(0.01)

    def go_on(self) -> None:
        os.kill(self._pid, signal.SIGCONT)

    def go_on_after(self, *others: Pending) -> threading.Thread:
        """Start a thread that lets the worker go on once these are done."""

        def wait() -> None:
            end_s = time.monotonic() + HANGS_S
            while not all(map(done, others)) and time.monotonic() < end_s:
                time.sleep(0.01)
            self.go_on()

        thread = threading.Thread(target=wait)
        thread.start()
        return thread


def test_the_files_of_this_project_are_cut_and_weighed_alike(both: Shared) -> None:
    files = [*sorted((ROOT / "src/pincite/stages").glob("*.py")), *sorted(ROOT.glob("docs/*.md"))]
    found = [document(one.read_text(), one.name) for one in files]
    pending = [both.submit(one, 90.0) for one in found]
    for one, later in zip(found, pending, strict=True):
        assert later.result() == analyse(one, CONFIG, SPARSE, 90.0)
    assert not both._open


def test_what_no_worker_has_is_done_here(both: Shared) -> None:
    stopped = Stopped(both)
    found = [document(f"def f{n}(): return {n}\n", f"{n}.py") for n in range(5)]
    pending = [both.submit(one, 90.0) for one in found]
    for one, later in zip(found, pending, strict=True):
        assert later.result() == analyse(one, CONFIG, SPARSE, 90.0)
    stopped.go_on()
    assert stopped.pending.result() == analyse(stopped.document, CONFIG, SPARSE, 90.0)


def test_others_are_done_while_a_worker_has_the_next_one(both: Shared) -> None:
    stopped = Stopped(both)
    later = [both.submit(document(f"x = {n}\n", f"{n}.py"), 90.0) for n in range(3)]

    thread = stopped.go_on_after(*later)
    assert stopped.pending.result().sections  # after the worker, which waits for the others
    thread.join()
    assert all(map(done, later))


def done(one: Pending) -> bool:
    assert isinstance(one, pooled._Open)
    return one.pending.done() and not one.pending.cancelled()


def test_a_fault_affects_its_own_document(both: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(one: Document, *given: Any) -> Analysed:
        if one.path == "bad.py":
            raise ValueError("a fault of the analysis")
        return analyse(one, *given)

    monkeypatch.setattr(pooled, "analyse", fails)
    stopped = Stopped(both)
    bad, fine = (both.submit(document("x = 1\n", f"{n}.py"), 90.0) for n in ("bad", "fine"))
    assert fine.result().sections
    assert isinstance(bad, pooled._Open)
    both._try(bad)
    with pytest.raises(ValueError, match="a fault of the analysis"):
        bad.result()
    stopped.go_on()
    assert stopped.pending.result().sections


def test_broken_code_is_parsed_by_a_process_with_limits(
    both: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []

    def noted(one: Document, *given: Any) -> Analysed:
        try:
            return analyse(one, *given)
        except NeedsLimits:
            refused.append(one.path)
            raise

    stopped = Stopped(both)
    monkeypatch.setattr(pooled, "analyse", noted)
    small = document(broken("{} =>", 5_000), "A.java")
    pending = both.submit(small, 90.0)
    assert isinstance(pending, pooled._Open)
    timer = threading.Timer(0.5, stopped.go_on)
    timer.start()
    assert pending.result() == analyse(small, CONFIG, SPARSE, 90.0)  # it is stopped here, once
    timer.join()
    assert refused == ["A.java"]


def test_long_texts_and_code_that_repeats_itself_are_left_to_workers(both: Shared) -> None:
    long = document("word and another\n" * 40_000, "long.txt")
    hostile = document("- a( <a>\n" * 4_000, "a.c")
    stopped = Stopped(both)
    pending = [both.submit(one, 90.0) for one in (long, hostile)]
    assert list(both._open) == [stopped.pending]
    small = both.submit(document("x = 1\n", "small.py"), 90.0)

    thread = stopped.go_on_after(small)
    assert pending[0].result() == analyse(long, CONFIG, SPARSE, 90.0)  # meanwhile: the small one
    thread.join()
    assert done(small)
    assert pending[1].result() == by_lines(hostile)


def test_after_the_end_of_a_run_nothing_is_analysed(both: Shared) -> None:
    stopped = Stopped(both)
    late = both.submit(document("x = 1\n", "late.py"), 90.0)
    both.close()
    with pytest.raises(SourceError, match="its parser has crashed"):
        stopped.pending.result()
    with pytest.raises(CancelledError):
        late.result()


@pytest.mark.parametrize(
    ("total_bytes", "processors", "workers"),
    [
        (WORTH_BYTES - 1, 8, 0),
        (WORTH_BYTES, 1, 0),
        (WORTH_BYTES, 2, 1),
        (WORTH_BYTES, 8, 1),
        (3 * WORTH_BYTES, 8, 3),
        (100 * WORTH_BYTES, 8, 7),
    ],
)
def test_a_worker_has_a_core_and_enough_to_do(
    total_bytes: int, processors: int, workers: int
) -> None:
    with open_analyser(CONFIG, SPARSE, total_bytes, processors) as one:
        assert isinstance(one, Shared if workers else Careful)
        if isinstance(one, Shared):
            assert one._workers._threads._max_workers == workers
