"""The state of each source in the daemon: differences, errors, watched folders, results of runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from pincite.daemon.refresh.freshness import (
    GAVE_WAY,
    REMEMBERED,
    WORDS,
    Change,
    Freshness,
    Pending,
    SourceReport,
    Trouble,
)
from pincite.daemon.refresh.glance import UNREAD, Differing, changes_in
from pincite.daemon.refresh.known_sources import Key
from pincite.daemon.refresh.state import read_kept
from pincite.support.local_time import local_now

_LEFT: Final = 10_000  # known differences that are remembered for a source


class SourceStates:
    """The states of the sources of the index in `root`, by collection and source."""

    def __init__(self, root: Path) -> None:
        self.kept = read_kept(root)
        self.pending: dict[Key, int] = {}  # files that differ
        self.troubles: dict[Key, str] = {}
        self.folders: dict[Key, tuple[str, ...]] = {}  # to be watched
        self.shows: dict[Key, frozenset[str]] = {}  # pages that show other files
        self.changes: deque[Change] = deque(maxlen=REMEMBERED)
        self._told: dict[Key, frozenset[Differing]] = {}  # the differences of the last look
        self._tried: dict[Key, frozenset[Differing]] = {}  # those that another run cannot index
        self._number = 0  # of the last change
        self.generation = 0  # of `pending`: counts that began in an older one are dropped

    def freshness(
        self, *, auto: bool, indexing: bool, watching: str, wanted: int, done: int
    ) -> Freshness:
        """Return these states, with the given ones of the daemon."""
        return Freshness(
            auto=auto,
            checked_at=self.kept.checked_at,
            changed_at=self.kept.changed_at,
            indexing=indexing,
            pending=tuple(Pending(*key, files) for key, files in sorted(self.pending.items())),
            troubles=tuple(Trouble(*key, why) for key, why in sorted(self.troubles.items())),
            watching=watching,
            wanted=wanted,
            done=done,
            changes=tuple(self.changes),
        )

    def settled(self, key: Key) -> tuple[Differing, ...]:
        """Return the known differences of a source that need no further look."""
        return tuple(self.kept.left.get(_name(key), ()))

    def are_known(self, key: Key, most_pages: int) -> bool:
        """Return whether a source has no trouble, and its pages that show other files are known and
        not more than `most_pages`."""
        troubled = key in self.troubles or (key[0], "") in self.troubles
        shows = self.shows.get(key)
        return not troubled and shows is not None and len(shows) <= most_pages

    def may_show(self, key: Key) -> bool:
        """Return whether pages of a source show other files, or whether that is not known yet."""
        return self.shows.get(key) != frozenset()

    def trouble_of(self, key: Key, differing: Collection[Differing]) -> str | None:
        """Record the differences of a look. Return the trouble of the last run if that run had the
        same differences and the trouble lasts."""
        told = self._told[key] = frozenset(differing)
        return self.troubles.get(key) if told == self._tried.get(key) else None

    def keep_only(self, keys: Collection[Key]) -> None:
        """Forget folders and differences of all other sources."""
        for gone in set(self.folders).difference(keys):
            for states in (self.folders, self.shows, self._told, self._tried):
                states.pop(gone, None)

    def looked(self, pending: dict[Key, int], troubles: dict[Key, str]) -> None:
        """Record the result of a look at all sources."""
        self.pending, self.troubles = pending, troubles
        self.generation += 1

    def counted(self, key: Key, files: int, generation: int) -> None:
        """Record a later count of a source with differences, unless its differences are newer than
        the `generation` in which the count began."""
        if generation == self.generation and key in self.pending:
            self.pending[key] = files
            if not files:
                del self.pending[key]

    def differ(self, key: Key, named: Mapping[str, str]) -> None:
        """Record the files of a source that differ, by path."""
        if files := changes_in(named):
            self.pending[key] = files
            self.generation += 1

    def also_folders(self, key: Key, folders: Collection[str]) -> None:
        """Add folders of a source."""
        self.folders[key] = tuple(sorted({*folders, *self.folders.get(key, ())}))

    def written(self, key: Key, named: Mapping[str, str], found: SourceReport) -> None:
        """Record changes that were indexed, except files that turned out not to be documents. Keep
        the known differences that need no further look."""
        left = [one for one in found.left if one[1] >= 0]
        no_documents = {path for path, *_ in left}
        named = {path: what for path, what in named.items() if path not in no_documents}
        now = local_now()
        for path, what in sorted(named.items())[:REMEMBERED]:
            if what not in ("left out", "not read"):
                self._number += 1
                self.changes.append(Change(self._number, now, *key, what, path))
        if changes_in(named) or "at another commit" in named.values():
            self.kept.changed_at = now
        if found.paths:
            left += [one for one in self.settled(key) if one[0] not in no_documents]
        self.kept.left[_name(key)] = left[:_LEFT]

    def lasting(self, key: Key, found: SourceReport) -> frozenset[Differing] | None:
        """Return the differences of the last look if the trouble of a run with them lasts.

        The trouble does not last if the run could not read a file that was readable in the look:
        the cause may be temporary, so the file is tried again.
        """
        told = self._told.get(key)
        if told is None or not found.lasting:
            return None
        unread = {path for path, _, mtime_ns in told if mtime_ns == UNREAD}
        return told if unread.issuperset(found.unread) else None

    def end_run(
        self,
        troubles: dict[Key, str],
        tried: dict[Key, frozenset[Differing]],
        *,
        whole: bool,
        complete: bool,
    ) -> None:
        """Record the end of a run over everything (`whole`) or some paths, with its troubles."""
        if complete:
            self.pending = {}
        self.generation += 1
        self.troubles = troubles if whole else {**self.troubles, **troubles}
        self._tried = tried if whole else {**self._tried, **tried}


class RunResults:
    """The results of one run of the indexing process, for the sources in `states`."""

    def __init__(self, states: SourceStates) -> None:
        self.encode_s = 0.0  # seconds of the run that were spent on vectors
        self.failure = ""
        self.passing = False  # a failure may pass by itself
        self.gave_way = False  # the run stopped before its end
        self._states = states
        self._troubles: dict[Key, str] = {}
        self._named: dict[Key, Mapping[str, str]] = {}
        self._tried: dict[Key, frozenset[Differing]] = {}

    def add(self, found: SourceReport) -> None:
        """Record a report of the run about a source."""
        states, key = self._states, (found.collection, found.source)
        self.encode_s += found.encode_s
        if found.folders and not found.paths:
            states.folders[key] = found.folders
        if found.source:
            states.shows[key] = self._shown(key, found)
        if found.trouble:
            self._add_trouble(key, found)
        if found.written:
            states.pending.pop(key, None)
            states.written(key, self._named.pop(key, {}), found)
        elif found.state == GAVE_WAY:
            self.gave_way = True
        elif found.state == WORDS:
            states.pending.pop(key, None)
        elif found.state == "changed" and not found.trouble:
            self._named[key] = found.files
            if key not in states.pending:
                states.differ(key, found.files)

    def fail(self, why: str) -> None:
        """Record that the indexing process failed."""
        self.failure, self.passing = why, True
        self._troubles["", ""] = why

    def end(self, *, whole: bool) -> None:
        """Record the end of the run over everything (`whole`) or some paths."""
        complete = not self.gave_way
        self._states.end_run(self._troubles, self._tried, whole=whole, complete=complete)

    def _add_trouble(self, key: Key, found: SourceReport) -> None:
        self._troubles[key] = found.trouble
        if not found.written and found.state != "gone":
            self.failure = self.failure or found.trouble
        self.passing |= not found.lasting
        self._states.pending.pop(key, None)
        if (told := self._states.lasting(key, found)) is not None:
            self._tried[key] = told

    def _shown(self, key: Key, found: SourceReport) -> frozenset[str]:
        """Return the known pages of a source that show other files."""
        if not found.paths:
            return frozenset(found.shows)
        known = self._states.shows.get(key, frozenset())
        return known.difference(found.paths).union(found.shows)


def _name(key: Key) -> str:
    return "\n".join(key)
