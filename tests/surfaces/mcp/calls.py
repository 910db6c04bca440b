"""Calls of tools, and their results."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client
from mcp.types import CallToolResult, TextContent

from pincite.engine import AsyncPincite
from pincite.settings.load import load_settings
from pincite.surfaces.mcp.chatgpt import chatgpt_tools
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools

T = TypeVar("T")


def with_client(
    folder: Path,
    work: Callable[[Client], Awaitable[T]],
    mode: str = "auto",
    chatgpt: bool = False,
    preset: str | None = None,
) -> T:
    async def session() -> T:
        settings = load_settings({"PINCITE_IDLE_S": "60"}, folder)
        async with AsyncPincite(settings) as engine:
            server = make_server(engine, (chatgpt_tools if chatgpt else tools)(engine, preset))
            async with Client(server, mode=mode) as client:
                return await work(client)

    return asyncio.run(session())


def call(folder: Path, tool: str, chatgpt: bool = False, **arguments: Any) -> CallToolResult:
    """One call. The structure of passages, which programs read, comes where it is asked for."""
    if tool in ("search_evidence", "read_lines"):
        arguments.setdefault("detail", "full")
    return with_client(folder, lambda c: c.call_tool(tool, arguments), chatgpt=chatgpt)


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def structure_of(result: CallToolResult) -> dict[str, Any]:
    assert result.is_error is not True, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content
