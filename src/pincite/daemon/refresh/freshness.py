"""The freshness of an index: requests of clients about it, and the answers of the daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from pincite.settings.load import Settings

#: Changes that the daemon keeps for clients that watch.
REMEMBERED = 500


class Wish(msgspec.Struct, frozen=True):
    """A client's request to update the index, from its settings. `config` is its settings file,
    empty for none; a `found` one was not named, and if it no longer exists the defaults apply.
    `now` requests a complete look, whatever the mode and the age of the last one."""

    auto: bool
    every_s: float = 5.0
    watch: bool = True
    remote: bool = False
    config: str = ""
    found: bool = False
    models: str = ""
    now: bool = False


class Change(msgspec.Struct, frozen=True):
    """A file that differs from the index. `number` counts from 1."""

    number: int
    at: str
    collection: str
    source: str
    what: str  # new, changed, gone
    path: str


DONE: Final = "done"  #: the `state` of the last message of a run
GAVE_WAY: Final = "gave way"  #: the `state` of a source whose run stopped before its end
WORDS: Final = "words"  #: the `state` of a source that only keyword search finds yet


class RunRequest(msgspec.Struct, frozen=True):
    """A request to the indexing process. `remote` as in `Wish`. `paths` limits the look, by
    collection and source; without paths, everything is looked at. `stop` requests nothing: the
    current run stops, and what it has finished stays."""

    remote: bool = False
    paths: dict[str, dict[str, tuple[str, ...]]] = {}
    stop: bool = False


class SourceReport(msgspec.Struct, frozen=True):
    """A line of the indexing process about a source that it has looked at. `files` maps paths to
    their difference. `left` are differences that are known by now, each a path with size and time.
    `trouble` is the reason why the source was not updated; if it is `lasting`, another attempt is
    useless until the source changes. `paths` are the paths that were looked at, () for everything.
    `shows` are those among them that show other files. `unread` are indexed files that could not be
    read and stay as they were. `encode_s` are the seconds in which vectors were made."""

    collection: str
    source: str
    state: str
    files: dict[str, str] = {}
    folders: tuple[str, ...] = ()
    left: tuple[tuple[str, int, int], ...] = ()
    trouble: str = ""
    lasting: bool = False
    written: bool = False
    paths: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    encode_s: float = 0.0


class Pending(msgspec.Struct, frozen=True):
    """A source with the number of its `files` that differ from the index."""

    collection: str
    source: str
    files: int


class Trouble(msgspec.Struct, frozen=True):
    """The reason why a source, or a whole collection if no source is named, was not updated."""

    collection: str
    source: str
    message: str


class Freshness(msgspec.Struct, frozen=True):
    """The freshness of the index. Times are in ISO 8601, empty for never. `watching` describes
    which file events are received, or why none are. `wanted` and `done` count complete looks: a
    look that is requested now has been made once `done` has reached `wanted`."""

    auto: bool = False
    checked_at: str = ""
    changed_at: str = ""
    indexing: bool = False
    pending: tuple[Pending, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    watching: str = ""
    wanted: int = 0
    done: int = 0
    changes: tuple[Change, ...] = ()


class Condition(msgspec.Struct, frozen=True):
    """The state and the memory of the daemon. `memory_mb` is the memory that the system would get
    back if it ended, `resting_since` a time in ISO 8601, empty while it works."""

    memory_mb: float
    loaded: tuple[str, ...] = ()
    resting_since: str = ""
    freshness: Freshness = Freshness()


def wish_of(settings: Settings, *, now: bool = False, auto: bool = False) -> Wish:
    """Return how the settings want the index to be updated. `auto` turns automatic updates on
    whatever the settings say; `now` as in `Wish`."""
    given = settings.refresh
    return Wish(
        auto=auto or given.auto,
        every_s=given.every_s,
        watch=given.watch,
        remote=given.remote,
        config=str(settings.config or ""),
        found=settings.found,
        models=str(settings.models),
        now=now,
    )
