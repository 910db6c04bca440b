"""Analyse documents in this process, except code that may hurt a parser."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable
from typing import Final

import msgspec

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.code.parsing import NeedsLimits, cautious, unparsed
from pincite.errors import SourceError
from pincite.ingestion.analysis.analyse import Analysed, Done, Pending, analyse
from pincite.ingestion.analysis.worker_pool import Workers
from pincite.model import Document
from pincite.ports import SparseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder

#: A file is compressed in parts, and repeats itself if a part has more than this ratio. Of 18,268
#: files of code, whose first 64 kB were compressed, 31 exceeded a ratio of 10, and one that of 15.
#: Texts that parsers did not finish had a ratio of 180.
_PART_BYTES: Final = 16_384
_MOST_RATIO: Final = 15
#: The first quarter of a part is compressed first. If it takes 1.1 times what a repetitive part may
#: take as a whole, the part does not repeat. In 14,586 generated parts that repeat, it took at most
#: 0.9 times that; in 95 % of real parts, it takes more, and the whole need not be compressed.
_QUARTER: Final = 4
_BEYOND: Final = 1.1
_LEAST_BYTES: Final = 2_000  # for shorter repetitive texts, parsers took 0.1 GB and half a second


class Careful:
    """An `Analyser` in this process. Code that may hurt a parser goes to one worker, which is
    started for the first such document: code that repeats itself, and code for which a parser takes
    too many steps. With an encoder other than BM25 there is no worker: code of the second kind is
    cut by lines here."""

    def __init__(self, chunker: ChunkerConfig, sparse: SparseEncoder) -> None:
        self._chunker, self._sparse = chunker, sparse
        self._language = sparse.analyser.language if isinstance(sparse, Bm25Encoder) else None
        self._workers: Workers | None = None
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, document: Document, average_length: float) -> Pending:
        """Store the document, or start with it."""
        if self._language is not None and may_hurt(document):
            return self._limited(document, average_length)
        return _Guarded(document, average_length, self._here, self._limited)

    def _here(self, document: Document, average_length: float) -> Analysed:
        with cautious():
            return analyse(document, self._chunker, self._sparse, average_length)

    def _limited(self, document: Document, average_length: float) -> Pending:
        if self._language is None:
            with unparsed():
                return Done(analyse(document, self._chunker, self._sparse, average_length))
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
    """A document that is analysed in this process, or, if its parser was stopped, with limits."""

    document: Document
    average_length: float
    here: Callable[[Document, float], Analysed]
    limited: Callable[[Document, float], Pending]

    def result(self) -> Analysed:
        try:
            return self.here(self.document, self.average_length)
        except NeedsLimits:
            return self.limited(self.document, self.average_length).result()


def may_hurt(document: Document) -> bool:
    """Return whether a document is code that repeats itself, so that its parser needs limits."""
    return document.source_type == "code" and _repeats(document.text)


def _repeats(text: str) -> bool:
    """Return whether a part of the text compresses far better than code usually does."""
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
