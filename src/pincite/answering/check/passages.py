"""The passages that an answer is made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pincite.answering.check.names import Words, words_in
from pincite.answering.check.numbers.values import Number, numbers_in
from pincite.answering.sentences.code_comments import SentenceText, said_in_code
from pincite.answering.sentences.markup import shown, words_of_markup
from pincite.answering.sentences.split import Sentence, split
from pincite.model import AnswerSource, Evidence


@dataclass(frozen=True)
class Told:
    """A passage as a model gets it: exactly `text`, cited by `citation`. `weak` means that it is
    below the threshold."""

    item: Evidence
    text: str
    citation: str
    weak: bool = False

    @property
    def number(self) -> int:
        """Return the number of the evidence, which is that of `[n]`."""
        return self.item.number

    @property
    def about(self) -> str:
        """Return the texts that say what the passage is about: repository, path, title, headings,
        symbols, and the description of its folder."""
        item = self.item
        named = (item.repo, item.path, item.title, *item.headings, *item.symbols)
        return "\n".join((*named, *item.descriptions))

    @property
    def all_text(self) -> str:
        """Return the text that a sentence may be based on: the passage, a manual page as it is
        displayed, and the description of its picture by a model."""
        text = shown(self._displayed[0]) if self._displayed else self.text
        return f"{text}\n{self.item.note}" if self.item.note else text

    @property
    def known(self) -> str:
        """Return all text that a sentence may be based on, including `about`."""
        return f"{self.about}\n{self.all_text}"

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers of all known text, in the passage also those within names."""
        return (*numbers_in(self.about), *numbers_in(self.all_text, names=True))

    @cached_property
    def words(self) -> Words:
        """Return the words of all known text."""
        return words_in(self.known)

    @cached_property
    def sentences(self) -> tuple[SentenceText, ...]:
        """Return the sentences of the passage, for code also its lines."""
        if self.item.source_type == "code":
            return (*said_in_code(self.text), *_said(self.item.note, "text"))
        if self._displayed:
            words, found = self._displayed
            said = (SentenceText(shown(words[one.start : one.end])) for one in found)
            return (*said, *_said(self.item.note, "text"))
        return _said(self.all_text, self.item.language)

    @cached_property
    def _displayed(self) -> tuple[str, tuple[Sentence, ...]] | None:
        """Return the displayed text of a manual page and its sentences; None for other passages."""
        if self.item.language != "roff" or self.item.source_type == "code":
            return None
        return words_of_markup(self.text, "roff")

    @property
    def source(self) -> AnswerSource:
        """Return the passage as a source of the answer."""
        item = self.item
        return AnswerSource(
            item.number,
            self.citation,
            item.score,
            item.page,
            item.visual,
            item.url if item.visual and _is_picture(item.url) else None,
            item.title,
            self.text,
            item.number,
            item.recognised,
        )


def _said(text: str, language: str) -> tuple[SentenceText, ...]:
    return tuple(SentenceText(text[one.start : one.end]) for one in split(text, language))


def _is_picture(url: str | None) -> bool:
    ends = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")
    return url is not None and url.lower().endswith(ends)


def told_of(item: Evidence, *, around: bool, weak: bool = False) -> Told:
    """Return the passage, with the context around it if that can be cited and `around` is set."""
    if around and item.context is not None and item.context.citation:
        return Told(item, item.context.text, item.context.citation, weak)
    return Told(item, item.text, item.citation, weak)
