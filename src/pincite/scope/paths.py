"""Match documents against paths and patterns.

A pattern that matches a folder matches everything below it, so `httpx`, `httpx/` and `./httpx` are
the folder, and `README.md` is the file. `*` and `**` match any characters, including slashes, `?`
matches one character, `[ab]` one of these characters, and `{ts,tsx}` one of these texts. `**/` may
also match no folder at all. A path whose name contains these characters matches itself. A prefix
`NAME:` restricts a pattern to the source of that name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from math import prod
from typing import TypeAlias
from urllib.parse import quote, unquote

from pincite.errors import UsageError

PathTest: TypeAlias = Callable[[str, str], bool]
#: The longest path that Linux opens.
MOST_CHARS = 4_096
_SIGNS = re.compile(r"[*?\[{]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DOTS = re.compile(r"(?:^|/)\.(?=/|\Z)")
_SLASHES = re.compile(r"/{2,}")
#: Comparisons with all documents that cost as much as to sort them: 0.6 s of 0.07 s each, measured
#: with 100,000 documents.
_MOST_SCANS = 8
_STARS = re.compile(r"\*+")
_MOST_STARS = 2
_MOST_CHOSEN = 8  # combinations of texts; guess: more than the suffixes of one language
_CLASS = re.compile(r"\[(?P<no>!?)(?P<set>\]?[^\]/]*)\]")
_CHOICE = re.compile(r"\{(?P<texts>[^{}/,]*+(?>(?:,[^{}/,]*+)+))\}")


@lru_cache(maxsize=64)
def path_test(patterns: tuple[str, ...]) -> PathTest:
    """Return a function that tells whether a document, by its source and path, matches one of the
    patterns. Patterns that are no valid text are read as `valid_pattern` of them. Raises UsageError
    for patterns that are too long."""
    patterns = tuple(map(valid_pattern, patterns))
    of_all = _union(patterns)
    of_source: dict[str, list[str]] = {}
    for one in patterns:
        name, colon, rest = one.partition(":")
        if colon and name and rest:
            of_source.setdefault(unquote(name), []).append(rest)
    named = {name: _union(several) for name, several in of_source.items()}

    def fits(source: str, path: str) -> bool:
        if of_all(path):
            return True
        ours = named.get(source)
        return ours is not None and ours(path)

    return fits


def valid_pattern(path: str) -> str:
    """Return the path or pattern as valid text. A lone surrogate becomes `[?]`: `?` is what the
    index has in its place, and as a pattern it would match any character."""
    return _SURROGATE.sub("[?]", path)


class ListedPaths:
    """The sources and paths of some documents. `path in listed` tells whether a path or pattern
    matches one of them, as `path_test` does. For patterns, and for the first names, all documents
    are compared; after that, the names of files and folders are looked up. Raises UsageError for a
    path that is too long."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._documents = tuple(documents)
        self._asked = 0

    def __contains__(self, path: str) -> bool:
        path = valid_pattern(path)
        self._asked += 1
        if self._asked > _MOST_SCANS:
            name, _, rest = path.partition(":")
            if self._has(None, path) or self._has(unquote(name), rest):
                return True
            if not (is_pattern(path) or "\\" in path or len(path) > MOST_CHARS):
                return False
        fits = path_test((path,))
        return any(fits(*one) for one in self._documents)

    def _has(self, source: str | None, name: str) -> bool:
        """Return whether a document of the source, or of any for None, has this name, or is in a
        folder of this name."""
        paths, plain = self._sorted.get(source, []), plain_path(name)
        if not plain:
            return bool(name and paths)
        folder = f"{plain}/"
        return (_next(paths, plain) == plain and not name.endswith(("/", "/."))) or _next(
            paths, folder
        ).startswith(folder)

    @cached_property
    def _sorted(self) -> dict[str | None, list[str]]:
        """The sorted paths of each source, and those of all for None."""
        held: dict[str | None, list[str]] = {None: []}
        for source, path in self._documents:
            held.setdefault(source, []).append(path)
            held[None].append(path)
        return {source: sorted(paths) for source, paths in held.items()}


def _next(paths: list[str], name: str) -> str:
    at = bisect_left(paths, name)
    return paths[at] if at < len(paths) else ""


