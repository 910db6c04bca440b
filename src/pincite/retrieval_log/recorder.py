"""Record the event of each search."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import msgspec

from pincite.model import Answer, EvidencePack
from pincite.ports import CollectionInfo
from pincite.retrieval_log.answers import AnswerLine, line_of
from pincite.retrieval_log.event import Asked, Event, Found, event_of
from pincite.retrieval_log.files import LogFiles
from pincite.retrieval_log.masking import masked
from pincite.settings.sections.retrieval_log import LogSettings
from pincite.support.capabilities import is_own
from pincite.trace import Trace

log = logging.getLogger(__name__)


def new_query_id() -> str:
    """Return a random id for a search: 32 hexadecimal digits without information."""
    return uuid4().hex


def utc_now() -> str:
    """Return the time in ISO 8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(slots=True)
class Entry:
    """An event in progress; the search fills in its fields. `found` is None if the trace has it.
    `told` says that the daemon sends spans of the stages."""

    infos: Sequence[CollectionInfo] = ()
    pack: EvidencePack | None = None
    found: tuple[Found, ...] | None = None
    told: bool = False


class Recorder:
    """Gives every search a query id, and passes its event to `write` and the line of an answer
    to `write_answer`; with None, nothing is recorded. A search whose `write` returns False has
    no id."""

    def __init__(
        self,
        write: Callable[[Event], bool | None] | None,
        *,
        write_answer: Callable[[AnswerLine], None] | None = None,
        name: Callable[[], str] = new_query_id,
        now: Callable[[], str] = utc_now,
    ) -> None:
        self._write = write
        self._write_answer = write_answer
        self._name = name
        self._now = now

    @property
    def enabled(self) -> bool:
        """Return whether searches are recorded."""
        return self._write is not None

    def answered(self, answer: Answer, query_id: str) -> None:
        """Record an answer of the search with that id."""
        if self._write_answer is not None and query_id:
            self._write_answer(line_of(answer, query_id, self._now()))

    @contextmanager
    def entry(self, asked: Asked, trace: Trace) -> Iterator[Entry]:
        """Record one event when the block ends, also if it ends with an error. `trace` gets the
        query's id, and the requests to services during the block."""
        with trace.listening():
            yield from self._entry(asked, trace)

    def _entry(self, asked: Asked, trace: Trace) -> Iterator[Entry]:
        entry = Entry()
        if self._write is None:
            yield entry
            return
        trace.query_id = self._name()
        now = self._now()
        error: BaseException | None = None
        try:
            yield entry
        except BaseException as raised:
            error = raised
            raise
        finally:
            outcome = error or entry.pack
            if outcome is not None:
                given = (trace.query_id, now, asked, entry.infos, trace, outcome, entry.found)
                if self._write(event_of(*given)) is False:
                    trace.query_id = ""  # the log has no such event


def file_recorder(folder: Path, settings: LogSettings) -> Recorder:
    """Return the recorder for the log of an index folder. A log that cannot be written never fails
    a search: the logger `pincite.retrieval_log` warns once, and searches continue."""
    if not settings.enabled:
        return Recorder(None)
    files = LogFiles(folder, settings)
    warned = False

    def append(line: bytes) -> bool:
        nonlocal warned
        if not _is_ours(folder):  # no index, not this user's, or read-only: the search reports that
            return False
        try:
            files.append(line)
        except OSError as error:
            if not warned:
                log.warning("searches are not logged: %s: %s", files.path, error.strerror)
            warned = True
            return False
        return True

    def write(event: Event) -> bool:
        return append(msgspec.json.encode(masked(event) if settings.mask_secrets else event))

    def write_answer(line: AnswerLine) -> None:
        append(msgspec.json.encode(line))

    return Recorder(write, write_answer=write_answer)


def _is_ours(folder: Path) -> bool:
    try:
        return is_own(folder.stat()) and os.access(folder, os.W_OK)
    except OSError:
        return False
