"""Find names in a sentence: capitalised words inside of it, and identifiers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pincite.answering.sentences.verbatim import in_backticks

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?(?:[._:/@-]*[\w]+)*", re.UNICODE)
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+")
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_LIKE_CODE: Final = re.compile(r"[^\W_]_[^\W_]|\w\.[A-Za-z_]\w|::|\w/\w|[A-Za-z]-?\d|\d[A-Za-z]")
_PIECE: Final = re.compile(r"\w+")
_BETWEEN: Final = re.compile(r"[\W_]+")
_LEAST_JOINED = 4  # letters; shorter ones are parts of anything
_POSSESSIVE: Final = re.compile(r"['’]s?\Z")
_BEGINS: Final = re.compile(r"(?:\A|[.!?:;…]\s+|\n\s*|[\"“‘(\[*_-]\s*)\Z")
#: Words with a capital letter inside a sentence that are not names.
_PLAIN: Final = frozenset(
    "i a an the this that these those it its you your we our they if in on at to for of and or but"
    " yes no not note tip warning example step table figure section chapter page source sources ok"
    " api apis url urls id ids json xml html http https css sql pdf ai llm llms ui cli sdk os e.g"
    " i.e etc usa us uk eu gmt utc am pm tl dr faq vs".split()
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written in a sentence, from `start`."""

    start: int
    written: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, for looking up names: single words, and all of them joined without
    separators, in lower case."""

    pieces: frozenset[str]
    joined: str


def words_in(text: str) -> Words:
    """Return the words of a text."""
    pieces = frozenset(one.lower() for one in _PIECE.findall(text))
    return Words(pieces, _BETWEEN.sub("", text).lower())


def names_in(text: str) -> tuple[Name, ...]:
    """Return the names of a text, in order: capitalised words that do not begin a sentence, words
    in capitals, and text that is written like code (in backticks, `camelCase`, `snake_case`,
    `dotted.names`, `gpt-4`). A capitalised word at the beginning of a sentence is a name if another
    one follows."""
    found: list[Name] = []
    taken: list[tuple[int, int]] = []
    for start, end in in_backticks(text):
        taken.append((start, end))
        found += [Name(one.start(), one[0]) for one in _WORD.finditer(text, start, end)]
    words = [one for one in _WORD.finditer(text) if not _inside(one.start(), taken)]
    shouted = _shouted(text)
    for place, match in enumerate(words):
        word = _POSSESSIVE.sub("", match[0])
        if word.lower() in _PLAIN or word.replace(",", "").replace(".", "").isdigit():
            continue
        following = words[place + 1] if place + 1 < len(words) else None
        if _is_name(text, match, word, following, shouted=shouted):
            found.append(Name(match.start(), word))
    return tuple(sorted(found, key=lambda one: one.start))


def missing(
    text: str,
    there: Sequence[Words],
    folded: frozenset[str],
    terms: Callable[[str], frozenset[str]],
    numbers: Sequence[tuple[int, int]] = (),
) -> tuple[Name, ...]:
    """Return the names of a text that are not in `there`. Case and separators of parts are ignored
    (`OAuthClient` is "OAuth client"), and dotted names are looked up part by part. `terms` folds
    the forms of a word, and `folded` are the terms of `there`; names that are written like code are
    not folded. Text within `numbers` (start and end, in order) is not a name: `5ms`, `v2.4.1`, the
    May of a date."""
    names = names_in(text)
    if not names:
        return ()
    words = frozenset[str]().union(*(one.pieces for one in there))

    def known(name: str, *, whole: bool) -> bool:
        pieces = [one.lower() for one in _PIECE.findall(name)]
        if all(one in words for one in pieces):
            return True
        if len(pieces) > 1 and not whole:
            return all(known(one, whole=True) for one in _PIECE.findall(name))
        squashed = _BETWEEN.sub("", name).lower()
        inside = len(squashed) >= _LEAST_JOINED and _compound(name)
        if inside and any(squashed in one.joined for one in there):
            return True
        return not _like_code(name) and bool(had := terms(name)) and had <= folded

    return tuple(
        one for one in names if not _is_part(one, numbers) and not known(one.written, whole=False)
    )


def _is_part(name: Name, spans: Sequence[tuple[int, int]]) -> bool:
    place = bisect_right(spans, name.start, key=lambda span: span[0]) - 1
    return place >= 0 and name.start + len(name.written) <= spans[place][1]


def _compound(name: str) -> bool:
    return len(_PART.findall(name)) > 1


def _like_code(name: str) -> bool:
    return _CAMEL.search(name) is not None or _LIKE_CODE.search(name) is not None


def _is_name(
    text: str, match: re.Match[str], word: str, following: re.Match[str] | None, *, shouted: bool
) -> bool:
    if _like_code(word):
        return True
    if not word[:1].isupper():
        return False
    if len(word) > 1 and word.isupper() and word.isalpha():
        return not shouted
    if not _BEGINS.search(text[max(0, match.start() - 8) : match.start()]):
        return True
    between = text[match.end() : following.start()] if following else ""
    next_capital = following is not None and following[0][:1].isupper() and between in (" ", "-")
    return next_capital and following is not None and following[0].lower() not in _PLAIN


def _shouted(text: str) -> bool:
    """Return whether most letters of the sentence are capitals."""
    letters = [one for one in text if one.isalpha()]
    return sum(one.isupper() for one in letters) > 0.7 * len(letters)


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    """Return whether a position is in one of the spans, which are sorted and do not overlap."""
    place = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return place >= 0 and at < spans[place][1]
