"""Analyse documents in worker processes, and in this process while it would wait for them."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from typing import Final

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.code.parsing import NeedsLimits, cautious
from pincite.ingestion.analysis.analyse import Analysed, Pending, analyse
from pincite.ingestion.analysis.local import may_hurt
from pincite.ingestion.analysis.worker_pool import Workers
from pincite.model import Document
from pincite.providers.sparse.bm25 import Bm25Encoder

#: Longer texts are left to the workers, which have limits of time and memory.
_MOST_CHARS: Final = 500_000


class Shared:
    """An `Analyser` that uses workers, and the thread that waits for results. Only workers analyse
    long texts, and code that may hurt a parser."""

    def __init__(self, workers: Workers, chunker: ChunkerConfig, sparse: Bm25Encoder) -> None:
        self._workers = workers
        self._chunker, self._sparse = chunker, sparse
        self._open: deque[_Open] = deque()  # documents for here or a worker, in submission order
        self._closed = False

    def submit(self, document: Document, average_length: float) -> Pending:
        """Give the document to the workers."""
        pending = self._workers.submit(document, average_length)
        if not isinstance(pending, Future):
            return pending
        one = _Open(self, document, average_length, pending)
        if len(document.text) <= _MOST_CHARS and not may_hurt(document):
            self._open.append(one)
        return one

    def result_of(self, one: _Open) -> Analysed:
        """Return the result of a document. While a worker analyses it, analyse other documents here
        that no worker has begun."""
        if one in self._open:
            self._open.remove(one)
            self._try(one)
        while not one.pending.done() and self._open:
            self._try(self._open.popleft())
        return one.pending.result()

    def _try(self, one: _Open) -> None:
        """Analyse a document here, unless a worker has begun it."""
        if self._closed or not one.pending.cancel():
            return
        here: Future[Analysed] = Future()
        try:
            with cautious():
                found = analyse(one.document, self._chunker, self._sparse, one.average_length)
            here.set_result(found)
        except NeedsLimits:
            here = self._workers.start(one.document, one.average_length)
        except Exception as error:  # noqa: BLE001 - it is raised by the result of this document
            here.set_exception(error)
        one.pending = here

    def close(self) -> None:
        """End the workers. A thread that waits for a result gets an error."""
        self._closed = True
        self._workers.close()


class _Open:
    """A document that a worker or this process analyses."""

    def __init__(
        self, shared: Shared, document: Document, average_length: float, pending: Future[Analysed]
    ) -> None:
        self.document, self.average_length, self.pending = document, average_length, pending
        self._shared = shared

    def result(self) -> Analysed:
        """See `Pending`."""
        return self._shared.result_of(self)
