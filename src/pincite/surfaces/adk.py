"""Tools for agents of the Agent Development Kit; needs `pip install 'pincite[adk]'`.

>>> agent = LlmAgent(name="dev", model=..., tools=[EvidenceToolset(".pincite")])
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import cleandoc
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

from pincite.asking import SearchOptions, bind_tags, bound_tags, tags_of_texts
from pincite.engine import AsyncPincite
from pincite.errors import ConfigError, PinciteError
from pincite.model import Corpus, Scope, SourceType, TaskMode
from pincite.ports import Reranker
from pincite.presets import EVIDENCE, PRESETS
from pincite.scope.where import parse_where
from pincite.settings.load import Settings
from pincite.settings.of_index import settings_for
from pincite.support.arguments import require_choice, require_count, require_kind, texts_of
from pincite.support.fields import replace
from pincite.surfaces.extra import needs_extra
from pincite.surfaces.tools.arguments import WHERE, take_arguments
from pincite.surfaces.tools.hints import ToolNames, for_tools
from pincite.surfaces.tools.required_tags import needed_tags, needs
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
    from google.adk.tools.function_tool import FunctionTool
    from google.adk.tools.tool_context import ToolContext
    from pydantic import Field

log = logging.getLogger(__name__)
#: The subject of `retrieve_adk_evidence`, unless the configuration names it.
ADK = Corpus("Google ADK", "ADK", "ADK Python", "tool calling sessions state")
_MOST = 50
Detail = Literal["text", "full"]
#: The tools and what answers have by default: that of the specification has the pack.
_DETAILS: Final[Mapping[str, Detail]] = {
    "retrieve_evidence": "text",
    "retrieve_adk_evidence": "full",
}
TOOLS = tuple(_DETAILS)
_ADK_RESULTS = 12
#: There is one tool, for searches.
_NAMES: Final = ToolNames(search="search again", read="", verify="", status="", tags="texts")

_Query = Annotated[
    str,
    Field(
        description="The developer's question or task, with the exact names of functions, classes,"
        " options or errors where you know them."
    ),
]
_Mode = Annotated[
    TaskMode,
    Field(description="What the evidence is for; it steers the ranking."),
]
_Results = Annotated[
    Annotated[int, Field(ge=1, le=_MOST)] | None,
    Field(description=f"Passages to return at most, 1 to {_MOST}; as many as fit if left out."),
]
_AdkResults = Annotated[
    int, Field(ge=1, le=_MOST, description=f"Passages to return at most, 1 to {_MOST}.")
]
_Kinds = Annotated[
    list[SourceType] | None, Field(description="Only files of these kinds; all if left out.")
]
_Where = Annotated[str, Field(description=WHERE)]
_Paths = Annotated[
    list[str] | None,
    Field(description="Only these files, folders or globs, such as src/*.py; all if left out."),
]
_Tags = Annotated[
    list[str] | None,
    Field(
        description="Attributes that a passage must have, each as NAME=VALUE; several of one name"
        " mean any of them."
    ),
]

_RETURNS = """\
Returns a dict with `status`: `success`, with `evidence`, a text: the verdict, then passages,
best first, each with its citation and the numbers of its lines; `no_results` where nothing
that was searched is good enough, and `evidence` says why: say so, do not answer from it;
`error`, with `error_message` that says what to do."""
_Tool = TypeVar("_Tool", bound=Callable[..., object])


def _with_returns(tool: _Tool) -> _Tool:
    """Append the return value of all tools to the docstring, which the framework gives to the
    model."""
    tool.__doc__ = f"{cleandoc(tool.__doc__ or '')}\n\n{_RETURNS}"
    return tool


class _AdkArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of both tools. The framework passes on whatever its model made up, unchecked."""

    query: Annotated[str, Meta(min_length=1)]
    task_mode: TaskMode = "build"
    max_results_final: Annotated[int, Meta(ge=1, le=_MOST)] | None = None
    tags: tuple[str, ...] | None = None


class _Arguments(_AdkArguments, frozen=True, forbid_unknown_fields=True):
    """Further arguments of the general tool."""

    kinds: tuple[SourceType, ...] | None = None
    paths: tuple[str, ...] | None = None
    where: Annotated[str, Meta(max_length=2_000)] = ""


