"""A search of one revision, by its hash or by a name that a checkout has for it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import Client

from pincite.engine import AsyncPincite
from pincite.settings.load import load_settings
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools
from tests.sources.helpers import commit, git
from tests.surfaces.conftest import Cli

PAGE = "# Kiln\n\nThe kiln holds {} bricks, and it is fired on Mondays.\n"


def planted(cli: Cli) -> tuple[str, str]:
    """A clean checkout with two tags of both kinds, indexed at the second; their commits."""
    place = cli.write("repo/kiln.md", PAGE.format("ten")).parent
    first = commit(place)
    git(place, "tag", "v1.0")
    cli.write("repo/kiln.md", PAGE.format("twelve"))
    second = commit(place)
    git(place, "tag", "-a", "v1.1", "-m", "x")
    git(place, "branch", "release/1")
    cli("index", "repo", "--lexical")
    return first, second


def paths(cli: Cli, ref: str) -> list[str]:
    found = cli.json("search", "kiln", "bricks", "--ref", ref)
    return [item["path"] for item in found["evidence"]]


@pytest.mark.parametrize("packed", [False, True])
def test_a_tag_a_branch_and_head_name_the_commit(cli: Cli, packed: bool) -> None:
    _, second = planted(cli)
    if packed:
        git(cli.folder / "repo", "pack-refs", "--all")
    for ref in (second, second[:7], "v1.1", "refs/tags/v1.1", "tags/v1.1", "release/1", "HEAD"):
        assert paths(cli, ref) == ["kiln.md"], ref


def test_a_name_of_another_commit_finds_nothing_and_says_what_is_indexed(cli: Cli) -> None:
    first, second = planted(cli)
    indexed = f"indexed: repo at {second[:12]}"
    for ref, said in (
        ("v1.0", f"matches ref='v1.0'; 'v1.0' is commit {first[:12]}, which is not indexed;"),
        ("v9", "matches ref='v9';"),
        ("../HEAD", "matches ref='../HEAD';"),
        (first, f"matches ref='{first}';"),
    ):
        found = cli.json("search", "kiln", "bricks", "--ref", ref, code=3)
        (notice,) = (one for one in found["warnings"] if one["code"] == "nothing_in_scope")
        assert notice["message"] == f"no indexed document {said} {indexed}"


def test_each_checkout_has_its_own_head(cli: Cli) -> None:
    planted(cli)
    other = cli.write("other/oven.md", PAGE.format("two")).parent
    commit(other)
    git(other, "tag", "only-here")
    cli("index", "other", "--lexical")
    assert sorted(paths(cli, "HEAD")) == ["kiln.md", "oven.md"]
    assert paths(cli, "only-here") == ["oven.md"]


def test_a_name_that_was_given_to_a_source_is_found_as_well(cli: Cli) -> None:
    planted(cli)
    cli("index", "repo", "--ref", "release-1")
    assert paths(cli, "release-1") == ["kiln.md"]


def test_programs_and_agents_name_commits_as_well(cli: Cli) -> None:
    planted(cli)

    async def asked() -> tuple[list[str], list[Any]]:
        settings = load_settings({"PINCITE_IDLE_S": "60"}, cli.folder)
        async with AsyncPincite(settings) as engine:
            pack = await engine.search("kiln bricks", ref="v1.1")
            async with Client(make_server(engine, tools(engine))) as client:
                given = {"query": "kiln bricks", "ref": "v1.1", "detail": "full"}
                said = await client.call_tool("search_evidence", given)
        assert said.structured_content is not None
        return [one.path for one in pack], said.structured_content["evidence"]

    found, told = asyncio.run(asked())
    assert found == ["kiln.md"]
    assert [one["path"] for one in told] == ["kiln.md"]
