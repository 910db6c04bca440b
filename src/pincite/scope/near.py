"""Suggest similar paths if none matches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from heapq import nlargest, nsmallest
from itertools import chain, islice, zip_longest
from typing import Final

#: So many paths are compared: 1 s of processor time at most. Of more than that those that hold a
#: name of a glob as it is, then the first.
_MOST_PATHS: Final = 50_000
_MOST_NAMES: Final = 4_000
_MOST_CHARS: Final = 80
_MOST_GLOBS: Final = 8
_MOST_PARTS: Final = 6  # of all globs: each took 0.3 s with 50,000 names
#: Pairs of letters that are compared for one part: 3,000 names of 10 letters. The slowest, names of
#: one letter, took 0.2 s.
_MOST_PAIRS: Final = 300_000
_CLOSE: Final = 0.72  # of SequenceMatcher: `scr` and `src` have .67 by letters, see `_alike`
_CLOSE_NAME: Final = 0.6  # the default of `get_close_matches`
_GLOB = re.compile(r"[*?\[\]{}]")


def near_paths(globs: Sequence[str], paths: Iterable[str], most: int) -> tuple[str, ...]:
    """Up to `most` paths that have folders or names which are spelt much like those of a glob, best
    first; nothing where there are none. Only a few names in the globs count, the last ones of each,
    so that a path of a thousand folders takes no longer."""
    given = [_parts(glob) for glob in globs[:_MOST_GLOBS]]
    last = zip_longest(*(reversed(one) for one in given))  # of each glob, then those before
    parts = tuple(islice(dict.fromkeys(filter(None, chain.from_iterable(last))), _MOST_PARTS))
    known = _bounded(sorted(set(paths)), parts)
    like = {part: _alike(part, known) for part in parts}
    found: dict[str, None] = {}
    for one in given:
        found |= dict.fromkeys(_near([like[part] for part in like if part in one], known, most))
    return tuple(islice(found, most))


def near_names(names: Iterable[str], known: Iterable[str], most: int) -> tuple[str, ...]:
    """Up to `most` of the known names that are spelt much like one of these."""
    among = list(islice(known, _MOST_NAMES))
    close = (
        one
        for name in islice(names, _MOST_GLOBS)
        for _, one in nlargest(most, _ratios(name[:_MOST_CHARS], among))
    )
    return tuple(islice(dict.fromkeys(close), most))


def _ratios(name: str, among: Iterable[str]) -> Iterator[tuple[float, str]]:
    """How much others are spelt like a name, where that is much, as `get_close_matches` finds; no
    more than so many pairs of letters are compared."""
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
    """A name of a glob without what stands for others, empty where that says nothing."""
    kept = _GLOB.sub("", part).strip()
    return kept if len(kept.strip(".")) > 1 else ""


def _near(like: Sequence[dict[str, float]], known: Sequence[str], most: int) -> Iterable[str]:
    """Of each part that names something, what is there under a name like it; a path counts for
    each part that it has, one in its place for more."""
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
    """Names of folders and files that are spelt like a part of a glob, and how much: 2 for the
    same, below 1 for others, also for what fits it."""
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
            if sorted(plain) == sorted(lowered):  # letters that changed places
                found[name] = 0.95
                continue
            close = matcher.real_quick_ratio() > _CLOSE and matcher.quick_ratio() > _CLOSE
            pairs += close * len(plain) * len(lowered)
            if pairs > _MOST_PAIRS:
                break
            if close and (ratio := matcher.ratio()) > _CLOSE:
                found[name] = ratio
    return found
