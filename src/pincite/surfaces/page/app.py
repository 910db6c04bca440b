"""The application of the page: its files, and what its script asks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from pincite.asking import SearchOptions
from pincite.asking.answers import AnswerOptions
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError, UsageError
from pincite.model import Answer
from pincite.presets import preset_names
from pincite.surfaces import commands
from pincite.surfaces.page.colours import Colours
from pincite.surfaces.page.guard import App, Guard
from pincite.surfaces.page.judging import grades_of, judge
from pincite.surfaces.page.requests import About, Ask, Judge, Read
from pincite.surfaces.page.views import (
    answer_view,
    document_text,
    flow_view,
    pack_view,
    source_view,
)
from pincite.version import VERSION

log = logging.getLogger("pincite.page")
R = TypeVar("R", bound=msgspec.Struct)

_MOST_BODY = 100_000  # bytes: a question of 10,000 characters and its names
_ASSETS: Final = {
    "/": ("index.html", "text/html; charset=utf-8"),
    **{
        f"/{name}": (name, "text/javascript; charset=utf-8")
        for name in ("app.js", "parts.js", "preact.mjs", "htm.mjs")
    },
    "/style.css": ("style.css", "text/css; charset=utf-8"),
}


@dataclass(frozen=True, slots=True)
class Desk:
    """What the page works with. `tags` are added to every search and reading; `golden` is the file
    that judgements are kept in."""

    engine: AsyncPincite
    golden: Path
    tags: Mapping[str, Any] = field(default_factory=dict, hash=False)
    preset: str | None = None
    colours: Colours = field(default_factory=Colours)
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)


def make_app(desk: Desk, hosts: Iterable[str], token: str) -> App:
    """The ASGI application of what is open. It closes nothing."""
    routes = [
        _route("about", About, lambda _: _about(desk)),
        _route("ask", Ask, lambda asked: _ask(desk, asked)),
        _route("why", Ask, lambda asked: _why(desk, asked)),
        _route("source", Read, lambda asked: _source(desk, asked)),
        _route("judge", Judge, lambda asked: _judge(desk, asked)),
        _route("answer", Ask, lambda asked: _answer(desk, asked)),
        *(Route(path, _asset(*named), methods=["GET"]) for path, named in _ASSETS.items()),
    ]
    return Guard(Starlette(routes=routes), hosts, token)


def _asset(name: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    body = (files("pincite.surfaces.page") / "assets" / name).read_bytes()

    async def serve(_: Request) -> Response:
        return Response(body, media_type=media_type)

    return serve


def _route(name: str, kind: type[R], work: Callable[[R], Awaitable[dict[str, Any]]]) -> Route:
    async def serve(request: Request) -> Response:
        try:
            body = await _body(request)
            asked = msgspec.json.decode(body, type=kind)
            found = await work(asked)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            return _failed(UsageError(f"the request cannot be: {error}"))
        except PinciteError as error:
            return _failed(error)
        except ClientDisconnect:
            return Response(status_code=400)
        return Response(_encoded(found), media_type="application/json")

    return Route(f"/api/{name}", serve, methods=["POST"])


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BODY:
            raise UsageError(f"a request has {_MOST_BODY:,} bytes at most")
    return bytes(body)


def _encoded(found: object) -> bytes:
    """JSON; half a character of UTF-16, as names of files have for bytes, becomes a mark."""
    try:
        return msgspec.json.encode(found)
    except UnicodeEncodeError:
        return msgspec.json.encode(_whole(found))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_whole(name): _whole(one) for name, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list | tuple) else value


def _failed(error: PinciteError) -> Response:
    status = 400 if isinstance(error, UsageError) else 500
    if status == 500:
        log.error("%s", error)
    return Response(
        _encoded({"message": error.message, "hint": error.hint}),
        status_code=status,
        media_type="application/json",
    )


def _options(desk: Desk, asked: Ask) -> SearchOptions:
    return SearchOptions(asked.text, preset=asked.preset or desk.preset, tags=desk.tags)


async def _about(desk: Desk) -> dict[str, Any]:
    settings = desk.engine.settings
    return {
        "version": VERSION,
        "index": str(settings.index),
        "presets": list(preset_names()),
        "preset": desk.preset or "",
        "model": settings.use.llm,
        "golden": str(desk.golden),
    }


async def _ask(desk: Desk, asked: Ask) -> dict[str, Any]:
    options = _options(desk, asked)
    pack, _ = await commands.search(desk.engine, options)
    grades = await asyncio.to_thread(grades_of, desk.golden, asked.text)
    return pack_view(pack, grades, ("english",))


async def _why(desk: Desk, asked: Ask) -> dict[str, Any]:
    pack, trace = await commands.search(desk.engine, _options(desk, asked), explained=True)
    return flow_view(pack, commands.explain(trace))


async def _source(desk: Desk, asked: Read) -> dict[str, Any]:
    among = (asked.collection,) if asked.collection else ()
    cited = await desk.engine.get(asked.citation, tags=desk.tags, collections=among)
    around = cited
    if asked.context:
        around = await desk.engine.get(
            asked.citation, asked.context, tags=desk.tags, collections=among
        )
    lines = await desk.colours.lines(asked.language, around.path, document_text(around))
    return source_view(cited, around, lines)


async def _judge(desk: Desk, asked: Judge) -> dict[str, Any]:
    async with desk.writing:
        await asyncio.to_thread(judge, desk.golden, asked)
    return {"grade": asked.grade}


async def _answer(desk: Desk, asked: Ask) -> dict[str, Any]:
    found: Answer | None = None
    async for event in desk.engine.answering(AnswerOptions(_options(desk, asked))):
        if isinstance(event, Answer):
            found = event
    if found is None:
        raise AssertionError("an answer ends with an Answer")
    return answer_view(found)
