"""What somebody says of folders: it comes with their passages on every surface, and is no text."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp import Client

from pincite import AsyncPincite, Pincite, UsageError
from pincite.settings.load import load_settings
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools
from tests.surfaces.conftest import Cli

IDLE = {"PINCITE_IDLE_S": "60"}
QUESTION = "how is a key rotated"
ALL, INNER = "The handbook of the harbour.", "For the night shift \x1b[31mof the crane\x1b[0m."


@pytest.fixture
def harbour(cli: Cli) -> Cli:
    """Two folders of which one says how keys are rotated, and is described, as all is."""
    cli.write("docs/guides/keys.md", "# Keys\n\nTo rotate a key, call rotate_key twice.\n")
    cli.write("docs/other/boats.md", "# Boats\n\nA boat is tied up with two ropes.\n")
    cli("index", "docs", "--name", "harbour", "--lexical")
    cli("describe", "docs", ALL)
    cli("describe", "harbour:guides/", INNER)
    return cli


def test_they_come_with_hits_in_json_text_markdown_prompts_and_tools(harbour: Cli) -> None:
    (found,) = harbour.json("search", QUESTION)["evidence"]
    assert found["descriptions"] == [ALL, INNER]
    assert "crane" not in found["text"] + found["citation"]
    shown = INNER.replace("\x1b", "\\x1b")
    for form in ("table", "md", "prompt"):
        printed = harbour("search", QUESTION, "--format", form).stdout
        assert ALL in printed, form
        assert shown in printed, form
        assert "\x1b" not in printed
    assert f"Folder: {shown}" in harbour("context", QUESTION).stdout

    async def told() -> str:
        async with AsyncPincite(load_settings(IDLE, harbour.folder)) as engine:
            server = make_server(engine, tools=tools(engine))
            async with Client(server) as client:
                answer = await client.call_tool("search_evidence", {"query": QUESTION})
                return str(answer.content)

    assert ALL in asyncio.run(told())


def test_who_is_elsewhere_has_those_of_the_folders_above_alone(harbour: Cli) -> None:
    (found,) = harbour.json("search", "how is a boat tied up")["evidence"]
    assert found["descriptions"] == [ALL]


def test_a_new_word_shows_at_once_outlives_indexing_and_can_be_taken_away(harbour: Cli) -> None:
    harbour("describe", "docs/guides/keys.md", "Written by the smith.")
    harbour.write("docs/guides/locks.md", "# Locks\n\nA lock is oiled.\n")
    harbour("index")
    (found,) = harbour.json("search", QUESTION)["evidence"]
    assert found["descriptions"] == [ALL, INNER, "Written by the smith."]
    (file,) = harbour.json("ls", "guides/keys.md")["files"]
    assert file["descriptions"] == [ALL, INNER, "Written by the smith."]
    listed = harbour("describe").stdout.splitlines()
    assert [line.split("  ")[0] for line in listed] == [
        *("harbour:", "harbour:guides", "harbour:guides/keys.md"),
    ]
    harbour("describe", "docs/guides", "--remove")
    (found,) = harbour.json("search", QUESTION)["evidence"]
    assert found["descriptions"] == [ALL, "Written by the smith."]


def test_the_configuration_describes_and_has_the_last_word(harbour: Cli) -> None:
    harbour.write(
        "pincite.toml",
        '[[source]]\npath = "docs"\nname = "harbour"\n'
        'descriptions = { "guides/" = "From the file", "." = "" }\n',
    )
    harbour("index")
    (found,) = harbour.json("search", QUESTION)["evidence"]
    assert found["descriptions"] == ["From the file"]
    said = harbour("describe", "docs/guides", "something else", code=2).stderr
    assert "pincite.toml describes 'guides'" in said


def test_what_cannot_be_described_is_named(harbour: Cli) -> None:
    for arguments, complaint in (
        (("describe", "docs/nothing", "x"), "no indexed file is at harbour:'nothing'"),
        (("describe", "/", "x"), "is not indexed; known sources: harbour"),
        (("describe", "harbour:../..", "x"), "is outside of the source"),
        (("describe", "docs", "x" * 1_001), "1,001 characters; at most 1,000"),
        (("describe", "docs"), "needs a text, or --remove"),
        (("describe", "docs", "  "), "the text is empty"),
        (("describe", "docs", "x", "--remove"), "needs a text, or --remove"),
        (("describe", "--remove"), "--remove needs a place"),
        (("describe", "docs", "x", "-c", "none"), "none"),
    ):
        assert complaint in harbour(*arguments, code=2).stderr


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ('{ "../x" = "y" }', "is outside of the source"),
        ('{ "/etc" = "y" }', "not a path below the source"),
        ('{ "x" = 3 }', "source"),
        ('{ "a\\u0007b" = "y" }', "control characters"),
        ('"words"', "source"),
    ],
)
def test_a_configuration_that_cannot_be_names_the_key(cli: Cli, given: str, complaint: str) -> None:
    cli.write("pincite.toml", f'[[source]]\npath = "docs"\ndescriptions = {given}\n')
    said = cli("index", code=2).stderr
    assert complaint in said
    assert "pincite.toml" in said


def test_they_are_found_by_where_they_are_indexed_and_cited_nowhere(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for name, text in (("night", "The lamp is lit at eight."), ("day", "The flag is raised.")):
        (docs / name).mkdir(parents=True)
        (docs / name / "order.md").write_text(f"# Order\n\n{text}\n")
    toml = tmp_path / "pincite.toml"
    plain = '[[source]]\npath = "docs"\ndescriptions = { "night" = "Duties of the lighthouse" }\n'
    toml.write_text(plain)
    question = "duties of the lighthouse"
    with Pincite(load_settings(IDLE, tmp_path)) as pincite:
        pincite.index(lexical=True)
        assert not pincite.search(question).evidence
    toml.write_text(f"{plain}index_descriptions = true\n")
    with Pincite(load_settings(IDLE, tmp_path)) as pincite:
        (report,) = pincite.index()
        assert (report.changed, report.unchanged) == (1, 1)
        pack = pincite.search(question, context="none")
        assert [one.path for one in pack] == ["night/order.md"]
        assert "lighthouse" not in pack[0].text
        assert [one.status for one in pincite.verify(pack)] == ["fresh"]
        toml.write_text(plain.replace("lighthouse", "harbour") + "index_descriptions = true\n")
    with Pincite(load_settings(IDLE, tmp_path)) as pincite:
        (report,) = pincite.index()
        assert report.changed == 1
        assert not pincite.search("lighthouse").evidence
        assert pincite.search("harbour", context="none")[0].path == "night/order.md"
        with pytest.raises(UsageError, match="place is 3"):
            pincite.describe(3, "x")  # type: ignore[arg-type]
        pincite.stop()
