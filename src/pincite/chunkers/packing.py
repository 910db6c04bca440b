"""Turn pieces into sections: attach dependent pieces, split long ones, and merge small ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pincite.chunkers.context import context_cost
from pincite.chunkers.limits import limited
from pincite.chunkers.pieces import Group, Path, Piece, below, common_path, related
from pincite.chunkers.splitting import split_lines, split_span
from pincite.model import Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pincite.chunkers.config import ChunkerConfig
    from pincite.chunkers.lines import Lines
    from pincite.model import Document

_TINY_SHARE = 0.25  # of the target; smaller groups are merged with others  # guess, unmeasured

#: Whether the first group may absorb the second, which follows it.
Joins = Callable[[Group, Group], bool]


class Packer:
    """Packs the pieces of one document. All costs are estimated word pieces."""

    def __init__(self, document: Document, lines: Lines, config: ChunkerConfig) -> None:
        self._lines = lines
        self._config = config
        self._title = document.title
        self._document_path = document.path
        self._tiny = config.target_tokens * _TINY_SHARE
        self._rooms: dict[Path, float] = {}

    def room(self, path: Path) -> float:
        """Return the budget for the text of a section, after the context line with this heading
        path; at least 16."""
        known = self._rooms.get(path)
        if known is None:
            paid = context_cost(self._title, path, self._document_path)
            known = float(max(self._config.max_tokens - paid, 16))
            self._rooms[path] = known
        return known

    def target(self, path: Path) -> float:
        """Return the size up to which small neighbours are merged."""
        return min(self._config.target_tokens, self.room(path))

    def pack(self, pieces: Iterable[Piece]) -> Iterator[Section]:
        """Yield sections in order. `pieces` are in order, and omit only blank lines. Raises
        SourceError if there are too many (`limits`)."""
        merged = self._join(self._marked(self._split(self._glue(pieces))), self._small)
        groups = self._join(merged, self._left_over)
        yield from limited(section for group in groups for section in self._cut(group))

    def _glue(self, pieces: Iterable[Piece]) -> Iterator[Group]:
        waiting: Group | None = None  # ends with a `forward` piece
        done: Group | None = None  # may still take a `backward` piece
        for piece in pieces:
            first, last = self._lines.trim(piece.first, piece.last)
            if first == last:
                continue
            cost = self._lines.cost(first, last)
            if done is not None and self._needs(done, piece, cost):
                waiting, done = done, None
            if waiting is not None:
                within = below(piece.path, waiting.path)
                if within or waiting.cost + cost <= self.target(piece.path):
                    waiting.head = first - waiting.first
                    waiting.last, waiting.cost = last, waiting.cost + cost
                    waiting.path = piece.path if within else common_path(waiting.path, piece.path)
                    waiting.definition = waiting.definition or piece.definition
                    waiting.note = waiting.note or piece.note
                    if piece.heads:
                        waiting.heading = first
                    if not piece.forward:
                        done, waiting = waiting, None
                    continue
                yield waiting
                waiting = None
            group = Group(first, last, piece.path, piece.definition, cost, piece.note)
            if piece.heads:
                group.heading = first
            if piece.backward and done is not None and done.cost + cost <= self.room(done.path):
                done.last, done.cost = last, done.cost + cost
                if piece.forward:
                    waiting, done = done, None
                continue
            if done is not None:
                yield done
                done = None
            if piece.forward:
                waiting = group
            else:
                done = group
        for left in (done, waiting):
            if left is not None:
                yield left

    def _needs(self, head: Group, piece: Piece, cost: float) -> bool:
        """Return whether the group is a heading with little below it, and the piece is the next one
        of its section, or a subsection that fits into the room with it."""
        if not self._is_bare(head) or not below(piece.path, head.path):
            return False
        if not piece.heads:
            return True
        return len(piece.path) > len(head.path) and head.cost + cost <= self.room(piece.path)

    def _is_bare(self, group: Group) -> bool:
        """Return whether the group ends with a heading that has little or nothing below it."""
        if group.heading < 0:
            return False
        return self._lines.cost(group.heading, group.last) < self._tiny

    def _marked(self, groups: Iterable[Group]) -> Iterator[Group]:
        """Yield the groups, with `goes_on`. A section goes on in its next part, which has no
        heading, and if its own heading is bare, in its first subsection."""
        last: Group | None = None
        for group in groups:
            if last is not None:
                deeper = len(group.path) > len(last.path) and below(group.path, last.path)
                last.goes_on = group.heading < 0 or (deeper and self._is_bare(last))
                yield last
            last = group
        if last is not None:
            yield last

    def _split(self, groups: Iterable[Group]) -> Iterator[Group]:
        for group in groups:
            room = self.room(group.path)
            if group.cost <= room:
                yield group
                continue
            path = group.path
            later = (*path, group.note) if group.note else path
            room = min(room, self.room(later))
            target = min(self.target(path), room)
            for first, last in split_lines(
                self._lines, group.first, group.last, target=target, limit=room, head=group.head
            ):
                trimmed = self._lines.trim(first, last)
                if trimmed[0] < trimmed[1]:
                    cost = self._lines.cost(*trimmed)
                    head = group.head if first == group.first else 0
                    part = Group(*trimmed, path, False, cost, head=head)
                    if first <= group.heading < last:
                        part.heading = group.heading
                    yield part
                path = later

    def _join(self, groups: Iterable[Group], joins: Joins) -> Iterator[Group]:
        """Merge greedily from the front: each group absorbs the following ones while it `joins`
        them."""
        current: Group | None = None
        for group in groups:
            if current is None:
                current = group
            elif joins(current, group):
                _absorb(current, group, self._tiny)
            else:
                yield current
                current = group
        if current is not None:
            yield current

    def _small(self, a: Group, b: Group) -> bool:
        """Return whether neighbours with related paths fit into the target together. Definitions
        above `solo_tokens` stay separate."""
        if _cuts_off(a, b) or not related(a.path, b.path) or a.cost + b.cost > self.target(a.path):
            return False
        solo = self._config.solo_tokens
        if a.definition != b.definition:
            return min(a.cost, b.cost) < self._tiny
        return not (a.definition and max(a.cost, b.cost) >= solo)

    def _left_over(self, a: Group, b: Group) -> bool:
        """Return whether one of the groups is tiny, their paths are akin, and both fit into the
        room."""
        cost = a.cost + b.cost
        if min(a.cost, b.cost) >= self._tiny or cost > self.room(a.path) or _cuts_off(a, b):
            return False
        if b.heading >= 0:  # the merged path may leave less room; `_cut` would divide the section
            shared = common_path(a.path, b.path)
            if cost > min(self.room(b.path), self.room(shared)):
                return False
        return _akin(a.path, b.path)

    def _cut(self, group: Group) -> Iterator[Section]:
        """Yield the sections of a group. A group that is too long, because merging has lengthened
        its path, is cut between lines, and a line that is too long is cut inside."""
        lines = self._lines
        room, target = self.room(group.path), self.target(group.path)
        for first, last in split_lines(
            lines, group.first, group.last, target=target, limit=room, head=group.head
        ):
            first, last = lines.trim(first, last)
            if first == last:
                continue
            start, end = lines.starts[first], lines.end_of(last - 1)
            if lines.cost(first, last) <= room:
                yield Section(start, end, group.path)
                continue
            for span in split_span(lines, start, end, limit=min(room, target)):
                yield Section(*span, group.path)


def _cuts_off(a: Group, b: Group) -> bool:
    """Return whether the second group is the beginning of a section which goes on after it, and the
    first is no text of its ancestors. Together, they would end with a heading without its text."""
    if b.heading < 0 or not b.goes_on:
        return False
    return a.mixed or len(a.path) >= len(b.path) or not below(b.path, a.path)


def _akin(a: Path, b: Path) -> bool:
    """Return whether two paths are siblings, or one is an ancestor of the other."""
    return related(a, b) or len(common_path(a, b)) == min(len(a), len(b))


def _absorb(into: Group, group: Group, tiny: float) -> None:
    """Merge a group into the one before it. If one of them is tiny and its path contains the
    other's (imports, front matter), the result has the longer path, else the common one."""
    shared = common_path(into.path, group.path)
    if shared == into.path and into.cost < tiny and not into.mixed:
        shared = group.path
    elif shared == group.path and group.cost < tiny and not group.mixed:
        shared = into.path
    into.mixed = into.mixed or group.mixed or len(shared) < min(len(into.path), len(group.path))
    into.path = shared
    into.heading, into.goes_on = max(into.heading, group.heading), group.goes_on
    into.cost += group.cost
    into.last = group.last
    into.definition = into.definition and group.definition
