"""`initialize` is answered before the protocol's library is there, as the library answers it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from pincite.engine import AsyncPincite
from pincite.settings.load import load_settings
from pincite.surfaces.mcp.greeting import (
    VERSIONS,
    Unanswered,
    greeting,
    initialize_of,
    instructions_of,
)
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools
from tests.surfaces.conftest import Cli
from tests.surfaces.mcp.conftest import command
from tests.surfaces.mcp.messages import OLD, start
from tests.time_limits import HANGS_S

_IMPORTED = """
import asyncio, sys
from pathlib import Path
from pincite.engine import AsyncPincite
from pincite.surfaces.cli import mcp
from pincite.surfaces.mcp import serving
from pincite.surfaces.mcp.greeting import greeting, initialize_of, instructions_of

async def greet():
    async with AsyncPincite(Path(".pincite")) as engine:
        said = await instructions_of(engine, {})
        return greeting(initialize_of(sys.stdin.buffer.readline()), said)

assert b"- main: 3 documents" in asyncio.run(greet())
print(*sorted({name.partition(".")[0] for name in sys.modules}), len(sys.modules))
"""


def test_nothing_heavy_is_imported_before_the_first_answer(indexed: Cli) -> None:
    server = command(indexed.folder)
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED],
        cwd=indexed.folder,
        env=server.env,
        input=json.dumps(OLD) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS_S,
    )
    *names, count = done.stdout.split()
    heavy = {"mcp", "mcp_types", "pydantic", "uvicorn", "starlette", "numpy", "onnxruntime"}
    heavy |= {"tokenizers", "qdrant_edge", "qdrant_client", "chromadb", "httpx", "anyio"}
    assert not heavy & set(names)
    assert int(count) < 600


def test_it_is_the_answer_of_the_library(indexed: Cli) -> None:
    assert VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS

    async def both() -> tuple[dict[str, Any], dict[str, Any]]:
        async with AsyncPincite(load_settings({"PINCITE_IDLE_S": "60"}, indexed.folder)) as engine:
            async with Client(make_server(engine, tools(engine)), mode="legacy") as client:
                assert client.server_info is not None
                theirs = {
                    "capabilities": client.server_capabilities.model_dump(
                        by_alias=True, exclude_none=True
                    ),
                    "protocolVersion": client.protocol_version,
                    "serverInfo": client.server_info.model_dump(by_alias=True, exclude_none=True),
                    "instructions": client.instructions,
                }
            asked = initialize_of(json.dumps(OLD).encode())
            assert asked is not None
            ours = json.loads(greeting(asked, await instructions_of(engine, {})))["result"]
            return theirs, ours

    theirs, ours = asyncio.run(both())
    assert ours == theirs | {"protocolVersion": "2024-11-05"}


@pytest.mark.parametrize("version", [*VERSIONS, "1999-01-01", ""])
def test_a_version_of_the_handshake_is_taken_and_else_the_last_is_offered(version: str) -> None:
    params = {**OLD["params"], "protocolVersion": version}  # type: ignore[dict-item]
    asked = initialize_of(json.dumps({**OLD, "params": params}).encode())
    assert asked is not None
    result = json.loads(greeting(asked, "hello"))["result"]
    assert result["protocolVersion"] == (version if version in VERSIONS else VERSIONS[-1])


@given(st.binary(max_size=200) | st.text(max_size=99).map(lambda text: json.dumps(text).encode()))
def test_what_is_no_handshake_is_for_the_library(line: bytes) -> None:
    assert initialize_of(line) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {**OLD, "method": "tools/list"},
        {**OLD, "jsonrpc": "1.0"},
        {**OLD, "id": None},
        {**OLD, "params": {}},
        {**OLD, "params": [[[]]]},
        {**OLD, "pad": "x" * 100_000},
    ],
)
def test_a_wrong_handshake_is_for_the_library(wrong: dict[str, Any]) -> None:
    assert initialize_of(json.dumps(wrong).encode()) is None


def test_it_is_answered_once_and_the_id_can_be_used_again(indexed: Cli) -> None:
    server = start(indexed)
    lines = [OLD, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    lines.append({"jsonrpc": "2.0", "id": OLD["id"], "method": "ping"})
    out, _ = server.communicate("".join(f"{json.dumps(one)}\n" for one in lines), HANGS_S)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [one["id"] for one in answers] == [1, 1]
    assert "serverInfo" in answers[0]["result"]
    assert answers[1]["result"] == {}


@pytest.mark.parametrize("first", ["", "no json\n", "[]\n", "{}\n", "[" * 100_000 + "\n"])
def test_a_first_line_that_is_nothing_ends_nothing_but_itself(indexed: Cli, first: str) -> None:
    server = start(indexed)
    out, error = server.communicate(f"{first}{json.dumps(OLD)}\n", HANGS_S)
    assert server.returncode == 0, error
    greeted = [json.loads(line) for line in out.splitlines() if "serverInfo" in line]
    assert [one["id"] for one in greeted] == [1]


def test_a_client_that_says_nothing_is_no_error(tmp_path: Path, indexed: Cli) -> None:
    server = start(Cli(tmp_path))
    out, error = server.communicate("", HANGS_S)
    assert (server.returncode, out, error) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_what_was_asked_before_stdin_ended_is_answered(indexed: Cli) -> None:
    search = {"name": "search_evidence", "arguments": {"query": "how are retries configured?"}}
    asked = [
        {"jsonrpc": "2.0", "id": f"q{n}", "method": "tools/call", "params": search}
        for n in range(20)
    ]
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    server = start(indexed)
    lines = "".join(f"{json.dumps(one)}\n" for one in [OLD, begun, *asked])
    out, error = server.communicate(lines, HANGS_S)
    answers = {one["id"]: one for one in map(json.loads, out.splitlines()) if "id" in one}
    assert set(answers) == {OLD["id"], *(one["id"] for one in asked)}, error
    assert all("error" not in one for one in answers.values())


def test_a_request_that_was_withdrawn_is_waited_for_by_nobody() -> None:
    unanswered = Unanswered()
    for line in [
        '{"id": 1, "method": "a"}',
        '{"id": 1, "method": "b"}',
        '{"id": "x", "method": 1}',
    ]:
        unanswered.read(line)
    assert dict(unanswered.waiting) == {1: 2}
    unanswered.read("no json")
    unanswered.read('{"method": "notifications/cancelled", "params": {"requestId": 1}}')
    unanswered.read('{"method": "notifications/cancelled", "params": {"requestId": [1]}}')
    assert dict(unanswered.waiting) == {1: 1}
    unanswered.answered(1)
    unanswered.answered(1)
    asyncio.run(asyncio.wait_for(unanswered.wait(), HANGS_S))
