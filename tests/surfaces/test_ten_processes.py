"""Ten processes on one index, a watcher, three MCP servers and six commands, while files change and
the server of the language model dies: each answer is right, and says what it did without."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from pincite.testing.contract_server import ContractServer
from tests.environment import clean_environment
from tests.surfaces.conftest import Cli

_COMMANDS, _SERVERS = 6, 3
WORDS = (
    "turnstile",
    "osprey",
    "lantern",
    "quarry",
    "mitten",
    "harbour",
    "walnut",
    "pylon",
    "comet",
)


def configuration(url: str) -> str:
    return f"""
preset = "local"
[models]
llm = "llamacpp:any"
[providers.llamacpp]
url = "{url}"
tries = 1
[expand]
strong_best = 1.0
strong_gap = 1.0
"""


def write(cli: Cli, word: str, version: int) -> None:
    """With each version what is asked for stands further down."""
    before = "".join(f"This is note {n} of those who were here.\n\n" for n in range(1, version))
    text = f"# About {word}\n\nThe {word} is kept in the third room of the {word} house.\n"
    cli.write(f"docs/{word}.md", before + text)


async def from_command(cli: Cli, variables: dict[str, str], question: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pincite.surfaces.cli.app", "search", question, "--json"),
        cwd=cli.folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    found: dict[str, Any] = json.loads(out)
    return found


async def from_server(client: Client, question: str) -> dict[str, Any]:
    result = await client.call_tool("search_evidence", {"query": question, "detail": "full"})
    assert isinstance(result.structured_content, dict), result.content
    return result.structured_content


def right(pack: dict[str, Any], word: str, cli: Cli) -> None:
    """It found the file first, and quotes the lines that are there now."""
    assert pack["evidence"], (word, pack["verdict"], pack["warnings"])
    first = pack["evidence"][0]
    assert first["path"] == f"{word}.md"
    lines = (cli.folder / "docs" / f"{word}.md").read_text(encoding="utf-8").split("\n")
    assert first["text"] == "\n".join(lines[first["start_line"] - 1 : first["end_line"]])


async def round_of(
    cli: Cli, variables: dict[str, str], clients: list[Client], version: int
) -> list[dict[str, Any]]:
    """Every process asks, each its own question, all at once."""
    asked = [f"in which room{'s' * (version - 1)} is the {word} kept" for word in WORDS]
    works = [
        *(from_server(client, asked[n]) for n, client in enumerate(clients)),
        *(from_command(cli, variables, one) for one in asked[len(clients) :]),
    ]
    packs = await asyncio.gather(*works)
    for pack, word in zip(packs, WORDS, strict=True):
        right(pack, word, cli)
    return packs


def codes(pack: dict[str, Any]) -> set[str]:
    return {one["code"] for one in pack["warnings"]}


@pytest.mark.slow
def test_ten_processes_answer_rightly_while_the_language_model_dies(
    cli: Cli, tmp_path: Path
) -> None:
    assert len(WORDS) == _COMMANDS + _SERVERS
    variables = clean_environment() | {
        "PINCITE_IDLE_S": "60",
        "PINCITE_OFFLINE": "1",
        "PINCITE_CACHE": str(tmp_path / "own" / "vectors.db"),
    }
    for word in WORDS:
        write(cli, word, 1)

    async def session(server: ContractServer, stop: Any) -> None:
        watcher = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "pincite.surfaces.cli.app", "watch"),
            cwd=cli.folder,
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            assert watcher.stderr is not None
            while b"file events" not in await watcher.stderr.readline():
                assert watcher.returncode is None
            async with AsyncExitStack() as stack:
                clients = []
                for _ in range(_SERVERS):
                    started = StdioServerParameters(
                        command=sys.executable,
                        args=["-m", "pincite.surfaces.cli.app", "mcp"],
                        cwd=cli.folder,
                        env=variables,
                    )
                    client = Client(stdio_client(started))
                    clients.append(await stack.enter_async_context(client))
                for pack in await round_of(cli, variables, clients, 1):
                    assert pack["plan"]["subqueries"]
                    assert "expansion_unavailable" not in codes(pack)
                stop()
                for word in WORDS:  # what is shown is read from the file, however old the index
                    write(cli, word, 2)
                second = await round_of(cli, variables, clients, 2)
                assert any("expansion_unavailable" in codes(pack) for pack in second)
                for number, pack in enumerate(second):
                    by = pack["plan"]["expansion"]
                    if by == "skipped":  # one document alone fits while others are replaced
                        continue
                    if by and number < _SERVERS:  # over the connection that it had
                        assert pack["plan"]["subqueries"]
                        continue
                    assert "expansion_unavailable" in codes(pack)
                    assert by == ""
                    assert pack["plan"]["subqueries"] == []
            assert server.record.requests >= len(WORDS)
            assert watcher.returncode is None
        finally:
            if watcher.returncode is None:
                watcher.terminate()
            await watcher.communicate()

    with ContractServer() as server:
        cli.write("pincite.toml", configuration(server.url("llamacpp")))
        cli("index", "docs", "--lexical")

        def stop() -> None:
            """Nobody listens there any more."""
            server._http.shutdown()
            server._http.server_close()

        asyncio.run(session(server, stop))
