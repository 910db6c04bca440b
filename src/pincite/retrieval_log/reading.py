"""Read events from the log."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import msgspec

from pincite.errors import UsageError
from pincite.model import SourceType
from pincite.retrieval_log.event import Event
from pincite.retrieval_log.files import LogFiles
from pincite.support.decodable import ready
from pincite.support.fields import replace
from pincite.support.time_limits import decode_settings

LAST = "last"
_SHORTEST = 4


class _FormerScope(msgspec.Struct, frozen=True):
    """The former names of these fields of a scope, before the command line and the log agreed."""

    source_types: tuple[SourceType, ...] = ()
    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()


class _FormerAsked(msgspec.Struct, frozen=True):
    scope: _FormerScope


class _FormerEvent(msgspec.Struct, frozen=True):
    asked: _FormerAsked


def event_from(line: bytes) -> Event:
    """Return the event of a line, of this version or an earlier one. Raises msgspec.DecodeError."""
    event = decode_settings(line, Event)
    former = msgspec.json.decode(line, type=ready(_FormerEvent)).asked.scope
    if former == _FormerScope():
        return event
    scope = replace(
        event.asked.scope, kinds=former.source_types, paths=former.allow, not_paths=former.block
    )
    return replace(event, asked=replace(event.asked, scope=scope))


def events(files: LogFiles) -> Iterator[Event]:
    """Yield the logged searches, the latest first. Other lines are left out: answers, lines cut off
    by a crash, and those of an incompatible version."""
    for line in files.lines():
        try:
            yield event_from(line)
        except msgspec.DecodeError:
            continue


def find_event(files: LogFiles, query_id: str) -> Event:
    """Return the event of an id, which may be shortened to four digits; `last` is the latest event.
    Raises UsageError if there is none, or more than one."""
    if query_id == LAST:
        matching = list(islice(events(files), 1))
    elif len(query_id) < _SHORTEST:
        raise UsageError(
            f"{query_id!r} is too short: give at least {_SHORTEST} digits of the id",
            hint="pincite replay   (lists logged searches)",
        )
    else:
        matching = [e for e in events(files) if e.query_id.startswith(query_id)]
    if not matching:
        raise UsageError(
            f"no search {query_id!r} is logged in {files.path}",
            hint="pincite replay   (lists logged searches)",
        )
    if len(matching) > 1:
        raise UsageError(
            f"{len(matching)} searches have ids that begin with {query_id}: give more digits"
        )
    return matching[0]
