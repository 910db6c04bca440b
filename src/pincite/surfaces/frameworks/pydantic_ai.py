"""Pydantic AI: a tool; needs `pip install 'pincite[pydantic-ai]'`.

>>> agent = Agent("openai:gpt-5", tools=[evidence_tool(".pincite")])
"""

from __future__ import annotations

from typing import Annotated, Any, Unpack

from pincite.surfaces.extra import needs_extra
from pincite.surfaces.frameworks.evidence_source import EvidenceSource, Place, SourceKeywords
from pincite.surfaces.frameworks.tools import (
    DESCRIPTION,
    FILTER,
    NAME,
    QUERY,
    evidence_text,
    tool_source,
)
from pincite.surfaces.tools.texts import MAX_TOKENS

with needs_extra("pydantic-ai", "pydantic_ai", "pydantic"):
    from pydantic import BeforeValidator, Field
    from pydantic_ai import Tool


def evidence_tool(
    index: Place | EvidenceSource = None,
    *,
    max_tokens: int = MAX_TOKENS,
    name: str = NAME,
    description: str = DESCRIPTION,
    **searched: Unpack[SourceKeywords],
) -> Tool[Any]:
    """Return a tool that searches one index. `index` and the keyword arguments are those of an
    `EvidenceSource`; a finished one, given instead, is closed by its owner. No call can widen the
    restrictions. An answer has at most `max_tokens`. Several tools of one agent need different
    names. Raises UsageError for an invalid argument."""
    source = tool_source(index, max_tokens, searched)

    async def search_evidence(
        query: Annotated[str, Field(description=QUERY)],
        where: Annotated[str, BeforeValidator(_left_out), Field(description=FILTER)] = "",
    ) -> str:
        return await evidence_text(source, query, where, max_tokens, name)

    return Tool(search_evidence, name=name, description=description, takes_ctx=False)


def _left_out(where: Any) -> Any:
    """Return an empty filter for None, because some models send all arguments."""
    return "" if where is None else where
