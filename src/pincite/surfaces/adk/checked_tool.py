"""Tools in the form that the framework offers to its model, with checked arguments."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from inspect import cleandoc
from typing import Any, TypeVar

from pincite.surfaces.extra import needs_extra
from pincite.surfaces.tools.required_tags import needs

with needs_extra("adk", "google.adk"):
    from google.adk.tools.function_tool import FunctionTool
    from google.adk.tools.tool_context import ToolContext


_RETURNS = """\
Returns a dict with `status`: `success`, with `evidence`, a text: the verdict, then passages,
best first, each with its citation and the numbers of its lines; `no_results` where nothing
that was searched is good enough, and `evidence` says why: say so, do not answer from it;
`error`, with `error_message` that says what to do."""
_Tool = TypeVar("_Tool", bound=Callable[..., object])


def with_returns(tool: _Tool) -> _Tool:
    """Append the return value of all tools to the docstring, which the framework gives to the
    model."""
    tool.__doc__ = f"{cleandoc(tool.__doc__ or '')}\n\n{_RETURNS}"
    return tool


class CheckedTool(FunctionTool):
    """A tool whose `answer` gets the arguments unchanged. Otherwise, the framework would drop
    unknown ones, and its own answer for a missing one would have no `status`."""

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
        """Return the answer of the tool; invalid arguments give an answer with the error. The name
        has the prefix that the framework may have added."""
        return await self._answer(args, self.name)


def offered_tool(
    tool: Callable[..., Awaitable[dict[str, Any]]], needed: Sequence[str], omit: Sequence[str]
) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Return the tool in the form that the framework describes to its model: without the arguments
    in `omit`, and with the `needed` tags in its description."""
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
