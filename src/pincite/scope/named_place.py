"""Compare documents with a file, a folder or a pattern that a question names."""

from __future__ import annotations

from typing import Final

from pincite.questions.frames import fit_of
from pincite.scope.paths import is_pattern, path_test

_MOST_FOLDERS: Final = 64  # of a path that are compared; a bound for hostile paths


class NamedPlace:
    """A place that a question names, a path with slashes. The end of a path of the index may fit
    it, by the rules of frames (`fit_of`), or all of it as a pattern (`path_test`). It may also be
    a whole source."""

    def __init__(self, place: str) -> None:
        self._ours = place.split("/")
        self._folders = frozenset(self._ours)
        self._matches = path_test((place,)) if is_pattern(place) else None
        self._sources: dict[str, bool] = {}

    def parts(self, path: str, source: str) -> int:
        """Return how many last parts of the place a file or a folder around it has: all if its
        source is the place, 1 if it matches the pattern, 0 if it is not in the place."""
        if self._is_source(source):
            return len(self._ours)
        last = self._ours[-1]
        most = 0
        if last and f"/{last}/" in f"/{path}/":
            theirs, root = path.split("/", _MOST_FOLDERS), source.split("/")
            for end, part in enumerate(theirs, start=1):
                if part == last and (fit := fit_of(self._ours, theirs[:end], root)):
                    most = max(most, fit.parts)
                    if most == len(self._ours):
                        break
        return most or int(self._is_matched(path, source))

    def _is_matched(self, path: str, source: str) -> bool:
        """Return whether the file matches the pattern, also behind the name of its source."""
        if self._matches is None:
            return False
        folder = source.rpartition("/")[2]
        return self._matches(source, path) or self._matches(source, f"{folder}/{path}")

    def _is_source(self, source: str) -> bool:
        if source not in self._sources:
            self._sources[source] = fit_of(self._ours, source.split("/"), ("",)) is not None
        return self._sources[source]

    def has_part(self, path: str) -> bool:
        """Return whether a folder around the file has the name of a part of the place."""
        return not self._folders.isdisjoint(path.split("/", _MOST_FOLDERS)[:-1])
