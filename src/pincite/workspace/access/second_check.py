"""The second check of documents: the database is asked again before a passage is judged, sent to a
model or shown."""

from __future__ import annotations

import logging
from collections.abc import Collection

from pincite.errors import PinciteError
from pincite.support.fields import replace
from pincite.workspace.model import Access, Readable
from pincite.workspace.ports import Workspaces

log = logging.getLogger("pincite.workspace")


class SecondCheck:
    """Asks the database of workspaces which documents an access may read now."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        #: Documents that this check has withheld: each one is an alarm in the log.
        self.kept_back = 0

    async def chosen(self, access: Access, ids: frozenset[str]) -> frozenset[str]:
        """Return the documents that the access may read."""
        async with self._workspaces.of(access.user_id) as session:
            return frozenset((await session.readable(_only(access, ids))).document_ids or ())

    async def all_chosen(self, access: Access, most: int | None) -> tuple[str, ...] | None:
        """Return all documents that the access names or reaches by its feeds. None if they are more
        than `most`."""
        async with self._workspaces.of(access.user_id) as session:
            found = await session.readable(access, most)
        return None if found.wide else found.document_ids or ()

    async def admitted(self, access: Access, ids: frozenset[str]) -> frozenset[str]:
        """Return those of the documents that may be shown. The log reports withheld documents,
        without an alarm for those whose indexed text is an earlier one that is not shown again."""
        within = _only(access, ids)
        async with self._workspaces.of(access.user_id) as session:
            readable = await session.readable(within)
            visible = await session.visible(within.document_ids or ())
            allowed = frozenset(readable.document_ids or ()) & visible
        if withheld := ids - allowed:
            await self._report(access, readable, withheld)
        return allowed

    async def replaced(self, access: Access, ids: Collection[str]) -> frozenset[str]:
        """Return those of the documents whose text in the index is an earlier one; see
        `Session.replaced`."""
        async with self._workspaces.of(access.user_id) as session:
            return await session.replaced(ids)

    async def _report(self, access: Access, readable: Readable, withheld: frozenset[str]) -> None:
        """Log the documents that the index has and the access may not see. There is no alarm for
        deleted documents that a worker has not yet removed, nor for earlier texts of readable
        documents."""
        leaving = await self._leaving(access, readable, withheld)
        if leaving:
            log.info("the index still has %d deleted documents; none is shown", len(leaving))
        read = withheld & frozenset(readable.document_ids or ())
        if earlier := await self.replaced(access, read) if read else read:
            log.info("the index has earlier texts of %d documents; none is shown", len(earlier))
            leaving |= earlier
        if kept := len(withheld - leaving):
            self.kept_back += kept
            log.error("alarm: the index returned %d documents that the user may not read", kept)

    async def _leaving(
        self, access: Access, readable: Readable, ids: frozenset[str]
    ) -> frozenset[str]:
        """Return the documents that were deleted from a space of the access. Return None if the
        access names documents or feeds, because its filter lists only documents that exist, and if
        the database does not answer, so that the alarm stays."""
        if access.document_ids is not None or access.feed_ids is not None:
            return frozenset()
        try:
            return await self._workspaces.administer(
                lambda operator: operator.leaving(ids, readable.space_ids)
            )
        except PinciteError:
            return frozenset()


def _only(access: Access, ids: frozenset[str]) -> Access:
    """Return the same access, restricted to those of its documents that have one of the ids."""
    named = access.document_ids
    asked = ids - {""} if named is None else (ids - {""}) & frozenset(named)
    return replace(access, document_ids=tuple(sorted(asked)))
