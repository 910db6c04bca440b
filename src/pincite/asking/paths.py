"""Translate paths as callers type them to paths that count from the root of a source.

An absolute path belongs to each source whose folder contains it, or is contained in it. A relative
path counts from the root of a source. If the caller has a current folder (only the command line has
one), a path that matches nothing from a root counts from that folder; a path that begins with `./`
or `../` counts from that folder first. If a path still matches nothing, and is the name of a source
or begins with one and a slash, it is a path in that source. A path that matches nothing anywhere
stays as the caller typed it, so that messages show it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Awaitable, Callable, Iterable, Sequence

from pincite.model import Scope, Source
from pincite.scope.paths import as_name, is_pattern, of_source, plain_path
from pincite.support.drives import below, has_drive
from pincite.support.fields import replace

#: Returns whether any indexed document matches this path or pattern.
Known = Callable[[str], Awaitable[bool]]


def is_placed(scope: Scope) -> bool:
    """Return whether a scope has no paths, so that its meaning does not depend on the sources."""
    return not (scope.paths or scope.not_paths)


async def place_paths(
    scope: Scope, sources: Sequence[Source], here: str | None, known: Known
) -> Scope:
    """Return the scope with paths that count from the root of a source. `here` is the caller's
    current folder, None if relative paths do not count from it. An absolute path outside of all
    sources is unchanged, and matches nothing."""

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
    return named if any([await known(one) for one in named]) else found


async def _from_here(
    path: str, sources: Sequence[Source], here: str, known: Known
) -> tuple[str, ...]:
    from_here = within_sources(posixpath.join(here, path), sources)
    if not from_here or all(plain_path(path) == rest.rstrip("/") for _, rest in from_here):
        return (path,)
    there = await _patterns_here(path, sources, here, known)
    there = there or tuple(of_source(*one) for one in from_here)
    from_here_first = path.split("/")[0] in (".", "..")
    first, second = (there, (path,)) if from_here_first else ((path,), there)
    for one in first:
        if await known(one):
            return first
    for one in second:
        if await known(one):
            return second
    return first if first is there else (path,)


async def _patterns_here(
    path: str, sources: Sequence[Source], here: str, known: Known
) -> tuple[str, ...]:
    """Return the patterns for a pattern that counts from a folder whose name looks like a pattern,
    too, () for other paths. Only the characters of the caller match others. If the caller's path is
    the name of a document, as a shell expands it, its pattern is among them."""
    if not (is_pattern(path) and is_pattern(here)):
        return ()
    named = [replace(one, location=as_name(one.location)) for one in sources]
    for folder in dict.fromkeys((here, _resolved(here))):
        if found := within_sources(posixpath.join(as_name(folder), path), named):
            full = within_sources(posixpath.join(folder, path), sources)
            names = [of_source(name, as_name(rest)) for name, rest in full]
            exact = [one for one in names if await known(one)]
            return tuple(dict.fromkeys((*(of_source(*one) for one in found), *exact)))
    return ()


def _of_named(path: str, sources: Iterable[Source]) -> tuple[str, ...]:
    """Return the patterns for a path that begins with the name of a source, as results of several
    sources show it."""
    found: dict[str, None] = {}
    for one in sources:
        if path.rstrip("/") == one.name:
            found[of_source(one.name, "")] = None
        elif path.startswith(f"{one.name}/"):
            found[of_source(one.name, path[len(one.name) + 1 :])] = None
    return tuple(found)


def within_sources(path: str, sources: Iterable[Source]) -> tuple[tuple[str, str], ...]:
    """Return the sources that an absolute path belongs to, each with the path in it, "" for the
    whole source. If the path is in no source, its symlinks are resolved first, as they were when
    the source was opened."""
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
    """Return the same as `_within` for an absolute path of Windows."""
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
    """Return the path with symlinks resolved as far as it exists."""
    try:
        return os.path.realpath(path)  # a pattern does not exist, so it is unchanged
    except (OSError, ValueError):
        return posixpath.normpath(path)
