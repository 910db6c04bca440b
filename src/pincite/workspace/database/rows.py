"""Convert rows of the database into values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from pincite.workspace.database.transaction import (
    Row,
    Transaction,
    json_text,
    maybe_time,
    metadata_of,
    texts_of,
    time_of,
)
from pincite.workspace.metadata.origins import origins_of
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
    """Return the document of a row of `DOCUMENT` or `REMOVED`."""
    *plain, status, version, created, updated, indexed, error, metadata, given = row
    id_, space_id, user_id, filename, content_hash, size = plain
    found, said = metadata_of(metadata), metadata_of(given)
    return Document(
        *(str(id_), str(space_id), str(user_id), filename, content_hash, size, status, version),
        created=time_of(created),
        updated=time_of(updated),
        indexed_version=indexed,
        error=error,
        metadata=found,
        given=said,
        origins=origins_of(found, said),
        source_ids=tuple(source_ids),
        feed_ids=tuple(feed_ids),
    )


async def documents_of(
    transaction: Transaction, rows: Sequence[Row], prefix: str
) -> tuple[Document, ...]:
    """Return the documents of rows of `DOCUMENT`, each with its sources and feeds. `prefix` is that
    of the tables."""
    if not rows:
        return ()
    ids = json_text([str(row[0]) for row in rows])
    within = json_text(sorted({str(row[1]) for row in rows}))
    sources: dict[str, list[str]] = defaultdict(list)
    feeds: dict[str, list[str]] = defaultdict(list)
    for kind, of, id_ in await transaction.rows(
        f"SELECT 'source', document_id, source_id FROM {prefix}document_sources"
        " WHERE document_id IN (SELECT value FROM id_list(:ids))"
        f" UNION ALL SELECT 'feed', document_id, CAST(feed_id AS text) FROM {prefix}feed_documents"
        " WHERE space_id IN (SELECT value FROM id_list(:within))"  # the first column of the index
        " AND document_id IN (SELECT value FROM id_list(:ids))",
        within=within,
        ids=ids,
    ):
        (sources if kind == "source" else feeds)[str(of)].append(id_)
    ids_of = [str(row[0]) for row in rows]
    return tuple(
        document_of(row, sorted(sources[id_]), sorted(feeds[id_]))
        for row, id_ in zip(rows, ids_of, strict=True)
    )


def key_of(row: Row) -> ApiKey:
    """Return the key of a row of `KEY`."""
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
    """Return the user of a row of `USER`, or of one with `disabled` at its end."""
    id_, name, personal, created, email, *more = row
    disabled = maybe_time(more[0]) if more else None
    return User(str(id_), name, str(personal), time_of(created), email, disabled)


def job_of(row: Row) -> Job:
    """Return the job of a row of `JOB`."""
    id_, document_id, user_id, state, attempts, reason, due = row
    return Job(str(id_), str(document_id), str(user_id), state, attempts, reason, maybe_time(due))
