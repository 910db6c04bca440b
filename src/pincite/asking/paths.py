"""From paths as people type them to paths that count from the root of a source.

An absolute path is placed in the sources whose folder it lies in, or which lie in it. A relative
one counts from the root of a source. Where a caller stands in a folder (only the command line
does), it counts from there if nothing that is indexed fits it from the root; one that begins with
`./` or `../` counts from there first. A path that fits nothing so, and is the name of a source or
begins with it and a slash, is of that source.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Awaitable, Callable, Iterable, Sequence

from pincite.model import Scope, Source
from pincite.scope.paths import of_source, plain_path
from pincite.support.drives import below, has_drive
from pincite.support.fields import replace

#: Does anything that is indexed fit this path?
Known = Callable[[str], Awaitable[bool]]


def is_placed(scope: Scope) -> bool:
    """Does a scope mean the same whatever sources there are?"""
    return not (scope.paths or scope.not_paths)


async def place_paths(
    scope: Scope, sources: Sequence[Source], here: str | None, known: Known
) -> Scope:
    """The scope with paths that count from the root of a source. `here` is the folder that the
    caller stands in, None where that means nothing. A path that lies in no source stays as it is,
    and fits nothing."""

    async def placed(paths: Iterable[str]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for one in paths:
            found |= dict.fromkeys(await _placed(one, sources, here, known))
        return tuple(found)

    return replace(scope, paths=await placed(scope.paths), not_paths=await placed(scope.not_paths))


async def _placed(
    path: str, sources: Sequence[Source], here: str | None, known: Known
) -> tuple[str, ...]:
    if path.startswith("/") or has_drive(path):
        return tuple(of_source(*one) for one in within_sources(path, sources)) or (path,)
    found = await _from_here(path, sources, here, known) if here and path else (path,)
    named = _of_named(path, sources)
    if not named or any([await known(one) for one in found]):
        return found
    return named


async def _from_here(
    path: str, sources: Sequence[Source], here: str, known: Known
) -> tuple[str, ...]:
    from_here = within_sources(posixpath.join(here, path), sources)
    if not from_here or all(plain_path(path) == rest.rstrip("/") for _, rest in from_here):
        return (path,)
    there = tuple(of_source(*one) for one in from_here)
    from_here_first = path.split("/")[0] in (".", "..")
    first, second = (there, (path,)) if from_here_first else ((path,), there)
    for one in first:
        if await known(one):
            return first
    for one in second:
        if await known(one):
            return second
    return first if first is there else (path,)


def _of_named(path: str, sources: Iterable[Source]) -> tuple[str, ...]:
    """What a path means that begins with the name of a source, as results of several show it."""
    found: dict[str, None] = {}
    for one in sources:
        if path.rstrip("/") == one.name:
            found[of_source(one.name, "")] = None
        elif path.startswith(f"{one.name}/"):
            found[of_source(one.name, path[len(one.name) + 1 :])] = None
    return tuple(found)


def within_sources(path: str, sources: Iterable[Source]) -> tuple[tuple[str, str], ...]:
    """Sources and paths in them that an absolute path means, "" for all of a source. Where it lies
    in none, its symlinks are followed, as they were when the source was opened."""
    sources = tuple(sources)
    if has_drive(path):
        return _within_drives(path, [(one.name, one.location) for one in sources])
    known = [(one.name, one.location) for one in sources if one.location.startswith("/")]
    return _within(posixpath.normpath(path), path, known) or _within(_resolved(path), path, known)


def _within(
    place: str, path: str, sources: Iterable[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    end = "/" if path.endswith("/") else ""
    found: dict[tuple[str, str], None] = {}
    for name, location in sources:
        root = location.rstrip("/")
        if place == root or f"{root}/".startswith(f"{place.rstrip('/')}/"):
            found[name, ""] = None
        elif place.startswith(f"{root}/"):
            found[name, place[len(root) + 1 :] + end] = None
    return tuple(found)


def _within_drives(path: str, sources: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """As `_within`, of an absolute path of Windows."""
    end = "/" if path.endswith(("/", "\\")) else ""
    found: dict[tuple[str, str], None] = {}
    for name, location in sources:
        if not has_drive(location):
            continue
        if below(location, path) is not None:
            found[name, ""] = None
        elif (rest := below(path, location)) is not None:
            found[name, rest + end] = None
    return tuple(found)


def _resolved(path: str) -> str:
    """The path without symlinks, as far as it is there."""
    try:
        return os.path.realpath(path)  # a pattern is not there, and stays
    except (OSError, ValueError):
        return posixpath.normpath(path)
