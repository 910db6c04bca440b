"""The application of `pincite ui`: the files of the page, and the requests of its script."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from pincite.engine import AsyncPincite
from pincite.errors import PinciteError, UsageError
from pincite.support.valid_text import valid_json
from pincite.surfaces.page.colours import Colours, UsersColours
from pincite.surfaces.page.files import PageFile, page_files
from pincite.surfaces.page.guard import BODY_S, App, Guard
from pincite.surfaces.page.indexed import IndexLibrary
from pincite.surfaces.page.library import Library
from pincite.surfaces.page.questions import REQUESTS, STREAMED, respond, whole_body
from pincite.surfaces.page.streaming import problem_view
from pincite.surfaces.web.bodies import StalledBody

log = logging.getLogger("pincite.page")


@dataclass(frozen=True, slots=True)
class PageResources:
    """The resources of the page. `tags` are added to every search and reading; `golden` is the file
    of judgements."""

    engine: AsyncPincite
    golden: Path
    tags: Mapping[str, Any] = field(default_factory=dict, hash=False)
    preset: str | None = None
    colours: Colours = field(default_factory=Colours)


def make_app(
    resources: PageResources, hosts: Iterable[str], token: str, body_s: float = BODY_S
) -> App:
    """Return the ASGI application over open resources. It closes nothing. A request whose body is
    not complete after `body_s` seconds is refused."""
    library = IndexLibrary(resources.engine, resources.golden, resources.tags, resources.preset)
    routes = [
        *(_route(name, library, resources.colours.of("")) for name in REQUESTS),
        *(
            Route(f"/{name}", _asset(file), methods=["GET"])
            for name, file in page_files("token", "/").items()
        ),
    ]
    return Guard(Starlette(routes=routes), hosts, token, body_s)


def _asset(file: PageFile) -> Callable[[Request], Awaitable[Response]]:
    async def serve(_: Request) -> Response:
        return Response(file.body, media_type=file.media_type)

    return serve


def _route(name: str, library: Library, colours: UsersColours) -> Route:
    async def serve(request: Request) -> Response:
        try:
            found = await respond(library, colours, name, await whole_body(request.stream()))
        except StalledBody as error:
            return _failed(error, 408)
        except PinciteError as error:
            return _failed(error, 400 if isinstance(error, UsageError) else 500)
        except ClientDisconnect:
            return Response(status_code=400)
        if isinstance(found, Mapping):
            return Response(valid_json(found), media_type="application/json")
        return StreamingResponse(found, media_type=STREAMED)

    return Route(f"/api/{name}", serve, methods=["POST"])


def _failed(error: PinciteError, status: int) -> Response:
    if status == 500:
        log.error("%s", error)
    return Response(
        valid_json(problem_view(error)),
        status_code=status,
        media_type="application/json",
    )
