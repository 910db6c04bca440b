"""Analyse documents in separate processes.

If a parser crashes, or exceeds the limits of memory or processor time, its process ends, and the
next task gets another one. Code is then cut by lines. If something else kills the process, or the
time limit passes, the current document fails.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import msgspec

from pincite.chunkers import ChunkerConfig
from pincite.errors import SourceError
from pincite.ingestion.analysis.analyse import Analysed, Here, Pending
from pincite.ingestion.analysis.worker_process import LIMIT_S, MEMORY_BYTES, Task, Worker
from pincite.model import Document
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.fields import replace


class Workers:
    """An `Analyser` with `count` processes. For each, a thread here waits for its results."""

    def __init__(
        self,
        chunker: ChunkerConfig,
        language: str,
        count: int,
        limit_s: float = LIMIT_S,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._here = Here(chunker, Bm25Encoder(language))
        self._start = (language, msgspec.json.encode(chunker).decode(), str(memory_bytes))
        self._limit_s = limit_s
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="pincite-analyse")
        self._own = threading.local()
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self._closed = False
        self._threads.submit(self._worker)  # one starts ahead; others when they are needed

    def submit(self, document: Document, average_length: float) -> Pending:
        """Analyse a document as soon as a process is idle. A document with attributes of pages, or
        with a name that cannot be encoded, is analysed in this process."""
        if any(page.attributes for page in document.pages):  # they become those of sections
            return self._here.submit(document, average_length)
        try:
            return self.start(document, average_length)
        except UnicodeEncodeError:  # a name is not valid text
            return self._here.submit(document, average_length)

    def start(self, document: Document, average_length: float) -> Future[Analysed]:
        """Send a document to a process as soon as one is idle. Raises UnicodeEncodeError if it
        cannot be encoded."""
        task = Task(replace(document, attributes={}), average_length)
        return self._threads.submit(self._analyse, task, msgspec.msgpack.encode(task))

    def _worker(self) -> Worker:
        """Return the process of this thread. Raises SourceError after `close`."""
        with self._lock:
            if self._closed:
                raise SourceError("the indexing run has ended")
            worker: Worker | None = getattr(self._own, "worker", None)
            if worker is None or not worker.alive:
                if worker is not None:
                    worker.end()  # it died while idle
                worker = self._own.worker = Worker(self._start)
                self._workers = [one for one in self._workers if one.alive]
                self._workers.append(worker)
            return worker

    def _analyse(self, task: Task, raw: bytes) -> Analysed:
        worker = self._worker()
        try:
            return worker.ask(raw, self._limit_s)
        except (EOFError, BrokenPipeError, TimeoutError) as error:
            worker.end()
            slow = isinstance(error, TimeoutError)
            code = task.document.source_type == "code"
            if worker.broke and code and task.parsed and not self._closed:
                by_lines = replace(task, parsed=False)
                return self._analyse(by_lines, msgspec.msgpack.encode(by_lines))
            why = (
                f"takes more than {self._limit_s:.0f} s"
                if slow
                else "has crashed, or needs too much memory"
            )
            raise SourceError(f"its parser {why}", hint="exclude the file: --exclude") from error

    def close(self) -> None:
        """Kill all processes. Pending results raise errors."""
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.end()
