"""Rows of the database as values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from pincite.workspace.database import (
    Row,
    Transaction,
    json_text,
    maybe_time,
    metadata_of,
    texts_of,
    time_of,
)
from pincite.workspace.model import ApiKey, Document, Job, User

DOCUMENT: Final = (
    "id, space_id, user_id, filename, content_hash, bytes, status, version, created, updated,"
    " indexed_version, error, metadata, given"
)
REMOVED: Final = (
    "id, space_id, user_id, filename, content_hash, bytes, 'deleting', version, created, updated,"
    " indexed_version, error, '{}', '{}'"
)
KEY: Final = "id, user_id, name, prefix, scopes, created, space_id, expires, last_used, revoked"
USER: Final = "id, name, personal, created, email"
JOB: Final = "id, document_id, user_id, state, attempts, reason, due"


def document_of(row: Row, source_ids: Sequence[str] = (), feed_ids: Sequence[str] = ()) -> Document:
    """A row of `DOCUMENT` or `REMOVED`."""
    *plain, status, version, created, updated, indexed, error, metadata, given = row
    id_, space_id, user_id, filename, content_hash, size = plain
    return Document(
        *(str(id_), str(space_id), str(user_id), filename, content_hash, size, status, version),
        created=time_of(created),
        updated=time_of(updated),
        indexed_version=indexed,
        error=error,
        metadata=metadata_of(metadata),
        given=metadata_of(given),
        source_ids=tuple(source_ids),
        feed_ids=tuple(feed_ids),
    )


async def documents_of(
    transaction: Transaction, rows: Sequence[Row], prefix: str
) -> tuple[Document, ...]:
    """Rows of `DOCUMENT`, each with its sources and feeds. `prefix` is that of the tables."""
    if not rows:
        return ()
    ids = json_text([str(row[0]) for row in rows])
    sources: dict[str, list[str]] = defaultdict(list)
    feeds: dict[str, list[str]] = defaultdict(list)
    for of, source in await transaction.rows(
        f"SELECT document_id, source_id FROM {prefix}document_sources"
        " WHERE document_id IN (SELECT value FROM id_list(:ids)) ORDER BY source_id",
        ids=ids,
    ):
        sources[str(of)].append(source)
    for of, feed in await transaction.rows(
        f"SELECT document_id, feed_id FROM {prefix}feed_documents"
        " WHERE document_id IN (SELECT value FROM id_list(:ids)) ORDER BY feed_id",
        ids=ids,
    ):
        feeds[str(of)].append(str(feed))
    return tuple(document_of(row, sorted(sources[str(row[0])]), feeds[str(row[0])]) for row in rows)


def key_of(row: Row) -> ApiKey:
    """A row of `KEY`."""
    id_, user_id, name, prefix, scopes, created, space_id, *times = row
    expires, last_used, revoked = (maybe_time(one) for one in times)
    return ApiKey(
        *(str(id_), str(user_id), name, prefix),
        scopes=texts_of(scopes),  # type: ignore[arg-type] # only those of KeyScope are written
        created=time_of(created),
        space_id=None if space_id is None else str(space_id),
        expires=expires,
        last_used=last_used,
        revoked=revoked,
    )


def user_of(row: Row) -> User:
    """A row of `USER`."""
    id_, name, personal, created, email = row
    return User(str(id_), name, str(personal), time_of(created), email)


def job_of(row: Row) -> Job:
    """A row of `JOB`."""
    id_, document_id, user_id, state, attempts, reason, due = row
    return Job(str(id_), str(document_id), str(user_id), state, attempts, reason, maybe_time(due))
