"""The tools `search` and `fetch`, in the form that ChatGPT requires.

Each takes one string, and also tags if the index requires some that are not bound. Its answer is a
text: the JSON of its structured content. A result without an address has an empty `url`, so ChatGPT
shows no link; no address is made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from pincite.asking import SearchOptions, bind_tags
from pincite.citations.passage import Passage
from pincite.citations.resolve import find_chunk, open_within
from pincite.engine import AsyncPincite
from pincite.errors import UsageError
from pincite.model import Attributes, Chunk, Evidence
from pincite.model.citation import cite, page_of
from pincite.surfaces.mcp.tool_types import Tags, Tool, ToolResult, object_schema
from pincite.surfaces.traced_search import traced_search

#: Lines before and after a passage in the result of `fetch`.
_CONTEXT = 40


class SearchOne(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The argument of `search`."""

    query: Annotated[str, Meta(min_length=1, max_length=10_000, description="A question.")]
    tags: Tags = {}


class FetchOne(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The argument of `fetch`."""

    id: Annotated[str, Meta(min_length=8, description="The id of a result of search.")]
    tags: Tags = {}


@dataclass(frozen=True, slots=True)
class Result:
    """A passage by name."""

    id: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Results:
    """What `search` gives."""

    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What `fetch` gives: the passage with the lines around it."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


async def _search(
    engine: AsyncPincite, preset: str | None, bound: Attributes, asked: SearchOne
) -> ToolResult:
    engine.reopen()
    tags = bind_tags(bound, asked.tags)
    options = SearchOptions(asked.query, preset=preset, tags=tags)
    pack, _ = await traced_search(engine, options)
    found = [Result(one.chunk_id, _title(one), one.url or "") for one in pack.evidence]
    return ToolResult("", msgspec.to_builtins(Results(tuple(found))))


async def _fetch(engine: AsyncPincite, bound: Attributes, asked: FetchOne) -> ToolResult:
    tags = bind_tags(bound, asked.tags)
    within = await open_within(engine.client(), tags)
    key = asked.id.removeprefix("#")
    try:
        info, chunk = await find_chunk(within, key)
    except UsageError:  # it may be a passage of another program; those have no tags
        theirs = None if tags else await engine.foreign.find(key)
        if theirs is None:
            raise
        return _stored(*theirs)
    passage = await engine.get(chunk.id, _CONTEXT, tags=tags)
    metadata = {
        "citation": cite(chunk),
        "collection": info.spec.name,
        "source": chunk.repo,
        "revision": chunk.ref,
        "path": chunk.path,
        **_where(chunk, passage),
        "changed_since_indexed": "yes" if passage.changed else "no",
    }
    fetched = Fetched(chunk.id, _title(chunk), passage.text, chunk.url or "", metadata)
    return ToolResult("", msgspec.to_builtins(fetched))


def _where(chunk: Chunk, passage: Passage) -> dict[str, str]:
    """Return the lines of the passage and those of the returned text, or the page of the
    passage."""
    page, unit = page_of(chunk)
    if page is not None and unit is not None:
        return {unit: str(page)}
    return {
        "lines": f"{chunk.start_line}-{chunk.end_line}",
        "lines_of_text": f"{passage.start_line}-{passage.end_line}",
    }


def _stored(collection: str, chunk: Chunk) -> ToolResult:
    """Return a passage that another program indexed: its file and the lines around it are not
    available."""
    about = {"citation": cite(chunk), "collection": collection, "source_indexed_here": "no"}
    fetched = Fetched(chunk.id, _title(chunk), chunk.text, chunk.url or "", about)
    return ToolResult("", msgspec.to_builtins(fetched))


def _title(one: Chunk | Evidence) -> str:
    return " > ".join(filter(None, (one.path or one.url, *one.headings)))


def chatgpt_tools(
    engine: AsyncPincite, preset: str | None = None, tags: Attributes = MappingProxyType({})
) -> Sequence[Tool[Any]]:
    """Return both tools, bound to an engine, to a preset that replaces its profile, and to tags
    that no call can remove or widen. Without a preset the profile is used."""
    return (
        Tool(
            "search",
            "Search",
            "Find passages of the indexed documentation and source code that answer a question,"
            " best first. Nothing is returned if nothing relevant is indexed.",
            SearchOne,
            object_schema(Results),
            partial(_search, engine, preset, tags),
            plain=True,
        ),
        Tool(
            "fetch",
            "Fetch",
            "Read a passage that search found, with the lines around it and its citation.",
            FetchOne,
            object_schema(Fetched),
            partial(_fetch, engine, tags),
            plain=True,
        ),
    )
