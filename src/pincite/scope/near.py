"""Suggest similar paths if none matches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from heapq import nlargest, nsmallest
from itertools import chain, islice, zip_longest
from typing import Final

#: Paths to compare: 1 s of processor time at most. If there are more, those that contain a name of
#: a glob literally come first, then the first in order.
_MOST_PATHS: Final = 50_000
_MOST_NAMES: Final = 4_000
_MOST_CHARS: Final = 80
_MOST_GLOBS: Final = 8
_MOST_PARTS: Final = 6  # of all globs: each took 0.3 s with 50,000 names
#: Pairs of letters to compare for one part: as many as 3,000 names of 10 letters have. The slowest
#: case, names of one letter, took 0.2 s.
_MOST_PAIRS: Final = 300_000
_CLOSE: Final = 0.72  # of SequenceMatcher: `scr` and `src` have .67 by letters, see `_alike`
_CLOSE_NAME: Final = 0.6  # the default of `get_close_matches`
_GLOB = re.compile(r"[*?\[\]{}]")


def near_paths(globs: Sequence[str], paths: Iterable[str], most: int) -> tuple[str, ...]:
    """Return up to `most` paths with folders or names that are spelled like those of a glob, best
    first. Only the last few names of each glob count, so that a path of a thousand folders takes no
    longer."""
    given = [_parts(glob) for glob in globs[:_MOST_GLOBS]]
    last = zip_longest(*(reversed(one) for one in given))  # the last names of all globs first
    parts = tuple(islice(dict.fromkeys(filter(None, chain.from_iterable(last))), _MOST_PARTS))
    known = _bounded(sorted(set(paths)), parts)
    like = {part: _alike(part, known) for part in parts}
    found: dict[str, None] = {}
    for one in given:
        found |= dict.fromkeys(_near([like[part] for part in like if part in one], known, most))
    return tuple(islice(found, most))


def near_names(names: Iterable[str], known: Iterable[str], most: int) -> tuple[str, ...]:
    """Return up to `most` of the known names that are spelled like one of these names."""
    among = list(islice(known, _MOST_NAMES))
    close = (
        one
        for name in islice(names, _MOST_GLOBS)
        for _, one in nlargest(most, _ratios(name[:_MOST_CHARS], among))
    )
    return tuple(islice(dict.fromkeys(close), most))


def _ratios(name: str, among: Iterable[str]) -> Iterator[tuple[float, str]]:
    """Yield the names that are spelled like this name, each with its similarity, as by
    `get_close_matches`. The number of compared letters is limited."""
    matcher = SequenceMatcher()
    matcher.set_seq2(name)
    pairs = 0
    for one in among:
        matcher.set_seq1(one)
        if matcher.real_quick_ratio() < _CLOSE_NAME or matcher.quick_ratio() < _CLOSE_NAME:
            continue
        pairs += len(one) * len(name)
        if pairs > _MOST_PAIRS:
            break
        if (ratio := matcher.ratio()) >= _CLOSE_NAME:
            yield ratio, one


def _bounded(known: Sequence[str], parts: Sequence[str]) -> Sequence[str]:
    if len(known) <= _MOST_PATHS:
        return known
    telling = [one for one in map(_plain, parts) if len(one) > 3 and one[0] != "."]
    hits = (path for path in known if any(part in path for part in telling))
    half = _MOST_PATHS // 2
    return sorted({*islice(hits, half), *known[:half]})


def _parts(glob: str) -> tuple[str, ...]:
    """The names in a glob, from the root on."""
    given = glob.replace("\\", "/").split("/")
    return tuple(part[:_MOST_CHARS] for part in given if _plain(part))


def _plain(part: str) -> str:
    """Return a name of a glob without its wildcards, empty if nothing telling is left."""
    kept = _GLOB.sub("", part).strip()
    return kept if len(kept.strip(".")) > 1 else ""


def _near(like: Sequence[dict[str, float]], known: Sequence[str], most: int) -> Iterable[str]:
    """Return the paths with the highest scores, best first. The score of a path is the sum, over
    the parts of the glob, of the best similarity to one of its names."""
    scored = []
    for path in known:
        names = path.split("/")
        score = 0.0
        for alike in like:
            score += max((alike.get(name, 0.0) for name in names), default=0.0)
        if score:
            scored.append((-score, len(names), path))
    return [path for _, _, path in nsmallest(most, scored)]


def _alike(part: str, known: Sequence[str]) -> dict[str, float]:
    """Return the names of folders and files that are spelled like a part of a glob, each with its
    similarity: 2 for the same name, below 1 for others, including names that match the part as a
    pattern."""
    names = dict.fromkeys(name for path in known for name in path.split("/"))
    lowered, pattern = _plain(part).lower(), part.lower()
    found: dict[str, float] = {}
    others = []
    for name in names:
        plain = name.lower()
        if plain == lowered:
            found[name] = 2.0
        elif lowered in plain or (pattern != lowered and fnmatchcase(plain[:_MOST_CHARS], pattern)):
            found[name] = 0.9
        elif plain[:1] == lowered[:1] or sorted(plain) == sorted(lowered):
            others.append(name)
    if len(found) < _MOST_NAMES:
        matcher = SequenceMatcher(autojunk=False)
        matcher.set_seq2(lowered)
        pairs = 0
        for name in others[:_MOST_NAMES]:
            plain = name.lower()[:_MOST_CHARS]
            matcher.set_seq1(plain)
            if sorted(plain) == sorted(lowered):  # the same letters in another order
                found[name] = 0.95
                continue
            close = matcher.real_quick_ratio() > _CLOSE and matcher.quick_ratio() > _CLOSE
            pairs += close * len(plain) * len(lowered)
            if pairs > _MOST_PAIRS:
                break
            if close and (ratio := matcher.ratio()) > _CLOSE:
                found[name] = ratio
    return found
