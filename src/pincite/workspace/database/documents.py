"""The calls of one user about documents, for every database."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import Final

from pincite.errors import UsageError
from pincite.support.arguments import require_count
from pincite.workspace import checks
from pincite.workspace.checks import missing, require_id
from pincite.workspace.database.rows import DOCUMENT, documents_of
from pincite.workspace.database.spaces import UsersSpaces, leaving
from pincite.workspace.database.transaction import json_text
from pincite.workspace.files.filenames import checked_filename
from pincite.workspace.model import Document, DocumentStatus

_NEW_TEXT: Final = ", text_version = version + 1"
#: For a document that failed before `text_version` was counted, a new text is assumed.
_SAME_TEXT: Final = (
    ", text_version = CASE WHEN status = 'failed' AND text_version = 0 AND indexed_version > 0"
    " THEN version + 1 ELSE text_version END"
)


class UsersDocuments(UsersSpaces):
    """The part of `Session` that handles documents."""

    async def add_document(
        self,
        space_id: str,
        filename: str,
        content_hash: str,
        size: int,
        *,
        source_ids: Sequence[str] = (),
        given: dict[str, str] | None = None,
        id_: str | None = None,
    ) -> Document:
        """See `Session.add_document`."""
        sources = checks.sources(source_ids)
        values = {
            "filename": checked_filename(filename),
            "hash": checks.content_hash(content_hash),
            "size": checks.size(size),
            "given": json_text(checks.given_metadata(given or {})),
        }
        await self._changing(space_id)
        made, there = await self._id_for("documents", id_)
        if there:
            return await self.document(made)
        await self._make(
            "INSERT INTO my_documents (id, space_id, user_id, filename, content_hash, bytes,"
            " status, version, given, created, updated) VALUES (:id, :space, :user, :filename,"
            " :hash, :size, 'pending', 1, :given, :now, :now)",
            id=made,
            space=space_id,
            user=self._user_id,
            now=self._now(),
            **values,
        )
        await self._set_sources(space_id, made, sources)
        return await self.document(made)

    async def document(self, document_id: str) -> Document:
        """See `Session.document`."""
        rows = await self._transaction.rows(
            f"SELECT {DOCUMENT} FROM my_documents WHERE id = :document",
            document=require_id("document", document_id),
        )
        if not rows:
            raise missing("document", document_id)
        return (await documents_of(self._transaction, rows, "my_"))[0]

    async def documents(
        self,
        space_id: str | None = None,
        after: str = "",
        limit: int = 50,
        *,
        status: DocumentStatus | None = None,
        filename: str | None = None,
    ) -> tuple[Document, ...]:
        """See `Session.documents`."""
        require_count("limit", limit, most=checks.PAGE + 1)
        if after and not checks.is_id(after):
            raise UsageError(
                "after is not the id of a document; it takes the last id of the previous page"
            )
        wanted = ["id > :after"] if after else []
        values: dict[str, object] = {"after": after} if after else {}
        if space_id is not None:
            await self.space(space_id)
            wanted.append("space_id = :space")
            values["space"] = space_id
        for name, value in (("status", status), ("filename", filename)):
            if value is not None:
                wanted.append(f"{name} = :{name}")
                values[name] = checks.text(name, value, checks.NAME_CHARS * 2)
        where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
        rows = await self._transaction.rows(
            f"SELECT {DOCUMENT} FROM my_documents{where} ORDER BY id LIMIT {limit}", **values
        )
        return await documents_of(self._transaction, rows, "my_")

    async def change_document(
        self,
        document_id: str,
        *,
        content_hash: str | None = None,
        size: int | None = None,
        filename: str | None = None,
        space_id: str | None = None,
        given: dict[str, str] | None = None,
        source_ids: Sequence[str] | None = None,
        version: int | None = None,
    ) -> Document:
        """See `Session.change_document`."""
        if (content_hash is None) != (size is None):
            raise UsageError("content_hash and size go together; give both")
        before = await self.document(document_id)
        to = before.space_id if space_id is None else require_id("space", space_id)
        for one in sorted({before.space_id, to}):
            await self._changing(one)
        await self._transaction.rows(  # before its job, in the order of workers: see `jobs`
            "SELECT 1 FROM my_documents WHERE id = :document FOR UPDATE", document=document_id
        )
        before = await self.document(document_id)  # read again: nobody else can change it now
        if version is not None and before.version != version:
            raise checks.VersionChanged(before.version)
        sources = checks.sources(before.source_ids if source_ids is None else source_ids)
        values = {
            "filename": before.filename if filename is None else checked_filename(filename),
            "hash": checks.content_hash(
                before.content_hash if content_hash is None else content_hash
            ),
            "size": before.bytes if size is None else checks.size(size),
            "given": json_text(_changed(before.given, given)),
        }
        if to != before.space_id:  # its feeds belong to the space that it leaves
            await self._transaction.run(
                "DELETE FROM my_feed_documents WHERE document_id = :document", document=document_id
            )
        await self._transaction.run(
            "DELETE FROM my_document_sources WHERE document_id = :document", document=document_id
        )
        same = values["hash"] == before.content_hash and _is_same_type(
            str(values["filename"]), before.filename
        )
        await self._transaction.run(
            "UPDATE my_documents SET space_id = :space, filename = :filename,"
            " content_hash = :hash, bytes = :size, given = :given, status = 'pending',"
            f" error = '', version = version + 1, updated = :now{_SAME_TEXT if same else _NEW_TEXT}"
            " WHERE id = :document",
            document=document_id,
            space=to,
            now=self._now(),
            **values,
        )
        await self._set_sources(to, document_id, sources)
        return await self.document(document_id)

    async def delete_document(self, document_id: str, *, version: int | None = None) -> Document:
        """See `Session.delete_document`."""
        await self._changing((await self.document(document_id)).space_id)
        before = await self.document(document_id)
        if version is not None and before.version != version:
            raise checks.VersionChanged(before.version)
        await self._transaction.run(
            "DELETE FROM my_documents WHERE id = :document", document=document_id
        )
        return leaving(before)

    async def delete_documents(self, space_id: str, most: int, *, alone: bool = False) -> int:
        """See `Session.delete_documents`."""
        require_count("most", most, most=checks.PAGE)
        await self._changing(space_id)
        if alone:
            await self._require_alone(space_id)
        rows = await self._transaction.rows(
            f"SELECT id FROM my_documents WHERE space_id = :space ORDER BY id LIMIT {most}",
            space=space_id,
        )
        if rows:
            await self._transaction.run(
                "DELETE FROM my_documents WHERE id IN (SELECT value FROM id_list(:ids))",
                ids=json_text([str(id_) for (id_,) in rows]),
            )
        return len(rows)

    async def document_count(self, space_id: str) -> int:
        """See `Session.document_count`."""
        await self.space(space_id)
        rows = await self._transaction.rows(
            "SELECT count(*) FROM my_documents WHERE space_id = :space", space=space_id
        )
        return int(rows[0][0])

    async def visible(self, document_ids: Collection[str]) -> frozenset[str]:
        """See `Session.visible`."""
        rows = await self._transaction.rows(
            "SELECT id FROM my_documents d WHERE id IN (SELECT value FROM id_list(:ids))"
            " AND NOT EXISTS (SELECT 1 FROM my_replaced_documents r"
            " WHERE r.id = d.id AND r.withdrawn)",
            ids=json_text(checks.ids_among(document_ids)),
        )
        return frozenset(str(id_) for (id_,) in rows)

    async def replaced(self, document_ids: Collection[str]) -> frozenset[str]:
        """See `Session.replaced`."""
        ids = checks.ids_among(document_ids)
        if not ids:
            return frozenset()
        rows = await self._transaction.rows(
            "SELECT id FROM my_replaced_documents WHERE id IN (SELECT value FROM id_list(:ids))",
            ids=json_text(ids),
        )
        return frozenset(str(id_) for (id_,) in rows)

    async def _set_sources(self, space_id: str, document_id: str, ids: list[str]) -> None:
        """Set the sources of a document that has none."""
        if not ids:
            return
        await self._transaction.run(
            "INSERT INTO my_sources (space_id, id, created) SELECT :space, value, :now"
            " FROM text_list(:ids) WHERE value NOT IN"
            " (SELECT id FROM my_sources WHERE space_id = :space)",
            space=space_id,
            ids=json_text(ids),
            now=self._now(),
        )
        await self._transaction.run(
            "INSERT INTO my_document_sources (space_id, document_id, source_id)"
            " SELECT :space, :document, value FROM text_list(:ids)",
            space=space_id,
            document=document_id,
            ids=json_text(ids),
        )


def _is_same_type(name: str, before: str) -> bool:
    """Return whether both names select the same reader: the same suffix, or the same name."""
    suffix = PurePath(name).suffix.lower()
    return name == before or (bool(suffix) and suffix == PurePath(before).suffix.lower())


def _changed(before: dict[str, str], given: dict[str, str] | None) -> dict[str, str]:
    """Return the fields that a person has set, after a change of some of them. An empty value
    removes a field. Raise UsageError if the document would have too many fields."""
    asked = checks.given_metadata(given or {})
    changed = {name: value for name, value in {**before, **asked}.items() if value}
    return checks.metadata("given", changed) if len(changed) > len(before) else changed
