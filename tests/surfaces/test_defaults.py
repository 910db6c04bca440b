"""What a caller does not say is what the profile says, wherever the question comes from."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from pincite import Pincite
from pincite.engine import AsyncPincite
from pincite.settings.load import load_settings
from pincite.surfaces.adk import EvidenceToolset
from pincite.surfaces.http.bodies import SearchBody
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import SearchArguments, tools
from pincite.surfaces.tools.arguments import input_schema
from pincite.surfaces.tools.texts import MAX_TOKENS, results_for
from tests.surfaces.conftest import Cli

PAGE = Path(__file__).parents[2] / "docs/configuration.md"
QUESTION = "how is a key rotated"
IDLE = {"PINCITE_IDLE_S": "60"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """Twenty passages about one thing, and the first settings of the page about them."""
    cli = Cli(tmp_path_factory.mktemp("defaults"))
    for n in range(20):
        cli.write(f"docs/keys{n}.md", f"# Keys {n}\n\nA key is rotated by step {n}.\n")
    block, *_ = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    cli.write("pincite.toml", block)
    cli("index", "docs", "--lexical", "--name", "acme", "--ref", "v1")
    yield cli
    cli("stop")


def by_command(shop: Cli, *options: str) -> Any:
    return shop.json(*options, QUESTION)


def by_mcp(shop: Cli, **asked: Any) -> Any:
    async def session() -> Any:
        async with (
            AsyncPincite(load_settings(IDLE, shop.folder)) as engine,
            Client(make_server(engine, tools(engine))) as client,
        ):
            found = await client.call_tool(
                "search_evidence", {"query": QUESTION, "detail": "full", **asked}
            )
            return found.structured_content

    return asyncio.run(session())


def by_adk(shop: Cli, tool: str, **asked: Any) -> Any:
    async def session() -> Any:
        made = EvidenceToolset(load_settings(IDLE, shop.folder), tools=[tool], detail="full")
        found = await getattr(made, tool)(QUESTION, **asked)
        await made.close()
        return found["evidence_pack"]

    return asyncio.run(session())


def by_python(shop: Cli, **asked: Any) -> Any:
    with Pincite(shop.folder / ".pincite") as pincite:
        return pincite.search(QUESTION, **asked).to_dict()


def test_without_a_number_the_profile_counts_for_people_and_the_budget_for_agents(
    shop: Cli,
) -> None:
    packs = {
        "search": by_command(shop, "search"),
        "evidence": by_command(shop, "evidence"),
        "mcp": by_mcp(shop),
        "adk": by_adk(shop, "retrieve_evidence"),
        "adk of adk": by_adk(shop, "retrieve_adk_evidence"),
        "python": by_python(shop),
    }
    agents = dict.fromkeys(("mcp", "adk", "adk of adk"), results_for(MAX_TOKENS))
    found = {name: len(pack["evidence"]) for name, pack in packs.items()}
    assert found == {**dict.fromkeys(packs, 8), **agents}


def test_a_number_that_is_given_wins(shop: Cli) -> None:
    packs = (
        by_command(shop, "search", "-n", "15"),
        by_mcp(shop, limit=15),
        by_adk(shop, "retrieve_evidence", max_results_final=15),
        by_python(shop, limit=15),
    )
    assert [len(pack["evidence"]) for pack in packs] == [15, 15, 15, 15]


def test_the_same_names_find_the_same_everywhere_and_stand_in_the_log(shop: Cli) -> None:
    asked: dict[str, Any] = {
        "kinds": ["docs"],
        "paths": ["keys1*"],
        "where": "source = 'acme' and not path ^= 'keys12'",
    }
    command = ("--kind", "docs", "--path", "keys1*", "--where", asked["where"])
    packs = {
        "search": by_command(shop, "search", *command, "-n", "20"),
        "mcp": by_mcp(shop, **asked, limit=20, mode="explain"),
        "adk": by_adk(
            *(shop, "retrieve_evidence"), **asked, max_results_final=20, task_mode="explain"
        ),
        "python": by_python(shop, **asked, limit=20),
    }
    found = {name: [one["path"] for one in pack["evidence"]] for name, pack in packs.items()}
    assert sorted(found["search"]) == sorted(
        f"keys{n}.md" for n in (1, 10, 11, 13, 14, 15, 16, 17, 18, 19)
    )
    assert all(paths == found["search"] for paths in found.values()), found
    logged = [event["asked"]["scope"] for event in shop.json("replay")[:4]]
    assert [{name: scope[name] for name in asked} for scope in logged] == [asked] * 4
    wide = by_python(shop, not_paths="keys1*", limit=20)
    assert by_mcp(shop, not_paths=["keys1*"], limit=20)["evidence"] == wide["evidence"]
    by_option = by_command(shop, "search", "--not-path", "keys1*", "-n", "20")
    assert by_option["evidence"] == wide["evidence"]
    assert len(wide["evidence"]) == 9


def test_the_tools_say_where_the_number_comes_from(shop: Cli) -> None:
    limit = input_schema(SearchArguments)["properties"]["limit"]
    assert limit["default"] is None
    (tool,) = asyncio.run(EvidenceToolset(load_settings(IDLE, shop.folder)).get_tools())
    declared = tool._get_declaration()
    assert declared is not None
    schema: Any = declared.parameters_json_schema
    results = schema["properties"]["max_results_final"]
    assert results["default"] is None
    assert "if left out" in results["description"]


def test_tools_for_evidence_are_for_building_and_a_search_is_for_explaining(shop: Cli) -> None:
    modes = {
        "search": by_command(shop, "search")["plan"]["mode"],
        "evidence": by_command(shop, "evidence")["plan"]["mode"],
        "mcp": by_mcp(shop)["plan"]["mode"],
        "adk": by_adk(shop, "retrieve_evidence")["plan"]["mode"],
        "adk of adk": by_adk(shop, "retrieve_adk_evidence")["plan"]["mode"],
    }
    assert modes == {**dict.fromkeys(modes, "build"), "search": "explain"}
    asked = by_command(shop, "evidence", "--mode", "explain")
    assert asked["plan"]["mode"] == "explain"
    assert "[default: build]" in shop("evidence", "--help").stdout
    assert "prepare.mode of the profile" in " ".join(shop("search", "--help").stdout.split())


def test_a_preset_says_what_a_question_is_for_unless_it_says_so_itself(shop: Cli) -> None:
    preset = ("search", "--preset", "evidence")
    assert by_command(shop, *preset)["plan"]["mode"] == "build"
    assert by_command(shop, *preset, "--mode", "explain")["plan"]["mode"] == "explain"
    assert by_python(shop)["plan"]["mode"] == "explain"
    assert by_python(shop, preset="evidence")["plan"]["mode"] == "build"
    assert by_python(shop, preset="evidence", mode="debug")["plan"]["mode"] == "debug"
    assert SearchBody(question=QUESTION).mode is None  # over HTTP, the profile decides as well
