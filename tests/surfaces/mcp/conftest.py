"""A small index by word alone, and clients of the server over it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.client.stdio import StdioServerParameters
from mcp.types import Tool

from pincite.support.token_estimate import estimate_tokens
from tests.environment import clean_environment
from tests.surfaces.conftest import Cli

GUIDE = """\
# Guide

## Rotating keys

To rotate a key, call `rotate_key` with the new secret. The old key stays valid for one hour.

## Backups

Backups run every night at two o'clock and are kept for thirty days.
"""
CODE = '''\
"""Keys."""


def rotate_key(secret: str) -> None:
    """Rotate the current key: replace it by a new secret."""
    store(secret)
'''


def definition_tokens(tool: Tool) -> int:
    """The estimated tokens of the name, description and schema of a tool."""
    told = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {name: told[name] for name in ("name", "description", "inputSchema")}
    return estimate_tokens(json.dumps(kept, separators=(",", ":")))


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    cli = Cli(tmp_path_factory.mktemp("mcp"))
    cli.write("docs/guide.md", GUIDE)
    cli.write("src/keys.py", CODE)
    cli.write("docs/long.md", "\n\n".join(f"Step {n} is the next one." for n in range(300)))
    rule = r"docs/(.*)\.md=>https://acme.example/\1/"
    cli("index", ".", "--lexical", "--name", "acme", "--ref", "v1", "--url-rule", rule)
    yield cli
    cli("stop")


def command(folder: Path, *options: str) -> StdioServerParameters:
    """How an agent starts the server."""
    clean = clean_environment()
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "pincite.surfaces.cli.app", "mcp", *options],
        cwd=folder,
        env=clean | {"PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "60"},
    )
