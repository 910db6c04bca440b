"""Documents: upload, list, move, describe, replace and delete them.

A file is the unchanged body of its request. It is streamed to disk and never held in memory as a
whole.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Literal

from litestar import Router, delete, get, patch, post, put
from litestar.datastructures import State
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter
from litestar.response import Stream

from pincite.errors import UsageError
from pincite.surfaces.http.bodies import ID_FORM, DocumentChange, DocumentPage
from pincite.surfaces.http.callers import EMPTY, HttpRequest, access, needs
from pincite.surfaces.http.cursors import last_of, page_of
from pincite.surfaces.http.idempotency import IdempotencyKey, id_for, require_same
from pincite.surfaces.http.problems import WrongBody
from pincite.surfaces.http.resources import Resources, resources_of
from pincite.surfaces.http.routes.spaces import SpaceWanted, require_within, within
from pincite.workspace import Access, Document
from pincite.workspace.files.file_store import Stored, TooMuch
from pincite.workspace.files.filenames import checked_filename
from pincite.workspace.files.uploads import require_readable_type

DocumentId = Annotated[str, PathParameter(pattern=ID_FORM, description="The id of a document.")]
Filename = Annotated[
    str,
    QueryParameter(
        min_length=1,
        max_length=255,
        description="The name of the file; its suffix determines the format.",
    ),
]
Cursor = Annotated[
    str, QueryParameter(max_length=200, description="The `next` of the previous page.")
]
Limit = Annotated[int, QueryParameter(ge=1, le=1_000, description="Maximum number of items.")]
Status = Annotated[
    Literal["pending", "indexing", "ready", "failed"] | None,
    QueryParameter(description="Only documents with this status."),
]
Named = Annotated[
    str | None, QueryParameter(max_length=255, description="Only documents with this file name.")
]
IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        pattern=r'^(\*|"[0-9]{1,18}")$',
        description="The version that the document must have, in quotation marks.",
    ),
]
Sources = Annotated[
    list[str] | None,
    QueryParameter(
        max_items=1_000, description="Names of the sources that the document belongs to."
    ),
]


@post("/v1/documents", guards=[needs("write")], status_code=202, request_max_body_size=None)
async def add_document(
    request: HttpRequest,
    state: State,
    filename: Filename,
    space_id: SpaceWanted = None,
    source_ids: Sources = None,
    idempotency_key: IdempotencyKey = None,
) -> Document:
    """Upload a file: the body has its bytes. Searches find it once its status is `ready`. Without
    a `space_id`, it goes to the key's space, or to the personal space of the user. Requires the
    role of an editor."""
    may, resources, name = access(request), resources_of(state), checked_filename(filename)
    _require_plain(request)
    require_readable_type(name)
    async with resources.workspaces.of(may.user_id) as session:
        own = may.space_id or (await session.user()).personal
        target = within(may, space_id or own)
        await session.require_editor(target)  # before any byte is read
    stored = await _store(request, resources, target)
    wanted = id_for(may, "document", idempotency_key)
    made = await resources.workspaces.change(
        may.user_id,
        lambda session: session.add_document(
            *(target, name, stored.content_hash, stored.size),
            source_ids=source_ids or (),
            id_=wanted,
        ),
    )
    if wanted is not None:
        require_same((stored.content_hash,), (made.content_hash,))
    if wanted is not None and made.version == 1:  # moved or renamed since: a later request did that
        require_same((target, name), (made.space_id, made.filename))
    return made


@get("/v1/documents", guards=[needs("search", "write")])
async def documents(
    request: HttpRequest,
    state: State,
    space_id: SpaceWanted = None,
    cursor: Cursor = "",
    limit: Limit = 50,
    status: Status = None,
    filename: Named = None,
) -> DocumentPage:
    """List documents by id, in pages; with `status` or `filename`, only documents with this status
    or exact name."""
    may = access(request)
    wanted = may.space_id if space_id is None else within(may, space_id)
    after = last_of(may.user_id, cursor)
    async with resources_of(state).workspaces.of(may.user_id) as session:
        found = await session.documents(
            *(wanted, after, limit + 1), status=status, filename=filename
        )
    return DocumentPage(*page_of(may.user_id, found, limit))


@get("/v1/documents/{document_id:str}", guards=[needs("search", "write")])
async def document(request: HttpRequest, state: State, document_id: DocumentId) -> Document:
    """Return one document. `status` says whether searches find it, `error` why not."""
    return await _one(access(request), resources_of(state), document_id)


@get(
    "/v1/documents/{document_id:str}/content",
    guards=[needs("search")],
    media_type="application/octet-stream",
)
async def document_content(request: HttpRequest, state: State, document_id: DocumentId) -> Stream:
    """Return the uploaded bytes."""
    resources = resources_of(state)
    found = await _one(access(request), resources, document_id)
    pieces = resources.files.pieces(found.space_id, found.content_hash)
    first = await anext(pieces, b"")  # a missing file raises before the response begins

    async def whole() -> AsyncIterator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    headers = {"content-disposition": "attachment", "content-length": str(found.bytes)}
    return Stream(whole(), media_type="application/octet-stream", headers=headers)


@put(
    "/v1/documents/{document_id:str}/content",
    guards=[needs("write")],
    status_code=202,
    request_max_body_size=None,
)
async def replace_document(
    request: HttpRequest, state: State, document_id: DocumentId, if_match: IfMatch = None
) -> Document:
    """Replace the content of a document. Searches find the old content, as `unchecked`, until the
    new one is indexed or its status is `failed`. Requires the role of an editor."""
    may, resources = access(request), resources_of(state)
    _require_plain(request)
    found = await _one(may, resources, document_id)
    async with resources.workspaces.of(may.user_id) as session:
        await session.require_editor(found.space_id)
    require_readable_type(found.filename)
    stored = await _store(request, resources, found.space_id)
    async with resources.workspaces.of(may.user_id) as session:
        made = await session.change_document(
            document_id,
            content_hash=stored.content_hash,
            size=stored.size,
            version=_version(if_match),
        )
        await _follow(may, resources, found.space_id, made)
    return made


@patch("/v1/documents/{document_id:str}", guards=[needs("write")])
async def change_document(
    request: HttpRequest,
    state: State,
    document_id: DocumentId,
    data: JSONBody[DocumentChange],
    if_match: IfMatch = None,
) -> Document:
    """Rename a document, move it to another space, or set its metadata. Requires the role of an
    editor, for a move in both spaces."""
    may, resources = access(request), resources_of(state)
    found = await _one(may, resources, document_id)
    name = None if data.filename is None else checked_filename(data.filename)
    if data.space_id is not None and data.space_id != found.space_id:
        within(may, data.space_id)
        async with resources.workspaces.of(may.user_id) as session:
            await session.require_editor(data.space_id)
        await resources.files.copy(found.space_id, data.space_id, found.content_hash)
    async with resources.workspaces.of(may.user_id) as session:
        made = await session.change_document(
            document_id,
            filename=name,
            space_id=data.space_id,
            given=data.metadata,
            source_ids=data.source_ids,
            version=_version(if_match),
        )
        require_within(may, made.space_id, "document", document_id)
        if made.content_hash != found.content_hash:  # replaced after it was read
            await _follow(may, resources, found.space_id, made)
    return made


@delete(
    "/v1/documents/{document_id:str}", guards=[needs("write")], status_code=202, media_type=EMPTY
)
async def delete_document(
    request: HttpRequest, state: State, document_id: DocumentId, if_match: IfMatch = None
) -> None:
    """Delete a document. It is invisible at once. Requires the role of an editor."""
    may, resources = access(request), resources_of(state)
    await _one(may, resources, document_id)
    async with resources.workspaces.of(may.user_id) as session:
        gone = await session.delete_document(document_id, version=_version(if_match))
        require_within(may, gone.space_id, "document", document_id)  # it may have moved meanwhile


async def _one(may: Access, resources: Resources, document_id: str) -> Document:
    async with resources.workspaces.of(may.user_id) as session:
        found = await session.document(document_id)
    require_within(may, found.space_id, "document", document_id)
    return found


def _version(if_match: str | None) -> int | None:
    """Return the version that a document must have by its If-Match header, None for any."""
    return None if if_match in (None, "*") else int(if_match.strip('"'))


async def _follow(may: Access, resources: Resources, from_space: str, made: Document) -> None:
    """Copy the bytes to the space of a document that was moved while they arrived. Raises NotFound,
    which undoes the change, if the key does not cover that space."""
    require_within(may, made.space_id, "document", made.id)
    if made.space_id != from_space:
        await resources.files.copy(from_space, made.space_id, made.content_hash)


def _require_plain(request: HttpRequest) -> None:
    """Raise WrongBody for a form or a compressed body, which would be stored as the file."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith("multipart/"):
        raise WrongBody("the body is a form of several parts")
    coding = request.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity"):
        raise WrongBody("the body has a Content-Encoding")


async def _store(request: HttpRequest, resources: Resources, space_id: str) -> Stored:
    most = resources.limits.file_bytes
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > most:
        raise TooMuch(f"the file has more than {most:,} bytes")
    stored = await resources.files.put(space_id, request.stream(), most)
    if not stored.size:
        raise UsageError("the body is empty", hint="send the file as the body")
    return stored


DOCUMENTS = Router(
    "/",
    tags=["documents"],
    route_handlers=[
        *(add_document, documents, document, document_content),
        *(replace_document, change_document, delete_document),
    ],
)
