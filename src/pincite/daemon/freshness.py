"""How old the index is: what a client asks of the daemon about it, and what it hears."""

from __future__ import annotations

import msgspec

#: Changes that the daemon remembers for those who watch.
REMEMBERED = 500


class Wish(msgspec.Struct, frozen=True):
    """What a client's settings say. `config` is its file of settings, empty for the one beside the
    index. `now` asks for a complete look, whatever the mode is and however young the last one."""

    auto: bool
    every_s: float = 5.0
    watch: bool = True
    remote: bool = False
    config: str = ""
    models: str = ""
    now: bool = False


class Change(msgspec.Struct, frozen=True):
    """A file that was found to differ from what is indexed. `number` counts from 1."""

    number: int
    at: str
    collection: str
    source: str
    what: str  # new, changed, gone
    path: str


class Found(msgspec.Struct, frozen=True):
    """A line of the process that indexes, of a source that it has looked at. `files` are paths with
    what is different of them, `left` what differed and is known by now, each a path with size and
    time; `trouble` says why it was not brought up to date."""

    collection: str
    source: str
    state: str
    files: dict[str, str] = {}
    folders: tuple[str, ...] = ()
    left: tuple[tuple[str, int, int], ...] = ()
    trouble: str = ""
    written: bool = False


class Pending(msgspec.Struct, frozen=True):
    """A source of which `files` differ from what is indexed."""

    collection: str
    source: str
    files: int


class Trouble(msgspec.Struct, frozen=True):
    """Why a source, or all of a collection where none is named, was not brought up to date."""

    collection: str
    source: str
    message: str


class Freshness(msgspec.Struct, frozen=True):
    """How old the index is. Times are in ISO 8601, empty for never. `watching` says in words which
    file events are heard, or why none are. `wanted` and `done` count complete looks: one that is
    asked for now has been made once `done` has reached `wanted`."""

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
    """What the daemon takes and holds. `memory_mb` is what the system would get back if it ended,
    `resting_since` a time in ISO 8601, empty while it works."""

    memory_mb: float
    loaded: tuple[str, ...] = ()
    resting_since: str = ""
    freshness: Freshness = Freshness()
