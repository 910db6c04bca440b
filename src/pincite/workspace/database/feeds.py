"""The calls of one user about feeds, for every database."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pincite.workspace import checks
from pincite.workspace.checks import missing, require_id
from pincite.workspace.database.spaces import UsersSpaces
from pincite.workspace.database.transaction import Row, json_text, time_of
from pincite.workspace.model import Feed

_FEED: Final = (
    "SELECT f.id, f.space_id, f.name, f.created, (SELECT count(*) FROM my_feed_documents d"
    " WHERE d.space_id = f.space_id AND d.feed_id = f.id) FROM my_feeds f"
)


class UsersFeeds(UsersSpaces):
    """The part of `Session` that handles feeds."""

    async def feeds(self, space_id: str | None = None) -> tuple[Feed, ...]:
        """See `Session.feeds`."""
        if space_id is None:
            rows = await self._transaction.rows(_FEED)
        else:
            await self.space(space_id)
            rows = await self._transaction.rows(
                f"{_FEED} WHERE f.space_id = :space", space=space_id
            )
        return tuple(sorted(map(_feed, rows), key=lambda one: (one.name, one.id)))

    async def feed(self, feed_id: str) -> Feed:
        """See `Session.feed`."""
        rows = await self._transaction.rows(
            f"{_FEED} WHERE f.id = :feed", feed=require_id("feed", feed_id)
        )
        if not rows:
            raise missing("feed", feed_id)
        return _feed(rows[0])

    async def add_feed(self, space_id: str, name: str, *, id_: str | None = None) -> Feed:
        """See `Session.add_feed`."""
        checks.line("name", name, checks.NAME_CHARS)
        await self._changing(space_id)
        made, there = await self._id_for("feeds", id_)
        if not there:
            await self._make(
                "INSERT INTO my_feeds (id, space_id, name, created)"
                " VALUES (:id, :space, :name, :now)",
                id=made,
                space=space_id,
                name=name,
                now=self._now(),
            )
        return await self.feed(made)

    async def delete_feed(self, feed_id: str) -> None:
        """See `Session.delete_feed`."""
        await self._changing((await self.feed(feed_id)).space_id)
        await self._transaction.run("DELETE FROM my_feeds WHERE id = :feed", feed=feed_id)

    async def add_to_feed(self, feed_id: str, document_ids: Collection[str]) -> None:
        """See `Session.add_to_feed`."""
        space_id = (await self._changing((await self.feed(feed_id)).space_id)).id
        ids = checks.ids_among(document_ids)
        rows = await self._transaction.rows(
            "SELECT id FROM my_documents WHERE space_id = :space"
            " AND id IN (SELECT value FROM id_list(:ids))",
            space=space_id,
            ids=json_text(ids),
        )
        there = {str(id_) for (id_,) in rows}
        for one in document_ids:
            if one not in there:
                raise missing("document", one)
        await self._transaction.run(
            "INSERT INTO my_feed_documents (space_id, feed_id, document_id)"
            " SELECT :space, :feed, value FROM id_list(:ids) WHERE NOT EXISTS (SELECT 1"
            " FROM my_feed_documents WHERE feed_id = :feed AND document_id = value)",
            space=space_id,
            feed=feed_id,
            ids=json_text(ids),
        )

    async def remove_from_feed(self, feed_id: str, document_ids: Collection[str]) -> None:
        """See `Session.remove_from_feed`."""
        await self._changing((await self.feed(feed_id)).space_id)
        await self._transaction.run(
            "DELETE FROM my_feed_documents WHERE feed_id = :feed"
            " AND document_id IN (SELECT value FROM id_list(:ids))",
            feed=feed_id,
            ids=json_text(checks.ids_among(document_ids)),
        )


def _feed(row: Row) -> Feed:
    id_, space_id, name, created, documents = row
    return Feed(str(id_), str(space_id), name, time_of(created), documents)
