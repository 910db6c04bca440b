"""Split names and questions into comparable words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from pincite.model import Query
from pincite.support.names import (
    bare_words,
    components,
    hyphenated_name,
    last_component,
    owner_of,
    undeclared,
    words_of,
    written_names,
)

#: One identifier, perhaps with its path: `parse`, `$.ajax`, `A::~A`. `a/b.py` is none.
_ONE_NAME = re.compile(r"[@#~]*[A-Za-z_$][\w$]*(?:(?:\.|::~?|:|#|->)[\w$]+)*", re.ASCII)
_LEAST = 3  # letters that a common beginning, or a word that may be a name, must have
_BEGINNING = 0.8  # the likeness of words with a common beginning; 1 or .6 make no difference
#: Distinct words, and distinct names, whose parts are cached; each cache is emptied when full.
#: About 7 and 5 MB. 361 questions on 18 repositories have 2,800 words and 6,500 names.
_REMEMBERED = 10_000
_LONGEST = 100  # characters of a name that is cached

Terms = Callable[[str], frozenset[str]]


class Word(msgspec.Struct, frozen=True):
    """A part of a name or question in lower case, with its stems. `beginnings` are the first
    letters of both: words that are alike have one in common."""

    text: str
    stems: frozenset[str]
    beginnings: frozenset[str]

    def __hash__(self) -> int:
        return hash(self.text)


class Name(NamedTuple):
    """The words of a name, and the beginnings of all of them."""

    words: tuple[Word, ...]
    beginnings: frozenset[str]


class QuestionWords(msgspec.Struct, frozen=True):
    """A question: its `words` without function words; `names`, the last components of all its
    names; `code`, the last components of names that are written like code; `alone`, whether it is
    only a name. `owners` has the last component of each name with a path, and the one before it;
    `outer` has all components before the last, in lower case."""

    words: tuple[Word, ...]
    names: frozenset[str]
    code: frozenset[str]
    alone: bool
    owners: tuple[tuple[str, str], ...]
    outer: frozenset[str]


class Vocabulary:
    """Splits names into words. Words and names are analysed once while they are cached."""

    def __init__(self, terms: Terms) -> None:
        """`terms` returns the stems of a word; a function word has none."""
        self._terms = terms
        self._known: dict[str, Word] = {}
        self._names: dict[str, Name] = {}

    def words(self, name: str) -> tuple[Word, ...]:
        """Split a name: `RotatingFileHandler` and `rotating_file_handler` have three words."""
        return self.name(name).words

    def name(self, text: str) -> Name:
        """Return the parts of a name."""
        known = self._names.get(text)
        if known is None:
            words = self._split(text)
            known = Name(words, frozenset[str]().union(*(word.beginnings for word in words)))
            if len(text) <= _LONGEST:
                _make_room(self._names)
                self._names[text] = known
        return known

    def asked(self, query: Query) -> QuestionWords:
        """Split the question into words and names."""
        words = (word for word in self._split(query.text) if word.stems and len(word.text) > 1)
        return QuestionWords(
            tuple(dict.fromkeys(words)),
            _last((*written_names(query.text), *filter(hyphenated_name, query.symbols)), _LEAST),
            _last(query.symbols, 1),
            _is_name(query.text),
            tuple(dict.fromkeys(filter(None, map(owner_of, query.symbols)))),
            frozenset(one.lower() for name in query.symbols for one in components(name)[:-1]),
        )

    def _split(self, name: str) -> tuple[Word, ...]:
        return tuple(self._word(part.lower()) for part in words_of(name))

    def _word(self, text: str) -> Word:
        word = self._known.get(text)
        if word is None:
            stems = self._terms(text)
            word = Word(text, stems, frozenset(one[:_LEAST] for one in (text, *stems)))
            if len(text) <= _LONGEST:
                _make_room(self._known)
                self._known[text] = word
        return word


@lru_cache(4)
def vocabulary_of(terms: Terms) -> Vocabulary:
    """Return the vocabulary of these stems, with the words that earlier questions have cached,
    because few names of a collection are new to a question."""
    return Vocabulary(terms)


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


class Likeness:
    """The similarity of the words of a question to the words of names. Each word and name is
    compared once, even if many passages have it. Most words of names begin with other letters than
    all words of the question, and are not compared at all."""

    def __init__(self, asked: Sequence[Word], vocabulary: Vocabulary) -> None:
        self.asked = asked
        self._vocabulary = vocabulary
        self._beginnings = frozenset[str]().union(*(word.beginnings for word in asked))
        self._of_words: dict[str, tuple[float, ...]] = {}
        self._of_names: dict[str, tuple[float, ...]] = {}

    def of_word(self, word: Word) -> tuple[float, ...]:
        """Return the likeness of each word of the question to this word; empty if none is like
        it."""
        if self._beginnings.isdisjoint(word.beginnings):
            return ()
        known = self._of_words.get(word.text)
        if known is None:
            found = tuple(likeness(one, (word,)) for one in self.asked)
            known = self._of_words[word.text] = found if any(found) else ()
        return known

    def of_name(self, name: str) -> tuple[float, ...]:
        """Return the best likeness of each word of the question to a word of this name; empty if
        none is like any."""
        known = self._of_names.get(name)
        if known is None:
            parts = self._vocabulary.name(name)
            known = ()
            if not self._beginnings.isdisjoint(parts.beginnings):
                found = [alike for word in parts.words if (alike := self.of_word(word))]
                known = tuple(map(max, zip(*found, strict=True))) if len(found) > 1 else ()
                known = found[0] if len(found) == 1 else known
            self._of_names[name] = known
        return known

    def best(self, name: str) -> list[float]:
        """Return the best likeness of each word of this name to a word of the question."""
        words = self._vocabulary.words(name)
        if not self.of_name(name):
            return [0.0] * len(words)
        return [max(self.of_word(word), default=0.0) for word in words]

    def overlap(self, names: Iterable[str]) -> float:
        """Return the mean, over the words of the question, of their best likeness to a word of the
        names, in 0..1."""
        alike = [found for name in names if (found := self.of_name(name))]
        if not alike:
            return 0.0
        best = map(max, zip(*alike, strict=True)) if len(alike) > 1 else alike[0]
        return math.fsum(best) / len(self.asked)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 for no values."""
    return sum(values) / len(values) if values else 0.0


def _is_name(text: str) -> bool:
    """Return whether a question is only a name, perhaps with the keyword that declares it."""
    words = bare_words(undeclared(text))
    if len(words) != 1:
        return False
    return _ONE_NAME.fullmatch(words[0]) is not None or bool(hyphenated_name(words[0]))


def _make_room(known: dict[str, Any]) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()


def _last(names: Iterable[str], least: int) -> frozenset[str]:
    return frozenset(end for name in names if len(end := last_component(name)) >= least)
