"""Analyse documents in separate processes, one for each core but one.

A worker is `python -m pincite.ingestion.workers LANGUAGE CHUNKER MEMORY`: it reads documents from
its standard input and writes results to its standard output. It can write no file and start no
process, and has no keys. If a parser crashes, does not end or takes too much memory, only the
current document fails: its worker is ended, and the next document gets another one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import IO, Final

import msgspec

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.parsing import NeedsLimits, cautious
from pincite.errors import SourceError
from pincite.ingestion.analysis import Analysed, Analyser, Here, Pending, analyse
from pincite.model import Document
from pincite.ports import SparseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.capabilities import cores
from pincite.support.environment import without_secrets
from pincite.support.fields import replace
from pincite.support.gc_tuning import rarely_collect
from pincite.support.pipes import read_block, write_block
from pincite.support.process_limits import allow_seconds, limit_process

#: From this size of files on, workers are worth their start, a quarter of a second each.
WORTH_BYTES: Final = 3_000_000
_LIMIT_S: Final = 60.0  # the largest file that is read takes two
_MEMORY_BYTES: Final = 3_000_000_000  # guess: parsers of broken code took the square of its size
#: Parts of a file that are compressed. Of 18,268 files of code, whose first 64 kB were compressed,
#: 31 exceeded a ratio of 10 and one that of 15; of texts that parsers did not end on it was 180.
_PART_BYTES: Final = 16_384
_MOST_RATIO: Final = 15
#: If a part repeats, its first quarter compresses to less than the whole may take: to at most .9 of
#: that in 14,586 made parts. The first quarter of 95 % of real parts takes more, so that the whole
#: need not be compressed.
_QUARTER: Final = 4
_BEYOND: Final = 1.1
_LEAST_BYTES: Final = 2_000  # in less, such texts took 0.1 GB and half a second
_TASK: Final = msgspec.msgpack.Decoder(tuple[Document, float])
_ANSWER: Final = msgspec.msgpack.Decoder(Analysed | str)


@contextmanager
def open_analyser(
    chunker: ChunkerConfig, sparse: SparseEncoder, total_bytes: int, processors: int = 0
) -> Iterator[Analyser]:
    """Yield workers if there are cores for them and enough work; otherwise this process, with one
    worker for code that may hurt a parser. Sparse encoders with a model stay in this process. One
    core is left to the writer, which has nearly as much to do as one worker; and each worker learns
    the terms of words separately."""
    count = (processors or cores()) - 1
    workers: Workers | Careful
    if count < 1 or total_bytes < WORTH_BYTES or not isinstance(sparse, Bm25Encoder):
        workers = Careful(chunker, sparse)
    else:
        workers = Workers(chunker, sparse.analyser.language, count)
    try:
        yield workers
    finally:
        workers.close()


class Workers:
    """An `Analyser` with several processes, each with a thread here that waits for it."""

    def __init__(
        self,
        chunker: ChunkerConfig,
        language: str,
        count: int,
        limit_s: float = _LIMIT_S,
        memory_bytes: int = _MEMORY_BYTES,
    ) -> None:
        self._here = Here(chunker, Bm25Encoder(language))
        self._start = (language, msgspec.json.encode(chunker).decode(), str(memory_bytes))
        self._limit_s = limit_s
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="pincite-analyse")
        self._own = threading.local()
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()
        self._closed = False
        self._threads.submit(self._worker)  # one starts ahead; others when they are needed

    def submit(self, document: Document, average_length: float) -> Pending:
        """Start with a document as soon as a process is idle."""
        if document.pages and not document.extractor:  # attributes for sections
            return self._here.submit(document, average_length)
        try:
            bare = replace(document, attributes={})
            raw = msgspec.msgpack.encode((bare, average_length))
        except UnicodeEncodeError:  # a name is not valid text
            return self._here.submit(document, average_length)
        return self._threads.submit(self._analyse, raw)

    def _worker(self) -> _Worker:
        """Return the process of this thread."""
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None or not worker.alive:
            if worker is not None:
                worker.end()  # it died while idle
            worker = self._own.worker = self._started()
        return worker

    def _analyse(self, raw: bytes) -> Analysed:
        worker = self._worker()
        try:
            return worker.ask(raw, self._limit_s)
        except (EOFError, BrokenPipeError, TimeoutError) as error:
            worker.end()
            slow = isinstance(error, TimeoutError)
            why = (
                f"takes more than {self._limit_s:.0f} s"
                if slow
                else "has crashed, or needs too much memory"
            )
            raise SourceError(f"its parser {why}", hint="exclude the file: --exclude") from error

    def _started(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise SourceError("the indexing run has ended")
            worker = _Worker(self._start)
            self._workers = [one for one in self._workers if one.alive]
            self._workers.append(worker)
            return worker

    def close(self) -> None:
        """End all processes; their current work is lost."""
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.end()
        self._threads.shutdown(wait=True, cancel_futures=True)


class Careful:
    """An `Analyser` in this process. Code that may hurt a parser goes to a worker, which starts
    with the first: code that repeats itself, and code that a parser takes too many steps for. With
    another encoder than BM25, the latter fails alone."""

    def __init__(self, chunker: ChunkerConfig, sparse: SparseEncoder) -> None:
        self._chunker, self._sparse = chunker, sparse
        self._language = sparse.analyser.language if isinstance(sparse, Bm25Encoder) else None
        self._workers: Workers | None = None
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, document: Document, average_length: float) -> Pending:
        """Store the document, or start with it."""
        hostile = document.source_type == "code" and _repeats(document.text)
        if hostile and self._language is not None:
            return self._limited(document, average_length)
        return _Guarded(document, average_length, self._here, self._limited)

    def _here(self, document: Document, average_length: float) -> Analysed:
        with cautious():
            return analyse(document, self._chunker, self._sparse, average_length)

    def _limited(self, document: Document, average_length: float) -> Pending:
        if self._language is None:
            raise SourceError(
                "its parser may need too much memory", hint="exclude the file: --exclude"
            )
        with self._lock:
            if self._closed:
                raise SourceError("the indexing run has ended")
            if self._workers is None:
                self._workers = Workers(self._chunker, self._language, 1)
        return self._workers.submit(document, average_length)

    def close(self) -> None:
        """End the worker if there is one."""
        with self._lock:
            self._closed = True
        if self._workers is not None:
            self._workers.close()


class _Guarded(msgspec.Struct, frozen=True):
    """A document for this process, and if its parser is stopped, for a worker."""

    document: Document
    average_length: float
    here: Callable[[Document, float], Analysed]
    limited: Callable[[Document, float], Pending]

    def result(self) -> Analysed:
        try:
            return self.here(self.document, self.average_length)
        except NeedsLimits:
            return self.limited(self.document, self.average_length).result()


def _repeats(text: str) -> bool:
    """Return whether a part of the text compresses far better than code does."""
    raw = text.encode("utf-8", "replace")
    parts = (raw[at : at + _PART_BYTES] for at in range(0, len(raw), _PART_BYTES))
    return any(map(_part_repeats, parts))


def _part_repeats(part: bytes) -> bool:
    if len(part) <= _LEAST_BYTES:
        return False
    few = len(part) / _MOST_RATIO
    quarter = part[: len(part) // _QUARTER]
    clear = len(zlib.compress(quarter, 1)) > _BEYOND * few
    return not clear and len(zlib.compress(part, 1)) < few


class _Worker:
    """A process. `end` may be called by another thread than `ask`."""

    def __init__(self, start: tuple[str, str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pincite.ingestion.workers", *start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            stderr=subprocess.DEVNULL,
            env=without_secrets(os.environ),
            start_new_session=True,  # Ctrl-C is for the waiting process
        )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, raw: bytes, limit_s: float) -> Analysed:
        """Analyse a document. Raises SourceError for an error of the analysis, EOFError or
        BrokenPipeError if the process has ended, and TimeoutError."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise EOFError
        write_block(stdin, raw)
        found: Analysed | str = _ANSWER.decode(read_block(stdout, time.monotonic() + limit_s))
        if isinstance(found, str):
            raise SourceError(found)
        return found

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def serve(language: str, config: str, given: IO[bytes], found: IO[bytes]) -> None:
    """Analyse documents until the input ends."""
    chunker = msgspec.json.decode(config, type=ChunkerConfig)
    sparse = Bm25Encoder(language)
    with suppress(EOFError, BrokenPipeError):
        while True:
            document, average_length = _TASK.decode(read_block(given))
            allow_seconds(int(_LIMIT_S))
            try:
                answer: Analysed | str = analyse(document, chunker, sparse, average_length)
            except Exception as error:  # noqa: BLE001 - a parser's fault costs one document
                answer = f"{type(error).__name__}: {error}"
            write_block(found, msgspec.msgpack.encode(answer))


def import_late() -> None:
    """Import what is usually imported with the first document of its kind. A limited process cannot
    save compiled modules."""
    for name in ("by_line", "code", "components", "data", "html", "markdown", "text"):
        import_module(f"pincite.chunkers.{name}")


if __name__ == "__main__":
    import_late()
    rarely_collect()
    limit_process(int(sys.argv[3]))
    serve(sys.argv[1], sys.argv[2], sys.stdin.buffer, sys.stdout.buffer)
