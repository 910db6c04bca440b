"""The tools of the MCP server: their arguments, descriptions and functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pincite.asking import SearchOptions, bind_tags
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.passage import Passage, with_text
from pincite.diagnostics.status import kept_back, status, status_table
from pincite.engine import AsyncPincite
from pincite.model import Attributes, TaskMode
from pincite.model.citation import with_chars, with_lines
from pincite.model.context_block import write_context
from pincite.stages.context import Around
from pincite.support.fields import replace
from pincite.surfaces.mcp import texts
from pincite.surfaces.mcp.answering import answer_tool
from pincite.surfaces.mcp.refreshing import refresh_tool
from pincite.surfaces.mcp.tool_types import DescribedTags, Detail, Tags, Tool, ToolResult
from pincite.surfaces.tools import arguments as tool_arguments
from pincite.surfaces.tools.texts import MAX_TOKENS, Budget, answer_text, results_for
from pincite.surfaces.traced_search import traced_search

_MAX_RECORD_CHARS = 20_000  # as many as 200 lines of 100 characters


class SearchArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `search_evidence`. They are sent to the model with every question, so those
    whose name is clear have no description."""

    query: Annotated[
        str,
        Meta(min_length=1, max_length=10_000, description="A question or task, with exact names."),
    ]
    max_tokens: Budget = MAX_TOKENS
    limit: Annotated[int, Meta(ge=1, le=50)] | None = None
    mode: TaskMode = "build"
    kinds: tuple[Literal["docs", "code", "data"], ...] = ()
    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    paths: Annotated[
        tuple[str, ...], Meta(description="Files, folders or globs; one needs no list.")
    ] = ()
    not_paths: tuple[str, ...] = ()
    ref: str | None = None
    where: Annotated[str, Meta(max_length=2_000, description=tool_arguments.WHERE)] = ""
    tags: DescribedTags = {}
    context: Around | None = None
    budget_ms: Annotated[int, Meta(ge=1)] | None = None
    subqueries: Annotated[
        tuple[str, ...], Meta(max_length=16, description="As lex:, vec:, hyde: or intent: TEXT.")
    ] = ()
    detail: Literal["text", "context", "full", "debug"] = "text"


class ReadArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `read_lines`."""

    locator: Annotated[
        str,
        Meta(min_length=1, description="Citation, #id, PATH, PATH:LINE:COUNT or PATH#page=3."),
    ]
    context: Annotated[int, Meta(ge=0, le=500)] = 0
    max_tokens: Budget = MAX_TOKENS
    tags: Tags = {}
    collections: tuple[str, ...] = ()
    detail: Detail = "text"


class Cited(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A citation, and a quotation that its text should contain."""

    citation: Annotated[str, Meta(min_length=1, max_length=4_000)]
    quote: str | None = None


class VerifyArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `verify_citations`."""

    citations: Annotated[
        tuple[Annotated[str, Meta(max_length=4_000)] | Cited, ...],
        Meta(
            min_length=1,
            max_length=50,
            description='Or {"citation", "quote"}.',
        ),
    ]
    tags: Tags = {}
    collections: tuple[str, ...] = ()


class StatusArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `index_status`: none."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of `read_lines`. `lines_left` is the number of requested lines that did not fit.
    `rest` is the citation of the remaining text of a record."""

    passage: Passage
    lines_left: int
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Checks:
    """The result of `verify_citations`."""

    checked: tuple[ClaimCheck, ...]
    all_fresh: bool


async def _search(
    engine: AsyncPincite, preset: str | None, bound: Attributes, asked: SearchArguments
) -> ToolResult:
    engine.reopen()
    given = {name: getattr(asked, name) for name in asked.__struct_fields__}
    query, budget, detail = (given.pop(name) for name in ("query", "max_tokens", "detail"))
    given["tags"] = bind_tags(bound, asked.tags)
    given["limit"] = asked.limit or results_for(budget)
    block = detail == "context"  # text for a prompt, with the best passages at its start and end
    options = SearchOptions(query, preset=preset, optimise=block, **given)
    pack, trace = await traced_search(engine, options, debug=detail == "debug")
    meta: dict[str, Any] = {"pincite/query_id": trace.query_id} if trace.query_id else {}
    text = write_context(pack, budget).text if block else answer_text(pack, budget)
    if detail in ("text", "context"):
        return ToolResult(text, meta=meta)
    meta["pincite/timings_ms"] = dict(pack.timings_ms)
    alike = replace(pack, timings_ms={})  # so the same question has the same answer
    return ToolResult(text, msgspec.to_builtins(alike), meta)


