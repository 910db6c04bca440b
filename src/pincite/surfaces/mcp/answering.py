"""The tool `answer`: an answer of the configured language model, with its sources.

It is offered only if `[models] llm` names a model. An agent is a language model itself and usually
answers better from the passages of `search_evidence`. The tool takes no user and no conversation,
because the model that calls it could name anybody's.
"""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pincite.asking import SearchOptions, bind_tags
from pincite.asking.answers import AnswerOptions
from pincite.engine import AsyncPincite
from pincite.model import Answer, Attributes, ChatMode
from pincite.surfaces.mcp.tool_types import DescribedTags, Detail, Tool, ToolResult
from pincite.surfaces.text.answer_text import plain_text


class AnswerArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `answer`, named as those of `search_evidence`."""

    query: Annotated[str, Meta(min_length=1, max_length=10_000)]
    mode: ChatMode | None = None
    kinds: tuple[Literal["docs", "code", "data"], ...] = ()
    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    where: Annotated[str, Meta(max_length=2_000)] = ""
    tags: DescribedTags = {}
    detail: Detail = "text"


async def _answer(
    engine: AsyncPincite, preset: str | None, bound: Attributes, asked: AnswerArguments
) -> ToolResult:
    engine.reopen()
    searched = SearchOptions(
        asked.query,
        preset=preset,
        kinds=asked.kinds,
        collections=asked.collections,
        sources=asked.sources,
        paths=asked.paths,
        where=asked.where,
        tags=bind_tags(bound, asked.tags),
    )
    options = AnswerOptions(searched, mode=asked.mode)
    async with aclosing(engine.answering(options)) as events:
        async for event in events:
            if isinstance(event, Answer):
                full: Any = msgspec.to_builtins(event) if asked.detail == "full" else None
                return ToolResult(plain_text(event), full)
    raise AssertionError("an answer ends with an Answer")


def answer_tool(
    engine: AsyncPincite, preset: str | None, tags: Attributes
) -> Tool[AnswerArguments]:
    """Return the tool, bound to an engine, a preset and tags."""
    return Tool(
        "answer",
        "Answer from the index",
        "An answer to a question by a language model, from what is indexed, with its sources and"
        " what is doubtful in it. To write the answer yourself, use search_evidence.",
        AnswerArguments,
        None,
        partial(_answer, engine, preset, tags),
        open_world=True,
    )
