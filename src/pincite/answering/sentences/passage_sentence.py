"""A sentence found in the evidence, and what belongs to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pincite.answering.sentences.markup import shown
from pincite.answering.sentences.split import Sentence
from pincite.model import Evidence

Terms = Callable[[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence of `item`, the evidence at `place`. `words` are its text without marks of a
    comment, in the same length. `terms` are its informative words and those of the question or
    heading directly before it, `section` those of its section's heading. If it `began` earlier,
    text before the words is missing; if it `goes_on`, text after them."""

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
        """Return its text as displayed, without tags."""
        return shown(self.words)

    @property
    def is_row(self) -> bool:
        """Return whether it is a row of a table."""
        return self.span.row

    @property
    def is_entry(self) -> bool:
        """Return whether it is an entry of front matter."""
        return self.span.heading and self.span.item

    @property
    def introduces(self) -> bool:
        """Return whether it introduces the text that follows."""
        return not self.span.code and self.said.rstrip().endswith(":")

    @property
    def key(self) -> tuple[int, int]:
        """Return its position among all sentences of the evidence."""
        return self.place, self.number
