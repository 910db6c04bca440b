"""OpenAI Agents SDK: a tool; needs `pip install 'pincite[openai-agents]'`.

>>> agent = Agent(name="developer", tools=[evidence_tool(".pincite")])
"""

from __future__ import annotations

import logging
from typing import Any, Unpack

from pincite.surfaces.extra import needs_extra
from pincite.surfaces.frameworks.evidence_source import EvidenceSource, Place, SourceKeywords
from pincite.surfaces.frameworks.tools import (
    DESCRIPTION,
    NAME,
    Arguments,
    answer_call,
    tool_source,
)
from pincite.surfaces.tools.arguments import listed_schema
from pincite.surfaces.tools.texts import MAX_TOKENS

with needs_extra("openai-agents", "agents"):
    from agents import FunctionTool, default_tool_error_function
    from agents.tool_context import ToolContext

log = logging.getLogger(__name__)


def evidence_tool(
    index: Place | EvidenceSource = None,
    *,
    max_tokens: int = MAX_TOKENS,
    name: str = NAME,
    description: str = DESCRIPTION,
    **searched: Unpack[SourceKeywords],
) -> FunctionTool:
    """Return a tool that searches one index. `index` and the keyword arguments are those of an
    `EvidenceSource`; a finished one, given instead, is closed by its owner. No call can widen the
    restrictions. An answer has at most `max_tokens`. Several tools of one agent need different
    names. Raises UsageError for an invalid argument."""
    source = tool_source(index, max_tokens, searched)

    async def answer(context: ToolContext[Any], given: str) -> str:
        try:
            return await answer_call(source, given, max_tokens, name)
        except Exception as error:  # it would end the whole run of the agent
            log.exception("%s failed", name)
            return default_tool_error_function(context, error)

    return FunctionTool(name, description, listed_schema(Arguments), answer)
