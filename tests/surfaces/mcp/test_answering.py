"""The tool `answer`: there where a model is named, with sources, and within bound tags."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

from pincite.engine import AsyncPincite
from pincite.providers.provider_options import ProviderOptions
from pincite.settings.load import load_settings
from pincite.support.fields import replace
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools
from pincite.testing.contract_server import ContractServer
from tests.surfaces.mcp.conftest import definition_tokens

QUESTION = "how is a key rotated with the new secret?"


@pytest.fixture
def server() -> Iterator[ContractServer]:
    with ContractServer() as server:
        yield server


def called(
    folder: Path, server: ContractServer, tags: Any = None, **arguments: Any
) -> CallToolResult:
    (folder / "docs").mkdir(exist_ok=True)
    text = "To rotate a key, call rotate_key with the new secret.\n\x1b[2J"
    (folder / "docs" / "keys.md").write_text(text, encoding="utf-8")

    async def session() -> CallToolResult:
        known = load_settings({"PINCITE_IDLE_S": "60"}, folder, folder / ".pincite")
        provider = ProviderOptions(url=server.url("ollama"), tries=1)
        use = replace(known.use, llm="ollama:qwen3:8b", providers={"ollama": provider})
        async with AsyncPincite(replace(known, use=use)) as engine:
            await engine.index(folder / "docs", lexical=True, attributes={"course": "ml"})
            served = make_server(engine, tools(engine, None, tags or {}), tags or {})
            async with Client(served) as client:
                found = await client.call_tool("answer", {"query": QUESTION} | arguments)
            await engine.stop()
            return found

    return asyncio.run(session())


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def test_an_answer_has_its_sources_and_nothing_that_steers(
    tmp_path: Path, server: ContractServer
) -> None:
    text = text_of(called(tmp_path, server))
    assert text.startswith("To rotate a key, call rotate_key with the new secret. [1]")
    assert "\n\nSources:\n[1] docs@" in text
    assert "\x1b" not in text


def test_all_of_it_is_there_for_programs(tmp_path: Path, server: ContractServer) -> None:
    found = called(tmp_path, server, detail="full", mode="open").structured_content
    assert found is not None
    assert (found["kind"], found["mode"], found["cited"]) == ("generated", "open", [1])


def test_bound_tags_hold(tmp_path: Path, server: ContractServer) -> None:
    assert "Sources:" in text_of(called(tmp_path, server, {"course": "ml"}))
    server.record.clear()
    refused = text_of(called(tmp_path, server, {"course": "physics"}))
    assert refused.startswith("I could not find anything")
    assert server.record.requests == 0


def test_clients_are_told_that_a_service_writes_the_answer(tmp_path: Path) -> None:
    async def session() -> Any:
        known = load_settings({}, tmp_path, tmp_path / ".pincite")
        settings = replace(known, use=replace(known.use, llm="ollama:qwen3:8b"))
        engine = AsyncPincite(settings)
        async with engine, Client(make_server(engine, tools(engine))) as client:
            return (await client.list_tools()).tools[-1]

    tool = asyncio.run(session())
    assert tool.name == "answer"
    assert tool.annotations.read_only_hint is True
    assert tool.annotations.open_world_hint is True
    assert definition_tokens(tool) < 500  # docs/mcp.md


def test_without_a_model_there_is_no_such_tool(tmp_path: Path) -> None:
    engine = AsyncPincite(load_settings({}, tmp_path, tmp_path / ".pincite"))
    assert "answer" not in {tool.name for tool in tools(engine)}
