"""Evidence: a passage with its citation, the context that is shown for it, and what was omitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from pincite.model.attribute_types import Attributes
from pincite.model.documents import Box, PageUnit, Rows, SourceType
from pincite.model.retrieval import RANKING_SIGNALS, Candidate, Notice, Signal

Confidence = Literal["high", "medium"]
#: The file of a passage no longer has the text, or no longer exists.
OmittedWhy = Literal["stale", "deleted"]
#: Comparison with the file while the pack was made. `fresh`: the file has the cited lines. `moved`:
#: it has changed since it was indexed, and the citation has the new lines of the text. `unchecked`:
#: its source is unavailable, or it was not compared.
Truth = Literal["fresh", "moved", "unchecked"]


class Match(msgspec.Struct, frozen=True):
    """A found passage within a larger context: the lines to mark. `start_char` and `end_char` are
    characters of a record, as in `Evidence`."""

    citation: str
    chunk_id: str
    start_line: int
    end_line: int
    start_char: int | None = None
    end_char: int | None = None


class Context(msgspec.Struct, frozen=True):
    """The whole lines of a file that are shown for a piece of evidence: the enclosing definition or
    section, the neighbours of the passage, or several passages of the file in one span.

    `citation` cites these lines, or is empty. `matches` are the found passages within them, in the
    order of the file, including the evidence itself; empty if that is the only one.
    """

    start_line: int
    end_line: int
    text: str
    citation: str = ""
    matches: tuple[Match, ...] = ()


class Omitted(msgspec.Struct, frozen=True):
    """A found passage that is not shown, because its file no longer has the text (`stale`) or no
    longer exists (`deleted`). `detail` explains it; it is empty for callers who may not know the
    places of files."""

    why: OmittedWhy
    citation: str
    collection: str
    path: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """Candidates whose text still exists, with the text of the current files, and the context and
    truth of each. `gone` are the candidates without any text to show; `omitted` gives the
    reasons."""

    candidates: tuple[Candidate, ...]
    contexts: tuple[Context | None, ...]
    truths: tuple[Truth, ...]
    gone: tuple[Candidate, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    notices: tuple[Notice, ...] = ()


#: The note for readers of a passage whose text was read from a picture.
RECOGNISED: Final = "read by OCR in a picture of the page: letters may be wrong"


# A Struct takes half the time of a dataclass to create, encode and decode.
class Evidence(msgspec.Struct, frozen=True):
    """A passage in a pack. `number` counts from 1 in order of rank. `start_char` and `end_char` are
    the cited characters of a record (0-based, the end is excluded), None in a file. `record_id` is
    the id of the record, None in a file. `title` is that of the record or document, or empty.
    `truth` says whether the file was compared: its lines, text and revision are then current.

    In a file with extracted text (PDF, office files, notebooks), `page` is the number of the
    `page_unit` (page, slide, sheet, cell, chapter), from 1. Then `start_char` and `end_char` count
    in the whole extracted text. `visual` marks a table or an image, `box` is its place on the page
    (points from the upper left corner). `note` is a vision model's description: generated, not a
    quotation. `recognised` says that OCR has read the text from a picture, so it may have wrong
    letters. `rows` are the first and last row in a sheet, from 1.

    `descriptions` are the index owner's descriptions of its folders and its file, outermost first.
    They are not part of the text and are never cited."""

    number: int
    citation: str
    citation_confidence: Confidence
    collection: str
    source_type: SourceType
    repo: str
    ref: str
    path: str
    url: str | None
    chunk_id: str
    candidate_id: str
    start_line: int
    end_line: int
    start_column: int | None
    end_column: int | None
    headings: tuple[str, ...]
    symbols: tuple[str, ...]
    language: str
    content_hash: str
    signals: tuple[Signal, ...]
    text: str
    context: Context | None = None
    attributes: Attributes = {}
    start_char: int | None = None
    end_char: int | None = None
    record_id: str | None = None
    title: str = ""
    truth: Truth = "unchecked"
    page: int | None = None
    page_unit: PageUnit | None = None
    visual: bool = False
    box: Box | None = None
    note: str = ""
    descriptions: tuple[str, ...] = ()
    recognised: bool = False
    rows: Rows | None = None

    @property
    def score(self) -> float:
        """The score that decides its rank: the latest of its ranking signals. Compare it only with
        scores of the same pack; the verdict says whether the evidence is good enough. 0.0 if it
        has no ranking signal."""
        ranks = (one.value for one in reversed(self.signals) if one.name in RANKING_SIGNALS)
        return next(ranks, 0.0)

    @property
    def kind(self) -> SourceType:
        """`docs`, `code` or `data`: `kinds` in a search and `kind` in a filter."""
        return self.source_type

    @property
    def source(self) -> str:
        """The name of its source: `sources` in a search and `source` in a filter."""
        return self.repo

    @property
    def lines(self) -> range:
        """The numbers of its lines in the file, from 1; empty if unknown. The first and the last
        line may be cut: see `start_column` and `end_column`."""
        return range(self.start_line, self.end_line + 1) if self.end_line else range(0)
