"""Find the passages at the places of files that a question names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import msgspec

from pincite.model import Candidate
from pincite.model.places import FileKey, FrameFiles
from pincite.questions.frames import MOST_FILES, Fit, Frame

Key: TypeAlias = tuple[str, str]  # collection and id of a passage


class Place(msgspec.Struct, frozen=True):
    """A place that a question names. `files` are those whose paths `fit` it best, at most five of a
    collection, and `count` is their number; none if no searched file fits. `passages` have the
    line; those of files without such a passage are `beside` it, if there are any. There are no
    passages if more than four files fit, which tells nothing."""

    frame: Frame
    fit: Fit | None = None
    files: frozenset[FileKey] = frozenset()
    count: int = 0
    passages: tuple[Key, ...] = ()
    beside: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether its passages are those of the only file that is meant. A path with folders has to
        have more in common with it than the name of the file."""
        if self.fit is None or self.count != 1 or self.beside or not self.passages:
            return False
        return self.fit.parts > 1 or "/" not in self.frame.path


class Placed(msgspec.Struct, frozen=True):
    """The places that a question names, the one that failed first, and the `order` of the passages
    at them: the number of the first place of each."""

    places: tuple[Place, ...] = ()
    order: Mapping[Key, int] = msgspec.field(default_factory=lambda: MappingProxyType({}))

    def of(self, one: Candidate) -> Place | None:
        """Return the first place that this candidate is at, None if it is at none."""
        number = self.order.get(one.key)
        return None if number is None else self.places[number]


def find_placed(
    frames: Sequence[Frame], known: Sequence[FrameFiles], candidates: Sequence[Candidate]
) -> Placed:
    """Return the places of these frames. The files of each are those `known` to fit it best in a
    collection, and those of the candidates that fit it. Of all of them, only those that fit best
    count, also if they do not have the line and others do."""
    places = tuple(_place(one, known, candidates) for one in frames)
    order: dict[Key, int] = {}
    for number, place in enumerate(places):
        for key in place.passages:
            order.setdefault(key, number)
    return Placed(places, order)


def _place(frame: Frame, known: Sequence[FrameFiles], candidates: Sequence[Candidate]) -> Place:
    name = frame.name
    files = [one for one in known if one.frame == frame]
    here = [
        (fit, one)
        for one in candidates
        if one.chunk.start_line <= frame.line <= one.chunk.end_line
        and one.chunk.path.endswith(name)
        and (fit := frame.fit(one.chunk.path, one.chunk.repo))
    ]
    best = max((*(one.fit for one in files), *(fit for fit, _ in here)), default=None)
    if best is None:
        return Place(frame)
    files = [one for one in files if one.fit == best]
    held = [one for fit, one in here if fit == best]
    named = frozenset(FileKey(of.repo, of.path, of.ref) for of in (one.chunk for one in held))
    named = named.union(*(one.files for one in files))
    count = max(len(named), *(one.count for one in files), 0)
    if count > MOST_FILES:
        return Place(frame, best, named, count)
    if held:
        return Place(frame, best, named, count, tuple(one.key for one in held))
    near = {(one.collection, id_) for one in files for id_ in one.beside}
    beside = tuple(one.key for one in candidates if one.key in near)
    return Place(frame, best, named, count, beside, beside=bool(beside))
