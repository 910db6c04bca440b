"""Split names and questions into comparable words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pincite.model import Query
from pincite.support.names import last_component, written_names

_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_LEAST = 3  # letters of a beginning, or of a word that may be a name, that counts
_BEGINNING = 0.8  # what a word counts that only begins like the other; 1 or .6 make no difference

Terms = Callable[[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Word:
    """A part of a name or question in lower case, with its stems."""

    text: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its `words` without function words; `names`, the last components of all its
    names; `code`, those of names that are written like code; `alone`, whether it is one word."""

    words: tuple[Word, ...]
    names: frozenset[str]
    code: frozenset[str]
    alone: bool


class Vocabulary:
    """Splits names into words. Each word is analysed once."""

    def __init__(self, terms: Terms) -> None:
        """`terms` returns the stems of a word; a function word has none."""
        self._terms = terms
        self._known: dict[str, Word] = {}

    def words(self, name: str) -> tuple[Word, ...]:
        """Split a name: `RotatingFileHandler` and `rotating_file_handler` have three words."""
        return tuple(self._word(part.lower()) for part in _PART.findall(name))

    def asked(self, query: Query) -> Asked:
        """Split the question into words and names."""
        words = (word for word in self.words(query.text) if word.stems and len(word.text) > 1)
        return Asked(
            tuple(dict.fromkeys(words)),
            _last(written_names(query.text), _LEAST),
            _last(query.symbols, 1),
            len(query.text.split()) == 1,
        )

    def _word(self, text: str) -> Word:
        word = self._known.get(text)
        if word is None:
            word = self._known[text] = Word(text, self._terms(text))
        return word


def likeness(word: Word, others: Iterable[Word]) -> float:
    """Return 1 if one of the others is the same word, less if one word is the beginning of the
    other, else 0. A beginning has at least three letters, and stems count as well: `args` matches
    `arguments`, and `logger` matches `logging`."""
    best = 0.0
    for other in others:
        if word.text == other.text or word.stems & other.stems:
            return 1.0
        if not best and _begins(word, other):
            best = _BEGINNING
    return best


def _begins(one: Word, other: Word) -> bool:
    if one.text[0] != other.text[0]:  # no stem begins with another letter than its word
        return False
    if _begin(one.text, other.text):
        return True
    return any(_begin(mine, theirs) for mine in one.stems for theirs in other.stems)


def _begin(one: str, other: str) -> bool:
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return len(short) >= _LEAST and long.startswith(short)


def share(words: Sequence[Word], others: Sequence[Word]) -> float:
    """Return the share of the words that the others have, in 0..1; 0 for no words."""
    return sum(likeness(word, others) for word in words) / len(words) if words else 0.0


class Overlap:
    """The share of a question's words in the names that a passage defines. Each name is compared
    once, however many passages have it."""

    def __init__(self, asked: Sequence[Word], vocabulary: Vocabulary) -> None:
        self._asked = asked
        self._vocabulary = vocabulary
        self._known: dict[str, tuple[float, ...]] = {}

    def share(self, names: Iterable[str]) -> float:
        """Return the mean, over the words of the question, of their best likeness to a word of the
        names, in 0..1."""
        alike = [found for name in names if (found := self._alike(name))]
        if not alike:
            return 0.0
        return math.fsum(map(max, zip(*alike, strict=True))) / len(self._asked)

    def _alike(self, name: str) -> tuple[float, ...]:
        """Return the likeness of each word of the question to this name; empty if there is none."""
        known = self._known.get(name)
        if known is None:
            words = self._vocabulary.words(name)
            found = tuple(likeness(word, words) for word in self._asked)
            known = self._known[name] = found if any(found) else ()
        return known


def _last(names: Iterable[str], least: int) -> frozenset[str]:
    return frozenset(end for name in names if len(end := last_component(name)) >= least)
