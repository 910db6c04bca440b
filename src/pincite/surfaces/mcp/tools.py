"""The four tools: what they take, what they do, what they say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

from pincite.asking import bind_tags
from pincite.citations.claims import Claim, ClaimCheck
from pincite.citations.locate import Passage
from pincite.diagnostics.status import kept_back
from pincite.engine import AsyncPincite
from pincite.model import Attributes, EvidencePack, TaskMode
from pincite.model.citation import with_chars, with_lines
from pincite.stages.context import Around
from pincite.surfaces import commands, tool_arguments
from pincite.surfaces.mcp import texts

S = TypeVar("S", bound=msgspec.Struct)
Tags = Annotated[dict[str, tool_arguments.TagValue], Meta(description=tool_arguments.TAGS)]
Collections = Annotated[tuple[str, ...], Meta(description="Only these collections; all if empty.")]
_MAX_LINES = 200
_MAX_RECORD_CHARS = 20_000  # as 200 lines of a hundred characters


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gives: a text for the model, the same as a structure, and what is about the
    call rather than the answer."""

    text: str
    structure: Mapping[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tool(Generic[S]):
    """A tool. All of them read and change nothing. Clients of a `plain` one know one argument."""

    name: str
    title: str
    description: str
    takes: type[S]
    gives: Mapping[str, Any]
    run: Callable[[S], Awaitable[Answer]]
    plain: bool = False


class SearchArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `search_evidence`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=10_000,
            description="A question or task in natural language, with the exact names of functions,"
            " classes, options or errors where you know them.",
        ),
    ]
    mode: Annotated[
        TaskMode,
        Meta(
            description="What the evidence is for; for build, debug and refactor documentation and"
            " code are wanted side by side, where the server is set up for it."
        ),
    ] = "build"
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=50)] | None,
        Meta(description="Passages at most; as many as the server is set up for if left out."),
    ] = None
    kinds: Annotated[
        tuple[Literal["docs", "code", "data"], ...],
        Meta(description="Only files of these kinds; all if empty."),
    ] = ()
    collections: Collections = ()
    sources: Annotated[tuple[str, ...], Meta(description="Only these sources; all if empty.")] = ()
    paths: Annotated[
        tuple[str, ...], Meta(description="Only paths that match one of these globs, as src/*.py.")
    ] = ()
    not_paths: Annotated[
        tuple[str, ...], Meta(description="No paths that match one of these globs.")
    ] = ()
    ref: Annotated[
        str | None, Meta(description="Only this revision (commit or version); may be shortened.")
    ] = None
    where: Annotated[str, Meta(max_length=2_000, description=tool_arguments.WHERE)] = ""
    tags: Tags = {}
    context: Annotated[
        Around, Meta(description="Bring along what stands around each passage, in the structure.")
    ] = "unit"
    budget_ms: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Leave out what this time is too short for."),
    ] = None
    debug: Annotated[
        bool,
        Meta(description="Bring along what services were asked and answered, in the structure."),
    ] = False


class ReadArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `read_lines`."""

    locator: Annotated[
        str,
        Meta(
            min_length=1,
            description="What to read: the #id of a passage, a citation, PATH, PATH:LINE or"
            " PATH:LINE:COUNT of an indexed file.",
        ),
    ]
    context: Annotated[int, Meta(ge=0, le=500, description="Lines to add before and after.")] = 0
    tags: Tags = {}
    collections: Collections = ()


class Cited(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A citation and the words that it is cited for."""

    citation: Annotated[str, Meta(min_length=1)]
    quote: Annotated[
        str, Meta(description="Words that the cited lines must contain; white space is the same.")
    ] = ""


class VerifyArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `verify_citations`."""

    citations: Annotated[
        tuple[str | Cited, ...],
        Meta(
            min_length=1,
            max_length=50,
            description="Citations as search_evidence gives them, or #ids of passages; with"
            " a quote each where you say what the lines say.",
        ),
    ]
    tags: Tags = {}
    collections: Collections = ()


class StatusArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`index_status` takes nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What `read_lines` gives. `lines_left` were asked for and are more than it gives at once;
    `rest` is the citation of what is left of a record."""

    passage: Passage
    lines_left: int
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Checks:
    """What `verify_citations` gives."""

    checked: tuple[ClaimCheck, ...]
    all_fresh: bool


async def _search(
    engine: AsyncPincite, preset: str | None, bound: Attributes, asked: SearchArguments
) -> Answer:
    engine.refresh()
    given = {name: getattr(asked, name) for name in asked.__struct_fields__}
    query, debug = given.pop("query"), given.pop("debug")
    given["tags"] = bind_tags(bound, asked.tags)
    options = commands.SearchOptions(query, preset=preset, **given)
    pack, trace = await commands.search(engine, options, debug=debug)
    meta: dict[str, Any] = {"pincite/timings_ms": dict(pack.timings_ms)}
    if trace.query_id:
        meta["pincite/query_id"] = trace.query_id
    alike = replace(pack, timings_ms={})  # the same for the same question
    return Answer(texts.pack_lines(pack), msgspec.to_builtins(alike), meta)


