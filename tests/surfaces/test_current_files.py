"""What people and agents are shown is in the files at that moment."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from mcp import Client
from mcp.types import TextContent

from pincite.engine import AsyncPincite
from pincite.model import EvidencePack
from pincite.settings.load import load_settings
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools
from pincite.surfaces.text.render import pack_from_json
from tests.current_files.world import World, shown_is_there
from tests.surfaces.conftest import Cli


def test_the_command_line_shows_what_is_there_and_says_what_is_not(cli: Cli) -> None:
    world = World(cli.folder / "world", seed=3)
    cli("index", "world", "--name", "w", "--lexical")
    seen = set[str]()
    for _ in range(6):
        for _ in range(4):
            world.step()
        asked = ("search", world.question(), "--all")
        pack = pack_from_json(cli(*asked, "--json").stdout.encode())
        shown_is_there(pack, world.root)
        seen |= {item.truth for item in pack.evidence} | {one.why for one in pack.omitted}
        table = cli(*asked)
        for item in pack.evidence:
            assert f"{item.path}:{item.start_line}" in table.stdout or item.context is not None
        assert table.stdout.count("moved since it was indexed") == sum(
            item.truth == "moved" for item in pack.evidence
        )
        assert ("stale_omitted" in table.stderr) == bool(pack.omitted)
    assert {"fresh", "moved"} <= seen


def test_agents_are_shown_what_is_there(cli: Cli) -> None:
    world = World(cli.folder / "world", seed=4)
    cli("index", "world", "--name", "w", "--lexical")

    async def ask(client: Client, question: str) -> EvidencePack:
        asked = {"query": question, "detail": "full", "max_tokens": 50_000}
        result = await client.call_tool("search_evidence", asked)
        (block,) = result.content
        assert isinstance(block, TextContent)
        pack = EvidencePack.from_dict(result.structured_content or {})
        assert block.text.count("Its file has changed since it was indexed") == sum(
            item.truth == "moved" for item in pack.evidence
        )
        return pack

    async def session(folder: Path) -> set[str]:
        seen = set[str]()
        settings = load_settings({"PINCITE_IDLE_S": "60"}, folder)
        async with (
            AsyncPincite(settings) as engine,
            Client(make_server(engine, tools(engine, None))) as client,
        ):
            for _ in range(12):
                for _ in range(2):
                    world.step()
                pack = await ask(client, world.question())
                shown_is_there(pack, world.root)
                seen |= {item.truth for item in pack.evidence}
                seen |= {one.why for one in pack.omitted}
        return seen

    assert {"fresh", "moved"} <= asyncio.run(session(cli.folder))


def test_a_deleted_file_is_not_quoted_and_the_reason_is_said(cli: Cli) -> None:
    place = cli.write("docs/keys.md", "# Keys\n\nTo rotate a key, call `rotate_key` now.\n")
    cli("index", "docs", "--lexical")
    asked = ("search", "how do I rotate a key")
    assert "keys.md" in cli(*asked).stdout
    place.unlink()
    gone = cli(*asked, code=3)
    assert "have changed or are gone" in gone.stdout
    assert json.loads(cli(*asked, "--json", code=3).stdout)["omitted"][0]["why"] == "deleted"
