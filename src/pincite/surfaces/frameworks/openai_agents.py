"""OpenAI Agents SDK: a tool; needs `pip install 'pincite[openai-agents]'`.

>>> agent = Agent(name="developer", tools=[evidence_tool(".pincite")])
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pincite.surfaces.extra import needs_extra
from pincite.surfaces.frameworks.tools import (
    DESCRIPTION,
    FILTER,
    NAME,
    QUERY,
    evidence_text,
    tool_source,
    wrong_arguments,
)
from pincite.surfaces.tool_texts import MAX_TOKENS

with needs_extra("openai-agents", "agents"):
    from agents.tool_context import ToolContext
    from pydantic import Field

    from agents import (
        FunctionTool,
        ModelBehaviorError,
        RunContextWrapper,
        default_tool_error_function,
        function_tool,
    )


def evidence_tool(
    index: Any = None,
    *,
    max_tokens: int = MAX_TOKENS,
    name: str = NAME,
    description: str = DESCRIPTION,
    **searched: Any,
) -> FunctionTool:
    """Return a tool that searches one index: an `EvidenceSource`, which its owner closes, or the
    arguments for one. No call widens its restrictions. An answer has at most `max_tokens`. Several
    tools of one agent need different names. Raises UsageError for a wrong argument."""
    source = tool_source(index, max_tokens, searched)

    @function_tool(
        name_override=name,
        description_override=description,
        failure_error_function=partial(_explained, name),
    )
    async def search_evidence(
        query: Annotated[str, Field(description=QUERY)],
        where: Annotated[str, Field(description=FILTER)] = "",
    ) -> str:
        return await evidence_text(source, query, where, max_tokens, name)

    return search_evidence


def _explained(name: str, context: RunContextWrapper[Any], error: Exception) -> str:
    """Return what the model is told of a failed call. The SDK's error need not say which argument
    is wrong, so the arguments are looked at again."""
    if isinstance(error, ModelBehaviorError) and isinstance(context, ToolContext):
        said = wrong_arguments(context.tool_arguments, name)
        if said:
            return said
    return default_tool_error_function(context, error)
