"""Find a name among the passages that is spelled like a name of the question which the index
lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Final

from pincite.model import AbsentTerms, Candidate, Notice, Query
from pincite.support.names import last_component, placed_name

_NAME: Final = re.compile(r"[A-Za-z]\w{3,59}(?!\w)")
_LIKE_NAME: Final = re.compile(r"[^\W_]_+[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
#: Of `SequenceMatcher`, for a name that one edit separates: two letters that change places have .8
#: in a name of five.
ONE_EDIT: Final = 0.8
_DIGIT: Final = re.compile(r"\d")
_CLOSE: Final = 0.84  # for other names: `OpenAI` and `open` have .8, `start_tls` and `starts` .8
_LEAST: Final = 5  # letters of a name; shorter ones resemble many
_LONGEST: Final = 60
_ASKED: Final = 2  # names of a question
_CANDIDATES: Final = 120
_SYMBOLS: Final = 4_000
_TEXTS: Final = 20  # passages whose words are compared, too
_CHARS: Final = 4_000  # of each


def absent_names(text: str, absent: AbsentTerms) -> tuple[str, ...]:
    """Return the names in the question `text` that the index lacks, two at most. Words that are not
    written like a name count only if they are the whole question, or if it asks for their place."""
    is_alone, placed = len(text.split()) == 1, last_component(placed_name(text))
    return tuple(
        one
        for one in absent.index
        if _LEAST <= len(one) <= _LONGEST
        and (is_alone or one == placed or _LIKE_NAME.search(one) is not None)
    )[:_ASKED]


def is_only_name(name: str, query: Query) -> bool:
    """Return whether a name without a path is the only name in the question, which may be prose or
    give its path."""
    return {last_component(one.rstrip("?!")) for one in query.symbols} == {name}


def is_slip(name: str, near: str) -> bool:
    """Return whether the digits of both names are the same: `base64` is another name than
    `base32`."""
    return _DIGIT.findall(name) == _DIGIT.findall(near)


def likeness(name: str, near: str) -> float:
    """Return the likeness of two names in 0..1, without regard to upper and lower case."""
    return SequenceMatcher(None, near.lower(), name.lower(), autojunk=False).ratio()


def did_you_mean(name: str, near: str) -> Notice:
    """Return the notice that suggests a name instead of one that the index lacks."""
    return Notice("similar_name", f"nothing that is indexed has {name}; did you mean {near}?")


def similar_name(name: str, candidates: Sequence[Candidate], least: float = _CLOSE) -> str:
    """Return the name of the candidates that is spelled most like this one: a definition before
    other words, then the first. "" if none has the similarity `least`, in 0..1. The number of
    compared names is limited."""
    first = candidates[:_CANDIDATES]
    return _nearest(name, islice(_defined(first), _SYMBOLS), least) or _nearest(
        name, islice(_written(first[:_TEXTS]), _SYMBOLS), least
    )


def _defined(candidates: Iterable[Candidate]) -> Iterator[str]:
    for one in candidates:
        yield from map(last_component, one.chunk.symbols)


def _written(candidates: Iterable[Candidate]) -> Iterator[str]:
    for one in candidates:
        yield from _NAME.findall(one.chunk.text[:_CHARS])


def _nearest(name: str, names: Iterable[str], least: float) -> str:
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(name.lower())
    best, near = least, ""
    for one in dict.fromkeys(names):
        if abs(len(one) - len(name)) > 3 or not _LEAST - 1 <= len(one) <= _LONGEST:
            continue
        matcher.set_seq1(one.lower())
        if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:
            continue
        ratio = matcher.ratio()
        if ratio > best or (ratio == best and not near):
            best, near = ratio, one
    return near