async def _read(engine: AsyncPincite, bound: Attributes, asked: ReadArguments) -> ToolResult:
    tags = bind_tags(bound, asked.tags)
    passage = await engine.get(
        asked.locator, asked.context, tags=tags, collections=asked.collections
    )
    if passage.start_char is not None and passage.end_char is not None:
        most = texts.chars_within(passage, asked.max_tokens)
        reading = _cut_record(passage, passage.start_char, passage.end_char, most)
    else:
        lines = passage.text.split("\n")
        kept = lines[: min(texts.MOST_LINES, texts.lines_within(passage, asked.max_tokens))]
        left = len(lines) - len(kept)
        if left:
            last = passage.start_line + len(kept) - 1
            cited = with_lines(passage.citation, passage.start_line, last)
            passage = replace(passage, end_line=last, citation=cited)
            passage = with_text(passage, "\n".join(kept), newline=True)
        reading = Reading(passage, left)
    said = texts.passage_text(reading.passage, reading.lines_left, asked.max_tokens, reading.rest)
    return ToolResult(said, msgspec.to_builtins(reading) if asked.detail == "full" else None)


def _cut_record(passage: Passage, start: int, end: int, most: int) -> Reading:
    """Return the part of a record that fits into one answer. Lines of a record may have any length,
    so it is also cut within a line."""
    lines = passage.text.split("\n")
    kept = "\n".join(lines[: texts.MOST_LINES])[: min(most, _MAX_RECORD_CHARS)]
    if len(kept) == len(passage.text):
        return Reading(passage, 0)
    at, rest = start + len(kept), with_chars(passage.citation, start + len(kept), end)
    shown = replace(
        passage,
        text=kept,
        end_line=passage.start_line + kept.count("\n") if passage.start_line else 0,
        end_char=at,
        citation=with_chars(passage.citation, start, at),
    )
    return Reading(shown, passage.end_line - shown.end_line, rest)


async def _verify(engine: AsyncPincite, bound: Attributes, asked: VerifyArguments) -> ToolResult:
    claims = [
        Claim(one) if isinstance(one, str) else Claim(one.citation, one.quote or "")
        for one in asked.citations
    ]
    tags = bind_tags(bound, asked.tags)
    checked = await engine.check(claims, tags=tags, collections=asked.collections)
    found = Checks(checked, all(one.status == "fresh" for one in checked))
    return ToolResult(texts.check_lines(checked), msgspec.to_builtins(found))


async def _status(engine: AsyncPincite, bound: Attributes, _: StatusArguments) -> ToolResult:
    engine.reopen()
    found = kept_back(await status(engine), all_=bool(bound))
    return ToolResult(status_table(found), msgspec.to_builtins(found))


def tools(
    engine: AsyncPincite, preset: str | None = None, tags: Attributes = MappingProxyType({})
) -> Sequence[Tool[Any]]:
    """Return five tools, and `answer` if the settings name a language model. They are bound to an
    engine, to a preset that replaces its profile, and to tags that no call can remove or widen."""
    return (
        Tool(
            "search_evidence",
            "Search evidence",
            "Find passages of the indexed docs and code, cited by exact lines, with a verdict:"
            " grounded (on topic), weak (say so) or none (do not answer from it)."
            " Use it before you write code against, or claim anything about, what is indexed.",
            SearchArguments,
            None,
            partial(_search, engine, preset, tags),
        ),
        Tool(
            "read_lines",
            "Read lines",
            f"Read lines of an indexed file as it is now, {texts.MOST_LINES} at most.",
            ReadArguments,
            None,
            partial(_read, engine, tags),
        ),
        Tool(
            "verify_citations",
            "Verify citations",
            "Check citations against the files as they are now: fresh, moved, changed, deleted or"
            " unknown. Use it before you answer.",
            VerifyArguments,
            None,
            partial(_verify, engine, tags),
        ),
        Tool(
            "index_status",
            "Index status",
            "What is indexed, how, and what was left out.",
            StatusArguments,
            None,
            partial(_status, engine, tags),
        ),
        refresh_tool(engine, tags),
        *([answer_tool(engine, preset, tags)] if _has_model(engine) else ()),
    )


def _has_model(engine: AsyncPincite | None) -> bool:
    return engine is not None and bool(engine.settings.use.llm)
