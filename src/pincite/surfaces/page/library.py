"""The data behind the page: an index, or the documents that a key may read.

`pincite ui` and `pincite serve` each have their own library. Everything else of the page is shared.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pincite.citations.passage import Passage
from pincite.citations.pictures import PagePicture
from pincite.diagnostics.explain import StageView
from pincite.model import AnswerEvent, Evidence, EvidencePack
from pincite.surfaces.page.requests import Ask, Judge, Place

#: Grades of results, by the source and the name of an item.
Grades = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results for a question. `languages` are the stemming languages of the texts."""

    pack: EvidencePack
    languages: Sequence[str]
    grades: Grades = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Named:
    """The names of a passage for people: its place in a document, and its page in words."""

    place: str
    page: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A passage with the names of its file and its source. `page` is in words. `pictured`: its page
    is available as a picture. `numbered`: line numbers are meaningful."""

    passage: Passage
    name: str
    source: str
    page: str = ""
    pictured: bool = False
    numbered: bool = True


class Library(Protocol):
    """The requests of the page. All methods raise PinciteError."""

    async def about(self) -> Mapping[str, Any]:
        """Return the text at the foot of the page (`words`), the views of the `presets` and of the
        default `preset`, and whether `judging` is available."""

    async def find(self, asked: Ask) -> SearchResults:
        """Return the evidence for a question."""

    async def explain(self, asked: Ask) -> tuple[EvidencePack, Sequence[StageView]]:
        """Return the evidence, and the result of each stage."""

    async def read(self, asked: Place, context: int) -> Opened:
        """Return the text of a citation, with `context` lines before and after."""

    async def picture(self, asked: Place) -> PagePicture:
        """Return the page of a PDF that contains a citation."""

    async def judge(self, asked: Judge) -> None:
        """Store a judgement."""

    def answer(self, asked: Ask) -> AsyncIterator[AnswerEvent]:
        """Yield the events of an answer while the model writes it."""

    def named(self, one: Evidence) -> Named:
        """Return the names of a passage."""

    def failed(self, error: Exception) -> Mapping[str, str]:
        """Return `message` and `hint` for an answer that fails after it has begun."""
