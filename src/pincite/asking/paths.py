"""Translate paths as callers type them to paths that count from the root of a source.

An absolute path belongs to each source whose folder contains it, or is contained in it. A relative
path counts from the root of any source. If the caller has a current folder (only the command line
has one), a path that matches nothing from a root counts from that folder. A path that begins with
`./` or `../` counts from that folder first, then from the root of the sources that the folder is
in, or of any if it is in none. If a path still matches nothing, and is the name of a source or
begins with one and a slash, it is a path in that source. A path that matches nothing anywhere has
all of these meanings: a document whose chunks alone know whether it may be read may match one.

Several collections may have a source of the same name. What counts from a folder is therefore
bound to its collection as well.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Awaitable, Callable, Iterable, Sequence

from pincite.model import PlacedPath, Scope, Source
from pincite.scope.paths import as_name, is_pattern, of_source, plain_path, valid_pattern
from pincite.support.drives import below, has_drive
from pincite.support.fields import replace
from pincite.support.valid_text import valid_text

#: Returns whether any indexed document matches this path or pattern.
Known = Callable[[PlacedPath], Awaitable[bool]]
#: Collections (names for users) and the sources in them.
Held = Sequence[tuple[str, Source]]
_Places = tuple[PlacedPath, ...]
_ANY_NAME = "?"


def is_placed(scope: Scope) -> bool:
    """Return whether the meaning of a scope does not depend on the sources: it has no paths, or
    they have been placed."""
    return not (scope.paths or scope.not_paths) or scope.placed is not None


def unplaced(scope: Scope) -> Scope:
    """Return the scope with paths that count from the roots of sources only."""
    paths, without = (tuple(map(valid_pattern, one)) for one in (scope.paths, scope.not_paths))
    return replace(scope, paths=paths, not_paths=without)


class Placing:
    """Places the paths of a caller in `sources`. `here` is the caller's current folder, None if
    relative paths do not count from it. If the caller may read only some of the sources, `readable`
    returns these. It is called with the first path that may depend on them."""

    def __init__(
        self,
        sources: Held,
        here: str | None,
        known: Known,
        readable: Callable[[], Awaitable[Held]] | None = None,
    ) -> None:
        self._collections = _grouped(sources)
        self._here = here
        self._known = known
        self._readable = readable

    async def scope(self, scope: Scope) -> Scope:
        """Return the scope with what its paths mean, and with the paths as messages may show them:
        with `?` for what is no valid text. `readable` is called for any path, so that the
        time does not tell which sources there are. Raises UsageError as `path`."""
        await self._narrow()
        placed = [one for path in scope.paths for one in await self.path(path)]
        without = [one for path in scope.not_paths for one in await self.path(path)]
        return replace(
            scope,
            placed=tuple(dict.fromkeys(placed)),
            not_placed=tuple(dict.fromkeys(without)),
            paths=tuple(map(valid_text, scope.paths)),
            not_paths=tuple(map(valid_text, scope.not_paths)),
        )

    async def path(self, path: str) -> _Places:
        """Return what a path or pattern means. An absolute path outside of all sources means no
        place, nor does a folder (`.`) outside of them. Raises UsageError for a path that is too
        long."""
        path = valid_pattern(path)
        meanings = await self._meanings(path)
        if self._readable is not None and meanings != [(PlacedPath(path),)]:
            await self._narrow()
            meanings = await self._meanings(path)
        for places in meanings if len(meanings) > 1 else ():
            if any([await self._known(one) for one in places]):
                return places
        return tuple(dict.fromkeys(one for places in meanings for one in places))

    async def _narrow(self) -> None:
        if self._readable is not None:
            self._collections, self._readable = _grouped(await self._readable()), None

    async def _meanings(self, path: str) -> list[_Places]:
        """Return the meanings of a path in these sources, the most likely first."""
        if path.startswith("/") or has_drive(path):
            return [self._within(within_sources(path, self._collections))]
        return [one for one in await self._of_relative(path) if one]

    async def _of_relative(self, path: str) -> tuple[_Places, ...]:
        root, named = (PlacedPath(path),), self._of_named(path)
        if not (self._here and path):
            return root, named
        from_here = within_sources(posixpath.join(self._here, path), self._collections)
        there = await self._patterns_here(path, self._here) or self._within(from_here)
        if not plain_path(path):  # the folder itself, which may have no documents
            return (there,)
        if path.split("/")[0] not in (".", ".."):
            return root, there, named
        around = sources_around(self._here, self._collections)
        roots = self._within((one, path.removeprefix("./")) for one in around) or root
        return there, roots, named

    async def _patterns_here(self, path: str, here: str) -> _Places:
        """Return the patterns for a path that counts from a folder whose name looks like a pattern,
        () for other folders. Only the characters of the caller match others. If the caller's path
        is the name of a document, as a shell expands it, its pattern is among them."""
        if not is_pattern(here):
            return ()
        named = [(one, as_name(one.location)) for one in self._collections]
        for folder in dict.fromkeys((here, _resolved(here))):
            if found := _within(posixpath.join(as_name(folder), path), named):
                full = within_sources(posixpath.join(folder, path), self._collections)
                names = self._within((source, as_name(rest)) for source, rest in full)
                exact = [one for one in names if await self._known(one)]
                return tuple(dict.fromkeys((*self._within(found), *exact)))
        return ()

    def _within(self, found: Iterable[tuple[Source, str]]) -> _Places:
        return tuple(
            PlacedPath(of_source(source.name, rest), collection)
            for source, rest in found
            for collection in self._collections[source]
        )

    def _of_named(self, path: str) -> _Places:
        """Return the patterns for a path that begins with the name of a source, as results of
        several sources show it."""
        found: dict[str, None] = {}
        for one in self._collections:
            if path.rstrip("/") == one.name:
                found[of_source(one.name, "")] = None
            elif path.startswith(f"{one.name}/"):
                found[of_source(one.name, path[len(one.name) + 1 :])] = None
        return tuple(map(PlacedPath, found))


def _grouped(sources: Held) -> dict[Source, dict[str, None]]:
    """Return the collections of each source."""
    found: dict[Source, dict[str, None]] = {}
    for collection, source in sources:
        found.setdefault(source, {})[collection] = None
    return found


def within_sources(path: str, sources: Iterable[Source]) -> tuple[tuple[Source, str], ...]:
    """Return the sources that an absolute path belongs to, each with the path in it, "" for the
    whole source. If the path is in no source, its symlinks are resolved first, as they were when
    the source was opened."""
    return _within(path, [(one, one.location) for one in sources])


def sources_around(here: str, sources: Iterable[Source]) -> tuple[Source, ...]:
    """Return the sources that contain a folder, or have it as their root."""
    found = within_sources(posixpath.join(here, _ANY_NAME), sources)
    return tuple(source for source, rest in found if rest)


def _within(path: str, located: Iterable[tuple[Source, str]]) -> tuple[tuple[Source, str], ...]:
    """Return the same as `within_sources`, with a location for each source."""
    if has_drive(path):
        return _within_drives(path, [(one, root) for one, root in located if has_drive(root)])
    known = [(one, root) for one, root in located if root.startswith("/")]
    return _below(posixpath.normpath(path), path, known) or _below(_resolved(path), path, known)


def _below(
    place: str, path: str, located: Iterable[tuple[Source, str]]
) -> tuple[tuple[Source, str], ...]:
    end = "/" if path.endswith("/") else ""
    found: dict[tuple[Source, str], None] = {}
    for source, location in located:
        root = location.rstrip("/")
        if place == root or f"{root}/".startswith(f"{place.rstrip('/')}/"):
            found[source, ""] = None
        elif place.startswith(f"{root}/"):
            found[source, place[len(root) + 1 :] + end] = None
    return tuple(found)


def _within_drives(
    path: str, located: Iterable[tuple[Source, str]]
) -> tuple[tuple[Source, str], ...]:
    """Return the same as `_below` for an absolute path of Windows."""
    end = "/" if path.endswith(("/", "\\")) else ""
    found: dict[tuple[Source, str], None] = {}
    for source, location in located:
        if below(location, path) is not None:
            found[source, ""] = None
        elif (rest := below(path, location)) is not None:
            found[source, rest + end] = None
    return tuple(found)


def _resolved(path: str) -> str:
    """Return the path with symlinks resolved as far as it exists."""
    try:
        return os.path.realpath(path)  # a pattern does not exist, so it is unchanged
    except (OSError, ValueError):
        return posixpath.normpath(path)
