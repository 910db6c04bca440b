"""Remember which revisions replaced others recently."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeGuard

from pincite.ports import AnyOf, Condition, SearchRequest
from pincite.support.fields import replace

#: Seconds: three times the default time limit of a search for one collection.
KEPT_S: Final = 30.0


class Successors:
    """The revisions that were replaced in the last `KEPT_S` seconds. A search within a scope first
    reads the revisions in it, then searches these. If a document is replaced in between, or is in
    the catalog but not yet published, the other revision of the same path counts as well. Otherwise
    both the old and the new version of the document would be missing."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._known: deque[tuple[float, str, str, str]] = deque()

    def add(self, collection: str, old: str | None, new: str) -> None:
        """Note that `new` is about to replace `old`."""
        self._forget()
        if old is not None and old != new:
            self._known.append((self._clock_s(), collection, old, new))

    def before(self, collection: str, revision: str) -> tuple[str, ...]:
        """Return the revisions that this one has replaced or is about to replace."""
        self._forget()
        found = [old for _, name, old, new in self._known if (name, new) == (collection, revision)]
        return tuple(dict.fromkeys(found))

    def into(self, collection: str, request: SearchRequest) -> SearchRequest:
        """Return the request, extended by the replacements of its revisions."""
        must = request.filter.must
        if not self._known or not any(map(_names_revisions, must)):
            return request
        self._forget()
        pairs = [(old, new) for _, name, old, new in self._known if name == collection]
        if not pairs:
            return request
        widened = tuple(_with(one, pairs) if _names_revisions(one) else one for one in must)
        return replace(request, filter=replace(request.filter, must=widened))

    def _forget(self) -> None:
        while self._known and self._known[0][0] < self._clock_s() - KEPT_S:
            self._known.popleft()


def _names_revisions(condition: Condition) -> TypeGuard[AnyOf]:
    return isinstance(condition, AnyOf) and condition.field == "revision"


def _with(condition: AnyOf, pairs: Sequence[tuple[str, str]]) -> AnyOf:
    asked = set(condition.values)
    for old, new in pairs:
        if old in asked:
            asked.add(new)
    for old, new in reversed(pairs):
        if new in asked:
            asked.add(old)
    return AnyOf("revision", tuple(sorted(asked)))