def is_pattern(path: str) -> bool:
    """Return whether the path has characters that match others. It may still be a name."""
    return _SIGNS.search(path) is not None


def as_name(path: str) -> str:
    """Return the pattern that matches this path only, and what is below it."""
    return _SIGNS.sub(lambda sign: f"[{sign[0]}]", path)


def of_source(name: str, path: str) -> str:
    """Return the pattern for a path in this source only, or for the whole source if the path is
    ""."""
    return f"{quote(name, safe='/@ ')}:{path or './'}"


def plain_path(path: str) -> str:
    """Return a path without `.` parts, repeated slashes, and slashes at either end."""
    return _SLASHES.sub("/", _DOTS.sub("", path)).strip("/")


def _union(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return one test for all patterns, so that each path is scanned once, however many there
    are."""
    import re2  # linear in any pattern

    given = [form for one in patterns for form in _forms(one)]
    if any(len(one) > MOST_CHARS for one in given):
        raise UsageError(f"a path is longer than the limit of {MOST_CHARS:,} characters")
    if given and all(_is_quick(one) for one in given):
        quick = re.compile("|".join(map(_expression, given)), re.DOTALL)
        return lambda path: quick.fullmatch(path) is not None
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    try:
        compiled = re2.compile("|".join(map(_expression, given)) or r"[^\x{0}-\x{10ffff}]", options)
    except re2.error as error:
        raise UsageError(
            f"the paths exceed a limit ({len(given):,} patterns, {sum(map(len, given)):,}"
            " characters)",
            hint="name folders instead of files",
        ) from error
    return lambda path: compiled.fullmatch(path) is not None


def _is_quick(pattern: str) -> bool:
    """Return whether the standard library can match the pattern without much backtracking. Its
    calls cost a tenth of those of re2, but it tries all combinations of choices."""
    chosen = prod(texts.count(",") + 1 for texts in _CHOICE.findall(pattern))
    stars = len(_STARS.findall(pattern))
    return "[" not in pattern and stars <= _MOST_STARS and chosen <= _MOST_CHOSEN


def _forms(pattern: str) -> tuple[str, ...]:
    """Return the pattern, and a second form with its backslashes as slashes, as on Windows."""
    if "\\" not in pattern:
        return (pattern,) if pattern else ()
    return pattern, pattern.replace("\\", "/")


def _expression(pattern: str) -> str:
    import re2

    plain = plain_path(pattern)
    if not plain:
        return ".*"
    below = "/.*" if pattern.endswith(("/", "/.")) else "(?:/.*)?"
    parts = {re2.escape(plain): None, _translated(plain): None}
    return f"(?:{'|'.join(parts)}){below}"


def _translated(glob: str) -> str:
    import re2

    found: list[str] = []
    at = 0
    while at < len(glob):
        sign = glob[at]
        if sign == "*":
            end = at
            while glob[end : end + 1] == "*":
                end += 1
            folders = end - at > 1 and glob[end : end + 1] == "/" and glob[at - 1 : at] in ("", "/")
            found.append("(?:.*/)?" if folders else ".*")
            at = end + folders
        elif sign == "[" and (match := _class_at(glob, at)) is not None:
            found.append(f"[{'^' if match['no'] else ''}{_class(match['set'])}]")
            at = match.end()
        elif sign == "{" and (match := _CHOICE.match(glob, at)):
            found.append(f"(?:{'|'.join(map(_translated, match['texts'].split(',')))})")
            at = match.end()
        else:
            found.append("." if sign == "?" else re2.escape(sign))
            at += 1
    return "".join(found)


def _class_at(glob: str, at: int) -> re.Match[str] | None:
    end = glob.find("/", at)
    if glob.find("]", at, end if end >= 0 else None) < 0:  # linear time for many unclosed brackets
        return None
    match = _CLASS.match(glob, at)
    return match if match and _is_class(match["set"]) else None


def _is_class(characters: str) -> bool:
    """Return whether these characters form a valid class. If a range runs backwards, the bracket is
    an ordinary character of a name."""
    ranges = re.findall(r"(.)-(.)", characters, re.DOTALL)
    return bool(characters) and all(first <= last for first, last in ranges)


def _class(characters: str) -> str:
    return re.sub(r"([\\\[\]^&~|])", r"\\\1", characters)
