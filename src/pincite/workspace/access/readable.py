"""Resolve an access to the spaces and documents that it may read."""

from __future__ import annotations

from pincite.workspace import checks
from pincite.workspace.checks import missing, require_id
from pincite.workspace.database.transaction import Transaction, json_text
from pincite.workspace.model import Access, Readable

_OF_FEEDS = "feed_id IN (SELECT value FROM id_list(:wanted))"


async def readable_of(
    transaction: Transaction, user_id: str, access: Access, most: int | None
) -> Readable:
    """See `Session.readable`. A single query, so that the result is of one moment."""
    space = None if access.space_id is None else require_id("space", access.space_id)
    of_space = "" if space is None else " AND space_id = :space"
    wanted = f"SELECT 's', space_id FROM my_members WHERE user_id = :user{of_space}"
    values: dict[str, object] = {"user": user_id}
    if space is not None:
        values["space"] = space
    named, feeds = access.document_ids, access.feed_ids
    if feeds is not None:
        values["wanted"] = json_text(checks.ids_among(feeds))
    if named is not None:
        values["ids"] = json_text(checks.ids_among(named))
        # Documents are looked up in the feeds: the other order would read all of a feed.
        within = (
            ""
            if feeds is None
            else (
                " AND EXISTS (SELECT 1 FROM my_feed_documents f"
                f" WHERE f.document_id = my_documents.id AND f.{_OF_FEEDS})"
            )
        )
        wanted += (
            " UNION ALL SELECT 'd', id FROM my_documents"
            f" WHERE id IN (SELECT value FROM id_list(:ids)){of_space}{within}"
        )
    elif feeds is not None:
        limit = "" if most is None else f" LIMIT {int(most) + 1}"
        wanted += (
            " UNION ALL SELECT * FROM (SELECT DISTINCT 'd', document_id FROM my_feed_documents"
            f" WHERE {_OF_FEEDS}{of_space}{limit}) AS d"
        )
    rows = await transaction.rows(wanted, **values)
    spaces = tuple(sorted(str(id_) for kind, id_ in rows if kind == "s"))
    if space is not None and not spaces:
        raise missing("space", space)
    if named is None and feeds is None:
        return Readable(user_id, spaces)
    found = tuple(sorted(str(id_) for kind, id_ in rows if kind == "d"))
    if named is None and most is not None and len(found) > most:
        return Readable(user_id, spaces, wide=True)
    return Readable(user_id, spaces, found)
