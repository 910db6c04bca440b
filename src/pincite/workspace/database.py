"""What sessions need of a database: one transaction, in SQL that SQLite and PostgreSQL both take.

Values are named as in `:user`. `id_list(:ids)` and `text_list(:texts)` are tables with the column
`value`, made of a JSON array of ids or of texts. Tables of a session begin with `my_`: the database
shows one user what is theirs.
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
    """One transaction. Raises WorkspaceUnavailable where the database cannot be reached, Forbidden
    where it refuses."""

    async def rows(self, sql: str, **values: object) -> list[Row]:
        """All rows of a query. With `FOR UPDATE` at its end nobody else changes them until the end
        of the transaction."""

    async def run(self, sql: str, **values: object) -> None:
        """A change."""

    async def attempt(self, sql: str, **values: object) -> bool:
        """A change that refers to another row, or makes one with a given id: False where there is
        no such other row, or one of that id, and nothing changed."""

    async def write(self) -> None:
        """Be a transaction that writes. What is read from here on is of now or later."""

    async def lock(self, name: str) -> None:
        """Wait until nobody else has locked this name. Held to the end of the transaction. What is
        read from here on is not older than that."""

    async def now(self) -> datetime:
        """The time by which leases run."""


def new_id() -> str:
    """A random UUID."""
    return str(uuid.uuid4())


def utc_now() -> datetime:
    """The clock of this machine."""
    return datetime.now(UTC)


def time_text(time: datetime) -> str:
    """ISO 8601 in UTC, all of one length: sorted as texts they are sorted as times."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def time_of(value: object) -> datetime:
    """A time as a database has it."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError as error:
            raise damaged("a time") from error
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    raise damaged("a time")


def maybe_time(value: object) -> datetime | None:
    """A time that may be missing."""
    return None if value is None else time_of(value)


def json_text(value: object) -> str:
    """For `id_list`, and for what is kept as JSON."""
    return msgspec.json.encode(value).decode()


def metadata_of(value: str) -> dict[str, str]:
    """Metadata as a database has it."""
    try:
        return _METADATA.decode(value)
    except msgspec.MsgspecError as error:
        raise damaged("metadata of a document") from error


def texts_of(value: str) -> tuple[str, ...]:
    """Texts as a database has them."""
    try:
        return _TEXTS.decode(value)
    except msgspec.MsgspecError as error:
        raise damaged("a list of texts") from error


def damaged(what: str) -> WorkspaceUnavailable:
    """What is kept is not what was written."""
    return WorkspaceUnavailable(
        f"the database of workspaces is damaged: {what} cannot be read",
        hint="restore it from a backup",
    )
