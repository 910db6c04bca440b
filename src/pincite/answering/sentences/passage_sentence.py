"""A sentence that was found in the evidence, and what stands before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pincite.answering.sentences.markup import shown
from pincite.answering.sentences.split import Sentence
from pincite.model import Evidence

Terms = Callable[[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence of `item`, the evidence at `place`. `words` are those of the text without marks of
    a comment, with as many characters. `terms` are its informative words and those of the
    question or the heading before it, `section` those of the heading that it is below. Some
    of it is missing before the words where it `began`, and behind where it `goes_on`."""

    item: Evidence
    place: int
    number: int
    span: Sentence
    words: str
    terms: frozenset[str]
    section: frozenset[str] = frozenset()
    is_question: bool = False
    began: bool = False
    goes_on: bool = False

    @property
    def said(self) -> str:
        """What it says, without tags."""
        return shown(self.words)

    @property
    def is_row(self) -> bool:
        """Is it a row of a table?"""
        return self.span.row

    @property
    def is_entry(self) -> bool:
        """Is it an entry of front matter?"""
        return self.span.heading and self.span.item

    @property
    def introduces(self) -> bool:
        """Is it the introduction of what follows?"""
        return not self.span.code and self.said.rstrip().endswith(":")

    @property
    def key(self) -> tuple[int, int]:
        """Its place among all."""
        return self.place, self.number
