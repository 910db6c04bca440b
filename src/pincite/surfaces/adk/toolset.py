"""The toolset of the Agent Development Kit: its tools, bound to a part of one index."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, get_args

from pincite.asking import SearchOptions, bind_tags, bound_tags, tags_of_texts
from pincite.engine import AsyncPincite
from pincite.errors import ConfigError, PinciteError
from pincite.model import Corpus, Scope, SourceType
from pincite.ports import Reranker
from pincite.presets import EVIDENCE, PRESETS
from pincite.scope.where import parse_where
from pincite.settings.load import Settings
from pincite.settings.of_index import settings_for, with_refresh
from pincite.settings.sections.refresh import RefreshMode
from pincite.support.arguments import require_choice, require_count, require_kind, texts_of
from pincite.support.fields import replace
from pincite.surfaces.adk.arguments import (
    AdkArguments,
    AdkResults,
    Arguments,
    Kinds,
    Mode,
    Paths,
    Query,
    Results,
    Tags,
    Where,
)
from pincite.surfaces.adk.checked_tool import CheckedTool, offered_tool, with_returns
from pincite.surfaces.extra import needs_extra
from pincite.surfaces.tools.arguments import take_arguments
from pincite.surfaces.tools.hints import ToolNames, for_tools
from pincite.surfaces.tools.required_tags import needed_tags
from pincite.surfaces.tools.texts import (
    LEAST_TOKENS,
    MAX_TOKENS,
    MOST_TOKENS,
    answer_text,
    results_for,
)
from pincite.surfaces.traced_search import traced_search

with needs_extra("adk", "google.adk"):
    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.base_toolset import BaseToolset, ToolPredicate

log = logging.getLogger(__name__)
#: The subject of `retrieve_adk_evidence`, unless the configuration names it.
ADK = Corpus("Google ADK", "ADK", "ADK Python", "tool calling sessions state")
Detail = Literal["text", "full"]
#: The tools, and the default detail of their answers.
_DETAILS: Final[Mapping[str, Detail]] = {
    "retrieve_evidence": "text",
    "retrieve_adk_evidence": "full",
}
TOOLS = tuple(_DETAILS)
_ADK_RESULTS = 12
#: The toolset has only tools for searches.
_NAMES: Final = ToolNames(search="search again", read="", verify="", status="", tags="texts")


class EvidenceToolset(BaseToolset):
    """Tools over one index. The runner closes it; it opens the index with the first call.

    `index` is an index folder or complete settings; by default, those of the environment and the
    current folder. `tools` are the names of the tools that the agent gets. `collections`,
    `sources`, `kinds` and the filter `where` bind them to a part of the index, `tags` to passages
    with these attributes: calls cannot remove or change them. `preset` replaces the configured
    profile. The index follows changes of its files unless settings say otherwise; `refresh` (`auto`
    or `manual`) overrides both. `max_tokens` is the maximum size of the text of an answer.

    `detail="full"` adds the whole evidence pack and its warnings to each answer, for programs;
    `detail="text"` leaves them out. By default, only answers of `retrieve_adk_evidence` have them.
    `debug` adds them, too, with the requests to services and their answers. `tool_filter` and
    `tool_name_prefix` are those of the framework: two toolsets of one agent need different
    prefixes.

    >>> toolset = EvidenceToolset(".pincite", tags={"institution": "MIT", "mode": ["exam", "open"]})
    """

    def __init__(
        self,
        index: str | os.PathLike[str] | Settings | None = None,
        *,
        tools: str | Sequence[str] = TOOLS[:1],
        collections: str | Sequence[str] = (),
        sources: str | Sequence[str] = (),
        kinds: SourceType | Sequence[SourceType] = (),
        where: str = "",
        tags: Mapping[str, object] | None = None,
        preset: str | None = None,
        reranker: Reranker | None = None,
        refresh: RefreshMode | None = None,
        debug: bool = False,
        max_tokens: int = MAX_TOKENS,
        detail: Detail | None = None,
        tool_filter: ToolPredicate | list[str] | None = None,
        tool_name_prefix: str | None = None,
    ) -> None:
        """Prepare the toolset. Raises UsageError for an argument with a wrong type or value and for
        a tag without a value, ConfigError for an unknown tool or preset and for wrong settings."""
        super().__init__(tool_filter=tool_filter, tool_name_prefix=tool_name_prefix)
        tools = texts_of("tools", tools)
        for name in tools:
            _require("tool", name, TOOLS)
        if preset is not None:
            _require("preset", preset, tuple(PRESETS))
        require_count("max_tokens", max_tokens, least=LEAST_TOKENS, most=MOST_TOKENS)
        if detail is not None:
            require_choice("detail", detail, get_args(Detail))
        self._max_tokens = max_tokens
        self._detail = detail
        settings = with_refresh(settings_for(index), refresh)
        self._settings = replace(settings, refresh=settings.refresh.by_itself())
        self._names = tools
        self._collections = texts_of("collections", collections)
        self._sources = texts_of("sources", sources)
        self._where = _bound_where(kinds, where)
        self._tags = bound_tags(tags)
        self._preset = preset
        self._reranker = reranker
        self._debug = debug
        self._opened: tuple[asyncio.AbstractEventLoop, AsyncPincite] | None = None

    async def get_tools(
        self,
        readonly_context: ReadonlyContext | None = None,
    ) -> list[BaseTool]:
        """Return the chosen tools. Their descriptions name the tags that the index requires and
        that are not bound. If tags are bound and no more are required, they have no argument for
        tags."""
        needed = await needed_tags(self._engine(), self._tags)
        omit = ("tags",) if self._tags and not needed else ()
        made = [
            CheckedTool(
                offered_tool(getattr(self, name), needed, omit),
                partial(self._called, name, omit=omit),
            )
            for name in self._names
        ]
        return [one for one in made if self._is_tool_selected(one, readonly_context)]

    async def close(self) -> None:
        """Close the index."""
        if self._opened is not None:
            loop, engine = self._opened
            self._opened = None
            if loop is asyncio.get_running_loop():
                await engine.close()

    @with_returns
    async def retrieve_evidence(
        self,
        query: Query,
        task_mode: Mode = "build",
        max_results_final: Results = None,
        kinds: Kinds = None,
        paths: Paths = None,
        where: Where = "",
        tags: Tags = None,
    ) -> dict[str, Any]:
        """Find passages of the indexed documentation and source code that answer a question.

        Use it before you write code against, or claim anything about, what is indexed, and cite
        what you use by its `citation`.
        """
        given = {
            "query": query,
            "task_mode": task_mode,
            "max_results_final": max_results_final,
            "kinds": kinds,
            "paths": paths,
            "where": where,
            "tags": tags,
        }
        return await self._called("retrieve_evidence", given)

    @with_returns
    async def retrieve_adk_evidence(
        self,
        query: Query,
        task_mode: Mode = "build",
        max_results_final: AdkResults = _ADK_RESULTS,
        tags: Tags = None,
    ) -> dict[str, Any]:
        """Find evidence in the documentation and the Python source code of the Agent Development
        Kit (ADK), to ground implementation work in.

        Use it before you write code with ADK, and cite what you use by its `citation`.
        """
        given = {
            "query": query,
            "task_mode": task_mode,
            "max_results_final": max_results_final,
            "tags": tags,
        }
        return await self._called("retrieve_adk_evidence", given)

    async def _called(
        self,
        tool: str,
        given: Mapping[str, Any],
        offered_as: str = "",
        *,
        omit: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Search and return the answer. `offered_as` is the name of the tool for the model, used in
        errors. `omit` are arguments that the tool does not have. Never raises: an exception of a
        tool would end the whole run of the agent."""
        lenient = partial(take_arguments, lax=True, text_as_list=True)
        take = partial(lenient, offered_as or tool, given, omit=omit)
        try:
            full = self._debug or (self._detail or _DETAILS[tool]) == "full"
            if tool == "retrieve_evidence":
                asked: AdkArguments = take(into=Arguments)
                return await self._search(asked, self._preset, None, full=full)
            asked = take(into=AdkArguments)
            asked = replace(asked, max_results_final=asked.max_results_final or _ADK_RESULTS)
            return await self._search(asked, self._preset or EVIDENCE, ADK, full=full)
        except PinciteError as error:
            hint = for_tools(error.hint, _NAMES)
            return _failed(for_tools(error.message, _NAMES), hint, error)
        except Exception as error:
            log.exception("%s failed", tool)
            return _failed(f"{type(error).__name__}: {error}", "", error)

    async def _search(
        self, asked: AdkArguments, preset: str | None, corpus: Corpus | None, *, full: bool
    ) -> dict[str, Any]:
        engine = self._engine()
        engine.reopen()
        given = asked if isinstance(asked, Arguments) else Arguments(asked.query)
        options = SearchOptions(
            asked.query,
            limit=asked.max_results_final or results_for(self._max_tokens),
            scope=self._scope(given, asked.tags or ()),
            mode=asked.task_mode,
            preset=preset,
            corpus=corpus,
        )
        pack, trace = await traced_search(engine, options, debug=self._debug)
        answer: dict[str, Any] = {
            "status": "success" if pack.evidence else "no_results",
            "evidence": answer_text(pack, self._max_tokens, _NAMES),
            "debug": {"query_id": trace.query_id},
        }
        if not full:
            return answer
        found = pack.to_dict()
        answer["debug"] |= {**found.pop("debug"), "timings_ms": found.pop("timings_ms")}
        said = [f"{notice.code}: {notice.message}" for notice in pack.warnings]
        return answer | {"evidence_pack": found, "warnings": said}

    def _scope(self, given: Arguments, tags: Sequence[str]) -> Scope:
        asked = tags_of_texts(tags, "tags")
        hidden = {"collections": self._collections, "sources": self._sources}
        tagged = (f"tags.{name}" for name in self._tags.keys() - asked.keys())
        return Scope(
            collections=self._collections,
            sources=self._sources,
            kinds=given.kinds or (),
            paths=given.paths or (),
            where=given.where,
            tags=bind_tags(self._tags, asked),
            bound_where=self._where,
            unshown=(*(name for name, value in hidden.items() if value), *sorted(tagged)),
        )

    def _engine(self) -> AsyncPincite:
        """Return the engine for the running event loop."""
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened[0] is not loop:
            self._opened = (loop, AsyncPincite(self._settings, reranker=self._reranker))
        return self._opened[1]


def _bound_where(kinds: SourceType | Sequence[SourceType], where: str) -> str:
    """Return one filter for the kinds and `where`. Raises UsageError."""
    require_kind("where", where, str, "a filter as text, such as \"kind = 'code'\"")
    parse_where(where, None)
    listed = texts_of("kinds", kinds)
    for kind in listed:
        require_choice("kinds", kind, get_args(SourceType))
    of_kinds = f"kind in ({', '.join(listed)})" if listed else ""
    return f"({where}) and {of_kinds}" if where.strip() and of_kinds else where or of_kinds


def _require(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise ConfigError(f"no {what} is named {name!r}; known: {', '.join(known)}")


def _failed(message: str, hint: str, error: Exception) -> dict[str, Any]:
    return {
        "status": "error",
        "error_message": f"{message}; try: {hint}" if hint else message,
        "error_type": type(error).__name__,
    }
