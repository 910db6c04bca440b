"""Documents are cut and weighed by processes of their own, as if it were done here."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
import signal
import string
import struct
import subprocess
import sys
import termios
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.collection.placeholders import NoSparse
from pincite.errors import SourceError
from pincite.ingestion.analysis import choose as analysers
from pincite.ingestion.analysis.analyse import Pending, analyse
from pincite.ingestion.analysis.choose import open_analyser
from pincite.ingestion.analysis.local import Careful
from pincite.ingestion.analysis.worker_pool import Workers
from pincite.ingestion.analysis.worker_process import Worker
from pincite.model import PageSpan
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from tests.chunkers.broken import broken
from tests.ingestion.analysis.documents import CONFIG, SPARSE, by_lines, document
from tests.ingestion.indexed_folder import Place, functions
from tests.time_limits import HANGS_S

ROOT = Path(__file__).parents[3]


@pytest.fixture
def two() -> Iterator[Workers]:
    """Two processes."""
    found = Workers(CONFIG, "english", 2)
    yield found
    found.close()


def test_the_files_of_this_project_are_cut_and_weighed_alike(two: Workers) -> None:
    files = [*sorted((ROOT / "src/pincite/stages").glob("*.py")), *sorted(ROOT.glob("docs/*.md"))]
    found = [document(one.read_text(), one.name) for one in files]
    pending = [two.submit(one, 90.0) for one in found]
    for one, later in zip(found, pending, strict=True):
        assert later.result() == analyse(one, CONFIG, SPARSE, 90.0)


def test_what_cannot_travel_is_done_here(two: Workers) -> None:
    paged = replace(
        document("one\n\ntwo\n", "a.txt"), pages=(PageSpan(0, 5, {"page": 1}), PageSpan(5, 9))
    )
    unnamed = replace(document("text\n", "a.txt"), path="caf\udce9.txt")
    for one in (paged, unnamed):
        assert two.submit(one, 90.0).result() == analyse(one, CONFIG, SPARSE, 90.0)


def waiting(worker: Worker) -> int:
    """How many bytes the process has not read yet."""
    stdin = worker._process.stdin
    assert stdin is not None
    return int(struct.unpack("i", fcntl.ioctl(stdin.fileno(), termios.FIONREAD, b"\0" * 4))[0])


def stopped_with_work(found: Workers, worker: Worker) -> Pending:
    """Stop the worker, and give it a document."""
    os.kill(worker._process.pid, signal.SIGSTOP)
    lost = found.submit(document("x = 1\n"), 90.0)
    while not waiting(worker):
        time.sleep(0.001)
    return lost


def test_a_worker_that_dies_costs_the_document_that_it_has() -> None:
    found = Workers(CONFIG, "english", 1)
    try:
        assert found.submit(document("x = 0\n"), 90.0).result().sections
        (worker,) = found._workers
        lost = stopped_with_work(found, worker)
        os.kill(worker._process.pid, signal.SIGKILL)
        with pytest.raises(SourceError, match="its parser has crashed") as caught:
            lost.result()
        assert "--exclude" in caught.value.hint
        assert found.submit(document("x = 2\n"), 90.0).result().sections
    finally:
        found.close()


def test_a_worker_that_dies_with_nothing_to_do_costs_nothing() -> None:
    found = Workers(CONFIG, "english", 1)
    try:
        assert found.submit(document("x = 0\n"), 90.0).result().sections
        (worker,) = found._workers
        worker._process.kill()
        worker._process.wait()
        assert found.submit(document("x = 1\n"), 90.0).result().sections
    finally:
        found.close()


def test_a_parser_that_does_not_end_costs_its_file() -> None:
    quick = Workers(CONFIG, "english", 1, limit_s=0.0)
    try:
        with pytest.raises(SourceError, match="takes more than 0 s"):
            quick.submit(document("x = 1\n"), 90.0).result()
    finally:
        quick.close()


def test_code_whose_parser_takes_too_much_memory_is_cut_by_lines() -> None:
    two = Workers(CONFIG, "english", 1, memory_bytes=800_000_000)
    hostile = document("- a( <a>\n" * 1_300, "a.c")
    try:
        found = two.submit(hostile, 90.0).result()
        assert len(found.sections) > 10
        assert found == by_lines(hostile)
        fine = document("int f(void) { return 1; }\n", "b.c")
        assert two.submit(fine, 90.0).result() == analyse(fine, CONFIG, SPARSE, 90.0)
    finally:
        two.close()


def test_code_that_looks_hostile_has_a_process_without_other_workers() -> None:
    fine = document("int f(void) { return 1; }\n" * 3, "b.c")
    with open_analyser(CONFIG, SPARSE, total_bytes=10, processors=1) as careful:
        hostile = document("- a( <a>\n" * 4_000, "a.c")
        assert careful.submit(hostile, 90.0).result() == by_lines(hostile)
        assert careful.submit(fine, 90.0).result() == analyse(fine, CONFIG, SPARSE, 90.0)


@pytest.mark.parametrize("unlike", [0, 700])
def test_code_that_begins_unlike_and_then_repeats_itself_looks_hostile_too(unlike: int) -> None:
    beginning = "".join(random.Random(3).choices(string.ascii_letters, k=unlike))
    text = beginning + "- a( <a>\n" * 2_000
    part = text[:16_384].encode()
    assert len(part) > 15 * len(zlib.compress(part, 1))  # what the rule says
    with open_analyser(CONFIG, SPARSE, total_bytes=10, processors=1) as careful:
        assert isinstance(careful, Careful)
        careful.submit(document(text, "a.c"), 90.0)
        assert has_worker(careful)


def has_worker(careful: Careful) -> bool:
    return careful._workers is not None


def test_broken_code_that_does_not_repeat_itself_is_parsed_by_a_process_with_limits() -> None:
    fine = document("int f(void) { return 1; }\n" * 3, "b.c")
    with open_analyser(CONFIG, SPARSE, total_bytes=10, processors=1) as careful:
        assert isinstance(careful, Careful)
        small = document(broken("{} =>", 5_000), "A.java")  # as broken, but takes only 0.1 GB
        pending = careful.submit(small, 90.0)
        assert careful.submit(fine, 90.0).result() == analyse(fine, CONFIG, SPARSE, 90.0)
        assert not has_worker(careful)
        assert pending.result() == analyse(small, CONFIG, SPARSE, 90.0)
        assert has_worker(careful)
        large = document(broken("- {}( <{}>", 40_000), "a.c")
        assert careful.submit(large, 90.0).result() == by_lines(large)
        assert careful.submit(fine, 90.0).result() == analyse(fine, CONFIG, SPARSE, 90.0)


def test_with_another_keyword_encoder_such_code_is_cut_by_lines_here() -> None:
    with open_analyser(CONFIG, NoSparse(), total_bytes=10, processors=1) as careful:
        assert isinstance(careful, Careful)
        large = document(broken("- {}( <{}>", 40_000), "a.c")
        found = careful.submit(large, 90.0).result()
        assert found.sections == by_lines(large).sections
        assert not has_worker(careful)


def test_a_run_that_has_ended_starts_no_process() -> None:
    with open_analyser(CONFIG, SPARSE, total_bytes=10, processors=1) as careful:
        late = careful.submit(document(broken("{} =>", 5_000), "A.java"), 90.0)
    with pytest.raises(SourceError, match="has ended"):
        late.result()


def test_a_fault_of_the_analysis_is_told(two: Workers) -> None:
    unknown = replace(document("x = 1\n"), language="python", text=None)
    with pytest.raises(SourceError):
        two.submit(unknown, 90.0).result()
    assert two.submit(document("x = 1\n"), 90.0).result().sections


def test_no_process_is_left(two: Workers) -> None:
    two.submit(document("x = 1\n"), 90.0).result()
    processes = [one._process for one in two._workers]
    two.close()
    assert processes
    assert all(one.returncode is not None for one in processes)
    with pytest.raises((RuntimeError, SourceError)):
        two.submit(document("x = 1\n"), 90.0).result()


def test_a_process_starts_before_the_first_document(two: Workers) -> None:
    end_s = time.monotonic() + HANGS_S
    while not two._workers and time.monotonic() < end_s:
        time.sleep(0.01)
    (started,) = two._workers
    assert two.submit(document("x = 1\n"), 90.0).result().sections
    assert started.alive


def test_a_worker_ends_with_the_one_that_asks() -> None:
    program = (
        "import os\n"
        "from pincite.chunkers import ChunkerConfig\n"
        "from pincite.ingestion.analysis.worker_pool import Workers\n"
        "from pincite.model import Document\n"
        "w = Workers(ChunkerConfig(), 'english', 1)\n"
        "d = Document('a', '1', 'a.txt', 'text', 'utf-8', 'h', 'docs', 'text')\n"
        "w.submit(d, 90.0).result()\n"
        "print(w._workers[0]._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    pid = int(done.stdout)
    while Path(f"/proc/{pid}/stat").exists():
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            break  # ended, and nobody has waited for it
        time.sleep(0.05)


def test_secrets_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "secret")
    found = Workers(CONFIG, "english", 1)
    try:
        found.submit(document("x = 1\n"), 90.0).result()
        environment = Path(f"/proc/{found._workers[0]._process.pid}/environ").read_bytes()
    finally:
        found.close()
    assert b"ACME_API_KEY" not in environment
    assert b"PATH=" in environment


def test_an_index_is_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def check() -> None:
        here, there = (Place(tmp_path, MemoryStore()) for _ in range(2))
        for n in range(30):
            here.write(f"{n:02}.py", functions(f"first{n}", f"second{n}", lines=8))
        here.write("note.md", "---\ncourse: ml\n---\n# Notes\n\nText.\n")
        here.write("empty.py", "")
        first = await here.run(None)
        monkeypatch.setattr(analysers, "WORTH_BYTES", 1)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
        second = await there.run(None)
        assert first.chunks == second.chunks > 0
        points = [await place.store.export("main", None, 10_000) for place in (here, there)]
        assert points[0] == points[1]
        assert await here.index.documents("main") == await there.index.documents("main")

    asyncio.run(check())


def test_closing_wakes_a_thread_that_waits_for_a_worker() -> None:
    for _ in range(10):  # before, one of 40 waited for the time limit of its document
        found = Workers(CONFIG, "english", 1)
        assert found.submit(document("x = 0\n"), 90.0).result().sections
        (worker,) = found._workers
        lost = stopped_with_work(found, worker)
        found.close()
        with pytest.raises(SourceError, match="its parser has crashed"):
            lost.result()
