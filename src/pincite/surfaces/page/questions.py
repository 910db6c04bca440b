"""The requests of the page's script, and their answers, for every server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from pincite.errors import UsageError
from pincite.model.citation import format_citation, parse_citation
from pincite.support.concurrency import both
from pincite.support.decodable import ready
from pincite.support.fields import replace
from pincite.surfaces.page.colours import UsersColours
from pincite.surfaces.page.columns import shown_text
from pincite.surfaces.page.library import Library, Opened
from pincite.surfaces.page.requests import About, Ask, Judge, Place, Read
from pincite.surfaces.page.streaming import answer_lines
from pincite.surfaces.page.views import (
    flow_view,
    pack_view,
    picture_view,
    source_view,
)

STREAMED: Final = "application/x-ndjson"
_READ: Final = 2_000  # lines on each side of a passage of Markdown
_MOST_BODY: Final = 100_000  # bytes: a question of 10,000 characters and its fields

#: A value to encode as JSON, or lines of JSON as a stream.
Reply = Mapping[str, Any] | AsyncIterator[bytes]


async def whole_body(pieces: AsyncIterator[bytes]) -> bytes:
    """Return the body of a request. Raises UsageError if it is too large."""
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > _MOST_BODY:
            raise UsageError(f"a request has {_MOST_BODY:,} bytes at most")
    return bytes(body)


async def respond(library: Library, colours: UsersColours, name: str, body: bytes) -> Reply:
    """Return the reply to a request of the page; `name` is one of `REQUESTS`. Raises UsageError for
    an invalid body, and the errors of the library."""
    kind, work = _WORK[name]
    try:
        asked = msgspec.json.decode(body, type=ready(kind))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"the request cannot be: {error}") from error
    return await work(library, colours, asked)


async def _about(library: Library, _: UsersColours, __: About) -> Reply:
    return await library.about()


async def _ask(library: Library, _: UsersColours, asked: Ask) -> Reply:
    return pack_view(await library.find(asked), library.named)


async def _why(library: Library, _: UsersColours, asked: Ask) -> Reply:
    return flow_view(*await library.explain(asked))


async def _source(library: Library, colours: UsersColours, asked: Read) -> Reply:
    place = Place(asked.citation, asked.collection)
    cited, around = await both(library.read(place, 0), library.read(place, asked.context))
    if lines_only := _without_columns(around.passage.citation):  # a part of a long line
        place = Place(lines_only, asked.collection)
        around = await library.read(place, asked.context)
    language = "" if asked.language == "text" else asked.language  # the file name says more
    shown = shown_text(cited.passage, around.passage)
    lines = await colours.lines(language, around.name, shown.text)
    rendered = None if shown.partly else await _rendered(library, colours, asked, place, cited)
    return source_view(cited, around, lines, shown.cited) | {"rendered": rendered}


def _without_columns(citation: str) -> str:
    """Return the citation without its columns, "" if it has none."""
    cited = parse_citation(citation)
    if cited is None or not (cited.start_column or cited.end_column):
        return ""
    return format_citation(replace(cited, start_column=None, end_column=None))


async def _rendered(
    library: Library, colours: UsersColours, asked: Read, place: Place, cited: Opened
) -> dict[str, Any] | None:
    """Return Markdown as a tree, None for other texts. More lines are read than are shown, because
    lists and fences may begin before these."""
    named = cited.name.lower().endswith((".md", ".markdown"))
    if not (named or asked.language == "markdown") or not cited.passage.start_line:
        return None
    whole = (await library.read(place, _READ)).passage
    first = cited.passage.start_line - whole.start_line
    last = cited.passage.end_line - whole.start_line + 1
    window = (max(0, first - asked.context), last + asked.context)
    found = await colours.markdown(whole.text, window, (first, last))
    return None if found is None else {"nodes": found.nodes, "cut": found.cut}


async def _picture(library: Library, _: UsersColours, asked: Place) -> Reply:
    return picture_view(await library.picture(asked))


async def _judge(library: Library, _: UsersColours, asked: Judge) -> Reply:
    await library.judge(asked)
    return {"grade": asked.grade}


async def _answer(library: Library, _: UsersColours, asked: Ask) -> Reply:
    return answer_lines(library.answer(asked), library.named, library.failed)


_Work = Callable[[Library, UsersColours, Any], Awaitable[Reply]]
_WORK: Final[Mapping[str, tuple[type[Any], _Work]]] = {
    "about": (About, _about),
    "ask": (Ask, _ask),
    "why": (Ask, _why),
    "source": (Read, _source),
    "picture": (Place, _picture),
    "judge": (Judge, _judge),
    "answer": (Ask, _answer),
}
REQUESTS: Final = tuple(_WORK)