class EvidenceToolset(BaseToolset):
    """Tools over one index. The runner closes it; it opens the index with the first call.

    `index` is an index folder or complete settings, by default what the environment and the
    current folder say. `tools` are those that the agent gets. `collections`, `sources`, `kinds` and
    the filter `where` bind them to a part of the index, `tags` to what has these attributes: no
    call can take them off or give them other values. `preset` stands in for the configured profile.
    `max_tokens` is what the text of an answer has at most. `detail="full"` adds the whole evidence
    pack and its warnings to each answer, for programs, and `detail="text"` leaves them out; by
    default the answers of `retrieve_adk_evidence` have them. `debug` adds what services were asked
    and answered as well. `tool_filter` and `tool_name_prefix` are those of the framework: two
    toolsets of one agent need different prefixes.

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
        debug: bool = False,
        max_tokens: int = MAX_TOKENS,
        detail: Detail | None = None,
        tool_filter: ToolPredicate | list[str] | None = None,
        tool_name_prefix: str | None = None,
    ) -> None:
        """Prepare the toolset. Raises UsageError for an argument of a wrong type or value or a tag
        without value, ConfigError for an unknown tool or preset and for invalid settings."""
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
        self._settings = settings_for(index)
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
        that are not bound; if none is left, they have no argument for tags."""
        needed = await needed_tags(self._engine(), self._tags)
        omit = ("tags",) if self._tags and not needed else ()
        made = [
            _CheckedTool(
                _offered(getattr(self, name), needed, omit), partial(self._called, name, omit=omit)
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

    @_with_returns
    async def retrieve_evidence(
        self,
        query: _Query,
        task_mode: _Mode = "build",
        max_results_final: _Results = None,
        kinds: _Kinds = None,
        paths: _Paths = None,
        where: _Where = "",
        tags: _Tags = None,
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

    @_with_returns
    async def retrieve_adk_evidence(
        self,
        query: _Query,
        task_mode: _Mode = "build",
        max_results_final: _AdkResults = _ADK_RESULTS,
        tags: _Tags = None,
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
        """Search and return the answer. Errors name the tool as the model knows it, `offered_as`.
        `omit` are arguments that it does not have. Never raises: an exception of a tool ends the
        agent's whole run."""
        take = partial(take_arguments, offered_as or tool, given, lax=True, omit=omit)
        try:
            full = self._debug or (self._detail or _DETAILS[tool]) == "full"
            if tool == "retrieve_evidence":
                asked: _AdkArguments = take(into=_Arguments)
                return await self._search(asked, self._preset, None, full=full)
            asked = take(into=_AdkArguments)
            asked = replace(asked, max_results_final=asked.max_results_final or _ADK_RESULTS)
            return await self._search(asked, self._preset or EVIDENCE, ADK, full=full)
        except PinciteError as error:
            hint = for_tools(error.hint, _NAMES)
            return _failed(for_tools(error.message, _NAMES), hint, error)
        except Exception as error:
            log.exception("%s failed", tool)
            return _failed(f"{type(error).__name__}: {error}", "", error)

    async def _search(
        self, asked: _AdkArguments, preset: str | None, corpus: Corpus | None, *, full: bool
    ) -> dict[str, Any]:
        engine = self._engine()
        engine.reopen()
        given = asked if isinstance(asked, _Arguments) else _Arguments(asked.query)
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

    def _scope(self, given: _Arguments, tags: Sequence[str]) -> Scope:
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
        """Return the index, open for the running loop."""
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened[0] is not loop:
            self._opened = (loop, AsyncPincite(self._settings, reranker=self._reranker))
        return self._opened[1]


class _CheckedTool(FunctionTool):
    """A tool whose `answer` gets the arguments as they are: the framework would drop unknown ones,
    and answer a missing one without a `status`."""

    def __init__(
        self,
        described: Callable[..., Awaitable[dict[str, Any]]],
        answer: Callable[[Mapping[str, Any], str], Awaitable[dict[str, Any]]],
    ) -> None:
        super().__init__(described)
        self._answer = answer

    async def run_async(
        self,
        *,
        args: dict[str, Any],
        tool_context: ToolContext,  # noqa: ARG002 - the framework's
    ) -> dict[str, Any]:
        """Return the answer, which says what is wrong with the arguments. The framework may have
        added a prefix to the name."""
        return await self._answer(args, self.name)


def _offered(
    tool: Callable[..., Awaitable[dict[str, Any]]], needed: Sequence[str], omit: Sequence[str]
) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Return the tool in the form that the framework describes to its model."""
    if not needed and not omit:
        return tool

    @wraps(tool)
    async def offered(**given: Any) -> dict[str, Any]:
        return await tool(**given)

    signature = inspect.signature(tool, eval_str=True)
    kept = [one for one in signature.parameters.values() if one.name not in omit]
    described: Any = offered
    described.__signature__ = signature.replace(parameters=kept)
    if needed:
        described.__doc__ = f"{tool.__doc__}\n\n{needs(needed).strip()}"
    return offered


def _bound_where(kinds: SourceType | Sequence[SourceType], where: str) -> str:
    """Return the filter for both. Raises UsageError."""
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
