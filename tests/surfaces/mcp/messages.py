"""The server as a process, and first messages of old and new clients."""

from __future__ import annotations

import subprocess

from tests.surfaces.conftest import Cli
from tests.surfaces.mcp.conftest import command

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
OLD = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2024-11-05",
        "capabilities": {},
        "clientInfo": {"name": "old", "version": "1"},
    },
}
NEW = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
NEW_HEADERS = JSON | {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}


def start(indexed: Cli, *options: str) -> subprocess.Popen[str]:
    server = command(indexed.folder, *options)
    return subprocess.Popen(
        [server.command, *server.args],
        cwd=indexed.folder,
        env=server.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