async def _read(engine: AsyncPincite, bound: Attributes, asked: ReadArguments) -> Answer:
    tags = bind_tags(bound, asked.tags)
    passage = await engine.get(
        asked.locator, asked.context, tags=tags, collections=asked.collections
    )
    if passage.start_char is not None and passage.end_char is not None:
        reading = _cut_record(passage, passage.start_char, passage.end_char)
        return Answer(texts.passage_text(reading.passage, 0, reading.rest), _plain(reading))
    lines = passage.text.split("\n")
    left = len(lines) - _MAX_LINES
    if left > 0:
        cut = passage.start_line + _MAX_LINES - 1
        cited = with_lines(passage.citation, passage.start_line, cut)
        kept = "\n".join(lines[:_MAX_LINES])
        passage = replace(passage, text=kept, end_line=cut, citation=cited, newline=True)
    reading = Reading(passage, max(0, left))
    return Answer(texts.passage_text(passage, reading.lines_left), _plain(reading))


def _cut_record(passage: Passage, start: int, end: int) -> Reading:
    """What is given of a record at once: its lines may be of any length."""
    lines = passage.text.split("\n")
    kept = "\n".join(lines[:_MAX_LINES])[:_MAX_RECORD_CHARS]
    if len(kept) == len(passage.text):
        return Reading(passage, 0)
    at, rest = start + len(kept), with_chars(passage.citation, start + len(kept), end)
    shown = replace(
        passage,
        text=kept,
        end_line=passage.start_line + kept.count("\n"),
        end_char=at,
        citation=with_chars(passage.citation, start, at),
    )
    return Reading(shown, passage.end_line - shown.end_line, rest)


def _plain(reading: Reading) -> Any:
    return msgspec.to_builtins(reading)


async def _verify(engine: AsyncPincite, bound: Attributes, asked: VerifyArguments) -> Answer:
    claims = [
        Claim(one) if isinstance(one, str) else Claim(one.citation, one.quote)
        for one in asked.citations
    ]
    tags = bind_tags(bound, asked.tags)
    checked = await engine.check(claims, tags=tags, collections=asked.collections)
    found = Checks(checked, all(one.status == "fresh" for one in checked))
    return Answer(texts.check_lines(checked), msgspec.to_builtins(found))


async def _status(engine: AsyncPincite, bound: Attributes, _: StatusArguments) -> Answer:
    engine.refresh()
    found = kept_back(await commands.status(engine), all_=bool(bound))
    return Answer(commands.status_table(found), msgspec.to_builtins(found))


def tools(
    engine: AsyncPincite, preset: str | None = None, tags: Attributes = MappingProxyType({})
) -> Sequence[Tool[Any]]:
    """All four, bound to an engine, to a preset in place of its profile, and to tags that no call
    can take off or widen."""
    return (
        Tool(
            "search_evidence",
            "Search evidence",
            "Find passages of the indexed documentation and source code that answer a question,"
            " best first, each with a citation of exact lines of an exact revision. The first line"
            " is the verdict: `grounded` (good evidence), `weak` (say so when you use it) or `none`"
            " (nothing relevant is indexed: do not answer from it). Use it before you write code"
            " against or make claims about what is indexed, and cite what you use.",
            SearchArguments,
            object_schema(EvidencePack),
            partial(_search, engine, preset, tags),
        ),
        Tool(
            "read_lines",
            "Read lines",
            f"Read lines of an indexed file as it is now, {_MAX_LINES} at most: a passage that"
            " search_evidence found with lines around it, or any part of a file.",
            ReadArguments,
            object_schema(Reading),
            partial(_read, engine, tags),
        ),
        Tool(
            "verify_citations",
            "Verify citations",
            "Check citations against the files as they are now: fresh, moved (with the lines where"
            " the text is now), changed, deleted, or unknown. With quotes it checks that the cited"
            " lines say what you claim they say. Use it before you hand over an answer.",
            VerifyArguments,
            object_schema(Checks),
            partial(_verify, engine, tags),
        ),
        Tool(
            "index_status",
            "Index status",
            "Say what is indexed: collections, sources with revisions, how strong retrieval is,"
            " what was left out, and what would make it better.",
            StatusArguments,
            object_schema(commands.Status),
            partial(_status, engine, tags),
        ),
    )


def object_schema(of: type) -> dict[str, Any]:
    """A schema whose root is an object and no reference, as older clients need it."""
    definitions = msgspec.json.schema(of)["$defs"]
    return {**definitions[of.__name__], "$defs": definitions}
