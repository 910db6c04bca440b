"""The database interface of sessions: one transaction, in SQL that SQLite and PostgreSQL accept.

Values have names such as `:user`. `id_list(:ids)` and `text_list(:texts)` are tables with the
column `value`, made from a JSON array of ids or of texts. Tables of a session begin with `my_` and
contain only the rows of one user.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any, Final, Protocol

import msgspec

from pincite.errors import WorkspaceUnavailable

Row = tuple[Any, ...]

_METADATA: Final = msgspec.json.Decoder(dict[str, str])
_TEXTS: Final = msgspec.json.Decoder(tuple[str, ...])


class Transaction(Protocol):
    """One transaction. Its methods raise WorkspaceUnavailable if the database cannot be reached,
    and Forbidden if it refuses a statement."""

    async def rows(self, sql: str, **values: object) -> list[Row]:
        """Return all rows of a query. `FOR UPDATE` at its end locks them until the end of the
        transaction."""

    async def run(self, sql: str, **values: object) -> None:
        """Run a statement that changes rows."""

    async def attempt(self, sql: str, **values: object) -> bool:
        """Run a change that refers to another row or inserts a row with a given id. Return False,
        and change nothing, if the other row is missing or the id exists."""

    async def write(self) -> None:
        """Make this a writing transaction. Later reads return the state of now or later."""

    async def lock(self, name: str) -> None:
        """Lock a name until the end of the transaction; wait while another transaction has locked
        it. Later reads are not older than the lock."""

    async def now(self) -> datetime:
        """Return the time that leases are measured with."""


def new_id() -> str:
    """Return a random UUID."""
    return str(uuid.uuid4())


def utc_now() -> datetime:
    """Return the time of this machine's clock, in UTC."""
    return datetime.now(UTC)


def time_text(time: datetime) -> str:
    """Return a time as ISO 8601 in UTC. All results have one length, so that the order of texts is
    the order of times."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def time_of(value: object) -> datetime:
    """Return the time that a database value stands for."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError as error:
            raise damaged("a time") from error
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    raise damaged("a time")


def maybe_time(value: object) -> datetime | None:
    """Return the time that a database value stands for, None if there is none."""
    return None if value is None else time_of(value)


def json_text(value: object) -> str:
    """Return the value as JSON, for `id_list` and for columns of JSON."""
    return msgspec.json.encode(value).decode()


def metadata_of(value: str) -> dict[str, str]:
    """Return the metadata of a database value."""
    try:
        return _METADATA.decode(value)
    except msgspec.MsgspecError as error:
        raise damaged("metadata of a document") from error


def texts_of(value: str) -> tuple[str, ...]:
    """Return the texts of a database value."""
    try:
        return _TEXTS.decode(value)
    except msgspec.MsgspecError as error:
        raise damaged("a list of texts") from error


def damaged(what: str) -> WorkspaceUnavailable:
    """Return the error for a stored value that is not the value that was written."""
    return WorkspaceUnavailable(
        f"the database of workspaces is damaged: {what} cannot be read",
        hint="restore it from a backup",
    )
