"""Mark the texts of documents whose new content is not indexed yet.

Documents are records of the index, so a comparison with the index alone reports each of their texts
as current. Only the database knows that other content was uploaded since.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pincite.model import Notice
from pincite.ports import Files, Quote, Seen
from pincite.scope.choosing import DOCUMENT_ID, Admit
from pincite.support.fields import replace

#: The messages for citations of such a text, and for the text itself.
REPLACED: Final = "the document has new content, which is not indexed yet"
_NOTICE: Final = Notice(
    "refreshing",
    "documents of unchecked passages have new content, which is being indexed",
)


class FilesOfWorkspaces:
    """`pincite.ports.Files` that wraps other files: earlier texts of replaced documents are
    `unchecked`. `replaced` returns those of the given documents whose indexed text is an earlier
    one."""

    def __init__(self, files: Files, replaced: Admit) -> None:
        self._files = files
        self._replaced = replaced

    async def look(
        self, quotes: Sequence[Quote], limit_s: float, *, refs: tuple[str, ...] = ()
    ) -> tuple[Seen, ...]:
        """See `Files.look`. Raise WorkspaceUnavailable."""
        ids = [str(one.chunk.attributes.get(DOCUMENT_ID, "")) for one in quotes]
        # First: the quotes are earlier texts even if indexing ends during the comparison.
        replaced = await self._replaced(frozenset(ids))
        found = await self._files.look(quotes, limit_s, refs=refs)
        return tuple(
            replace(seen, truth="unchecked", notice=_NOTICE) if id_ in replaced else seen
            for id_, seen in zip(ids, found, strict=True)
        )
