"""`pincite mcp` as agents start it: real processes, clients of both eras, stdio and HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from pincite.errors import ConfigError, UsageError
from pincite.settings.load import load_settings
from pincite.surfaces.mcp.serving import security, serve_http
from pincite.surfaces.web.address import Address
from tests.surfaces.conftest import Cli
from tests.surfaces.mcp.calls import structure_of
from tests.surfaces.mcp.conftest import command
from tests.surfaces.mcp.messages import JSON, NEW, NEW_HEADERS, OLD, start

CALLS: dict[str, dict[str, Any]] = {
    "search_evidence": {"query": "rotate a key", "limit": 1, "detail": "full"},
    "read_lines": {"locator": "keys.py:1:2", "detail": "full"},
    "verify_citations": {"citations": ["acme@v1:src/keys.py#L1-L6"]},
    "index_status": {},
    "refresh": {},
}


async def call_all(client: Client) -> str:
    """Every tool answers, a wrong argument is refused; returns the version of the protocol."""
    for tool, arguments in CALLS.items():
        assert structure_of(await client.call_tool(tool, arguments))
    refused = await client.call_tool("search_evidence", {"query": "x", "nothing": 1})
    assert refused.is_error
    assert "- main: 3 documents" in (client.instructions or "")
    return client.protocol_version


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_all_tools_answer_over_stdio(indexed: Cli, mode: str, version: str) -> None:
    async def session() -> str:
        async with Client(command(indexed.folder), mode=mode) as client:
            return await call_all(client)

    assert asyncio.run(session()) == version


def test_the_oldest_protocol_is_spoken_and_closing_stdin_ends_the_server(indexed: Cli) -> None:
    server = start(indexed)
    assert server.stdin is not None
    assert server.stdout is not None
    requests = [
        OLD,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}
            for n, params in enumerate(
                ({"name": name, "arguments": given} for name, given in CALLS.items()), start=2
            )
        ),
    ]
    for request in requests:
        server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    answers = {
        one["id"]: one
        for one in (json.loads(server.stdout.readline()) for _ in range(1 + len(CALLS)))
    }
    assert answers[1]["result"]["protocolVersion"] == "2024-11-05"
    assert "- main: 3 documents" in answers[1]["result"]["instructions"]
    assert answers[2]["result"]["content"][0]["text"].splitlines()[2].startswith("[1] acme@v1:")
    assert [answers[n]["result"].get("isError", False) for n in range(2, 2 + len(CALLS))] == [
        False
    ] * len(CALLS)
    out, error = server.communicate(timeout=600)
    assert (server.returncode, out, error) == (0, "", "")


def test_an_interrupt_ends_a_server_that_waits_for_its_client(indexed: Cli) -> None:
    server = start(indexed)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(OLD) + "\n")
    server.stdin.flush()
    server.stdout.readline()
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=600)
    assert server.returncode == -signal.SIGINT


def test_an_interrupt_is_the_end_of_an_http_server_and_no_error(indexed: Cli) -> None:
    server = start(indexed, "--http", "--port", "0")
    assert server.stderr is not None
    assert "serving" in server.stderr.readline()
    server.send_signal(signal.SIGINT)
    _, said = server.communicate(timeout=600)
    assert (server.returncode, said) == (0, "")


@pytest.fixture(scope="module")
def url(indexed: Cli) -> Iterator[str]:
    server = start(indexed, "--http", "--port", "0", "--allow-origin", "https://app.example")
    assert server.stderr is not None
    said = server.stderr.readline()
    match = re.search(r"http://127\.0\.0\.1:\d+/mcp", said)
    assert match is not None, said
    yield match[0]
    server.terminate()
    server.communicate(timeout=600)
    assert server.returncode in (0, -signal.SIGTERM)


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_all_tools_answer_over_http(url: str, mode: str, version: str) -> None:
    async def session() -> str:
        async with Client(url, mode=mode) as client:
            return await call_all(client)

    assert asyncio.run(session()) == version


def test_several_clients_are_served_over_http_at_once(url: str) -> None:
    async def one() -> str:
        async with Client(url, mode="legacy") as client:
            return await call_all(client)

    async def all_of_them() -> list[str]:
        return list(await asyncio.gather(*(one() for _ in range(4))))

    assert asyncio.run(all_of_them()) == ["2025-11-25"] * 4


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ({}, 200),
        ({"origin": "https://app.example"}, 200),
        ({"origin": "{self}"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": "{self}.evil.example"}, 421),
    ],
)
@pytest.mark.parametrize("era", ["old", "new"])
def test_a_page_of_another_origin_or_a_made_up_name_is_turned_away(
    url: str, era: str, header: dict[str, str], status: int
) -> None:
    place = url.removesuffix("/mcp")
    full = {"origin": place, "host": place.removeprefix("http://")}
    given = {name: value.replace("{self}", full[name]) for name, value in header.items()}
    headers, body = (JSON, OLD) if era == "old" else (NEW_HEADERS, NEW)
    response = httpx.post(url, headers=headers | given, json=body, timeout=600)
    assert response.status_code == status, response.text


def test_a_place_that_others_can_reach_needs_the_names_that_they_use() -> None:
    with pytest.raises(ConfigError, match="name the hosts") as caught:
        Address("0.0.0.0", 80)
    assert "--allow-host NAME:80" in caught.value.hint
    checks = security(Address("0.0.0.0", 80, ("acme.example",)), 80)
    assert checks.allowed_hosts == ["0.0.0.0:80", "acme.example"]


def test_an_address_that_cannot_be_had_is_named(indexed: Cli) -> None:
    settings = load_settings({}, indexed.folder)
    with pytest.raises(
        UsageError, match=r"cannot listen on 192\.0\.2\.1:1"
    ):  # an address for documents
        asyncio.run(serve_http(settings, Address("192.0.2.1", 1, ("acme.example",))))


def test_without_the_library_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['mcp'] = None; from pincite.surfaces.cli.app import main;"
        " sys.argv = ['pincite', 'mcp']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'pincite[mcp]'" in done.stderr
