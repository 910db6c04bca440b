"""Documents to analyse, and their analysis line by line."""

from __future__ import annotations

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.code.parsing import unparsed
from pincite.ingestion.analysis.analyse import Analysed, analyse
from pincite.model import Document, Source
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.readers import read_document

CONFIG, SPARSE = ChunkerConfig(), Bm25Encoder("english")
SOURCE = Source("acme", "/acme", "folder")


def document(text: str, path: str = "a.py") -> Document:
    return read_document(text.encode(), source=SOURCE, path=path, ref="1")


def by_lines(one: Document) -> Analysed:
    with unparsed():
        return analyse(one, CONFIG, SPARSE, 90.0)
