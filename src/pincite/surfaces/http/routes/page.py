"""The page of `pincite serve`: its public files, and its requests, which need a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from litestar import Response, get, post
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.params import PathParameter
from litestar.response import Stream

from pincite.support.valid_text import valid_json
from pincite.surfaces.http.callers import HttpRequest, access, needs
from pincite.surfaces.http.resources import resources_of
from pincite.surfaces.http.shown import WorkspaceLibrary
from pincite.surfaces.page.files import PageFile, page_files
from pincite.surfaces.page.questions import REQUESTS, STREAMED, respond, whole_body

PATH = "/ui"
FileName = Annotated[str, PathParameter(description="A file of the page.")]
RequestName = Annotated[str, PathParameter(description="A request of the page.")]
_FILES = dict[str, PageFile]()


@get(PATH, include_in_schema=False)
async def page() -> Response[bytes]:
    """Return the page. It needs no key and contains no user data."""
    return _served("")


@get(f"{PATH}/{{name:str}}", include_in_schema=False)
async def page_file(name: FileName) -> Response[bytes]:
    """Return a file of the page."""
    return _served(name)


@post(
    f"{PATH}/api/{{name:str}}", guards=[needs("search")], include_in_schema=False, status_code=200
)
async def page_request(
    request: HttpRequest, state: State, name: RequestName
) -> Response[bytes] | Stream:
    """Answer a request of the page's script, within the access of the key."""
    if name not in REQUESTS:
        raise NotFoundException
    resources = resources_of(state)
    may = access(request)
    library = WorkspaceLibrary(resources, may, str(request.scope.get("request_id", "")))
    body = await whole_body(request.stream())
    found = await respond(library, resources.showing.colours.of(may.user_id), name, body)
    if isinstance(found, Mapping):
        return Response(valid_json(found), media_type="application/json")
    return Stream(found, media_type=STREAMED)


def _served(name: str) -> Response[bytes]:
    if not _FILES:
        _FILES.update(page_files("key", f"{PATH}/"))
    if name not in _FILES:
        raise NotFoundException
    file = _FILES[name]
    return Response(file.body, media_type=file.media_type)


PAGE = (page, page_file, page_request)
