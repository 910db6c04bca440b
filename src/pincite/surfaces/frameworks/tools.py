"""Code that the tools of agent frameworks share: names, descriptions, and the answer as a text."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pincite.errors import PinciteError, UsageError
from pincite.support.arguments import require_count
from pincite.surfaces.frameworks.evidence_source import (
    EvidenceSource,
    Place,
    SourceKeywords,
    require_taken,
)
from pincite.surfaces.tools.arguments import WHERE, take_arguments
from pincite.surfaces.tools.hints import ToolNames, for_tools
from pincite.surfaces.tools.texts import LEAST_TOKENS, MAX_TOKENS, MOST_TOKENS, answer_text

NAME: Final = "search_evidence"
DESCRIPTION: Final = (
    "Searches what is indexed and returns passages with exact citations, and a verdict on whether"
    " they are good enough. Cite what you use; where nothing is good enough, say so."
)
QUERY: Final = (
    "The question or task, with the exact names of functions, classes, options or errors where you"
    " know them."
)
FILTER: Final = WHERE


def tool_source(
    index: Place | EvidenceSource, max_tokens: int, searched: SourceKeywords
) -> EvidenceSource:
    """Return the source of a tool: the given one, or a new one for an index. Raises UsageError for
    an invalid argument, and TypeError for further arguments beside a given source, which already
    has its own."""
    require_count("max_tokens", max_tokens, least=LEAST_TOKENS, most=MOST_TOKENS)
    if not isinstance(index, EvidenceSource):
        require_taken("evidence_tool", searched, top_k="limit", k="limit")
        return EvidenceSource(index, **searched)
    if searched:
        raise TypeError(f"an EvidenceSource has its own {', '.join(sorted(searched))}")
    return index


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of a tool."""

    query: Annotated[str, Meta(description=QUERY)]
    where: Annotated[str, Meta(description=FILTER)] = ""


async def evidence_text(
    source: EvidenceSource,
    query: str,
    where: str = "",
    max_tokens: int = MAX_TOKENS,
    name: str = NAME,
) -> str:
    """Return the answer of a tool: the verdict and passages, within `max_tokens`. Pincite's errors
    are returned to the model as text, because an exception would end the whole run of the agent."""
    try:
        pack = await source.asearch(query, where=where)
        return answer_text(pack, max_tokens, _names(name))
    except PinciteError as error:
        return _said(error, name)


async def answer_call(source: EvidenceSource, given: str, max_tokens: int, name: str) -> str:
    """Return the answer of a tool for arguments in JSON. Errors in the arguments are also returned
    as text."""
    try:
        arguments = msgspec.json.decode(given or "{}", type=dict[str, Any])
        asked = take_arguments(name, arguments, Arguments)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"error: {name}: the arguments are not a JSON object: {error}"
    except UsageError as error:
        return _said(error, name)
    return await evidence_text(source, asked.query, asked.where, max_tokens, name)


def _said(error: PinciteError, name: str) -> str:
    return f"error: {for_tools(str(error), _names(name))}"


def _names(search: str) -> ToolNames:
    return ToolNames(search=search, read="", verify="", status="", tags="filter")
