"""`pincite presets` and `pincite config`: what is shown is what is used."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite.presets import PRESETS
from tests.surfaces.conftest import Cli

#: With the mode, and how the command ends: with 3 where nothing is relevant.
QUESTIONS = (
    ("how do I rotate a key", "build", 0),
    ("rotate_key_7 grace", "explain", 0),
    ("what is the weather in Paris", "debug", 3),
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """Documentation and code in collections of their own, with vectors and without."""
    cli = Cli(tmp_path_factory.mktemp("presets"))
    for number in range(20):
        cli.write(
            f"docs/page-{number}.md",
            f"# Keys {number}\n\n## Rotate\n\nA key is rotated after {number} days of grace.\n\n"
            f"## Revoke\n\nA revoked key {number} opens no door.\n",
        )
        cli.write(
            f"src/keys_{number}.py",
            f'def rotate_key_{number}(grace):\n    """Rotate the key {number}."""\n'
            f"    return grace + {number}\n",
        )
    cli("index", "docs", "-c", "docs", "--name", "acme-docs", "--ref", "v1")
    cli("index", "src", "-c", "code", "--name", "acme", "--ref", "v1", "--lexical")
    yield cli
    cli("stop")


@pytest.fixture(autouse=True)
def no_file(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test leaves its `pincite.toml` to the next."""
    yield
    if "shop" in request.fixturenames:
        (request.getfixturevalue("shop").folder / "pincite.toml").unlink(missing_ok=True)


def packs(cli: Cli, *options: str) -> list[str]:
    """The packs of all questions as they are printed, but for times."""
    printed = []
    for question, mode, code in QUESTIONS:
        pack = cli.json("search", question, "--mode", mode, "--all", *options, code=code)
        assert pack.pop("timings_ms")
        printed.append(json.dumps(pack))
    return printed


@pytest.fixture(scope="module")
def chosen(shop: Cli) -> dict[str, list[str]]:
    """The packs of each preset, chosen by an option."""
    return {name: packs(shop, "--preset", name) for name in PRESETS}


#: They differ in where points are kept, and rank alike.
ALIKE = {"workspace", "multi-model"}


def test_a_preset_that_is_shown_and_used_as_a_file_gives_the_same_packs(
    shop: Cli, chosen: dict[str, list[str]]
) -> None:
    for name in PRESETS:
        text = shop("presets", "show", name).stdout
        # an option brings in no model and no store: the index is here, and unranked
        here = re.sub(r"^\[store\]\n.*?(?=^\[)", "", text, flags=re.MULTILINE | re.DOTALL)
        shop.write("pincite.toml", here.replace('"voyage:rerank-2"', '""'))
        assert packs(shop) == chosen[name]
        said = shop("evidence", "how do I rotate a key", "--all", code=0).stderr
        assert ("pincite.toml sets all keys that the preset evidence" in said) == (
            name != "evidence"
        )
        others = set(PRESETS) - {name} - (ALIKE if name in ALIKE else set())
        assert all(chosen[name] != chosen[other] for other in others)


def test_presets_are_listed_each_with_what_it_is_for(cli: Cli) -> None:
    lines = cli("presets", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*PRESETS]
    assert "coding agents" in lines[[*PRESETS].index("evidence")]
    listed = cli.json("presets", "list")
    assert [one["name"] for one in listed] == [*PRESETS]
    assert not (cli.folder / ".pincite").exists()


def test_presets_differ_in_what_they_set(cli: Cli) -> None:
    assert "are the same" in cli("presets", "diff", "general", PINCITE_REFRESH="").stderr
    found = cli(
        "presets", "diff", "evidence", "multi-model", PINCITE_REFRESH=""
    ).stdout.splitlines()
    assert 'fuse.method = "weighted_dbsf"  # multi-model: "rrf"' in found
    assert not any(line.startswith("log.") for line in found)
    cli.write("team/team.toml", 'extends = "evidence"\n[select]\nresults = 5\n')
    assert cli.json("presets", "diff", "evidence", "./team/team.toml") == [
        {"name": "select.results", "one": 12, "other": 5}
    ]
    cli.write("pincite.toml", 'extends = "team/team.toml"\n')
    assert (
        cli("presets", "diff", "evidence", PINCITE_REFRESH="").stdout
        == "select.results = 12  # in force: 5\n"
    )
    mode = cli(
        "presets", "diff", "./team/team.toml", SEARCH_MODE="vector", PINCITE_REFRESH=""
    ).stdout
    assert mode == 'retrieve.mode = "hybrid"  # in force: "vector"\n'
    assert "no file" in cli("presets", "diff", "./none.toml", code=2, PINCITE_REFRESH="").stderr
    cli.write("team/team.toml", "source = 3\n")
    assert (
        "team.toml"
        in cli("presets", "diff", "general", "./team/team.toml", code=2, PINCITE_REFRESH="").stderr
    )


def origins(cli: Cli, *arguments: str, **variables: Any) -> dict[str, tuple[Any, str]]:
    done = cli("config", "show", "--json", *arguments, **variables)
    return {one["name"]: (one["value"], one["origin"]) for one in json.loads(done.stdout)}


def test_every_value_in_force_says_what_set_it(cli: Cli) -> None:
    cli.write("team/team.toml", 'extends = "evidence"\n\n[select]\nresults = 7\ndocs = 2\n')
    cli.write(
        "pincite.toml",
        'extends = "team/team.toml"\n[select]\nresults = 8\n\n[[source]]\npath = "x"\n',
    )
    here = cli.folder
    found = origins(cli, SEARCH_MODE="vector", PINCITE_LOG="0", PINCITE_THREADS="3")
    assert found["select.results"] == (8, f"{here}/pincite.toml:3")
    assert found["select.docs"] == (2, "extends team/team.toml:5")
    assert found["select.code"] == (3, "preset evidence")
    assert found["select.buffer"] == (0, "default")
    assert found["retrieve.mode"] == ("vector", "$SEARCH_MODE")
    assert found["log.enabled"] == (False, "$PINCITE_LOG")
    assert found["source.1.path"] == (f"{here}/x", f"{here}/pincite.toml:6")
    assert found["PINCITE_THREADS"] == (3, "$PINCITE_THREADS")
    assert found["PINCITE_INDEX"] == (f"{here}/.pincite", "default")
    assert found["PINCITE_CONFIG"] == (f"{here}/pincite.toml", "found")
    assert found["QDRANT_COLLECTION"] == ("main", "default")
    assert found["models.dense"] == ("bundled", "default")
    chosen = origins(cli, "--preset", "multi-model", "--index", ".pincite")
    assert chosen["across.method"] == ("rrf", "--preset multi-model")
    assert chosen["select.code"] == (0, "default")
    assert chosen["PINCITE_INDEX"] == (f"{here}/.pincite", "--index option")
    assert not (here / ".pincite").exists()


def test_single_settings_and_tables_can_be_asked_for(cli: Cli) -> None:
    cli.write("pincite.toml", "[fuse]\nk = 50\n")
    shown = cli("config", "show", "fuse.k", "across.k").stdout
    assert shown == "fuse.k = 50\nacross.k = 60\n"
    with_origin = cli("config", "show", "--origin", "fuse.k").stdout
    assert with_origin == f"fuse.k = 50  # {cli.folder}/pincite.toml:2\n"
    table = tomllib.loads(cli("config", "show", "fuse").stdout)
    assert table["fuse"]["k"] == 50
    assert set(table) == {"fuse"}
    assert "pincite config show fuse.k" in cli("config", "show", "fuse.kk", code=2).stderr


def test_what_is_shown_is_toml_up_to_what_variables_alone_set(cli: Cli) -> None:
    cli.write(
        "pincite.toml", '[collections."a.b"]\ndepth = 3\n[prepare.expansions]\n"*" = ["{query}"]\n'
    )
    lines = cli("config", "show").stdout.splitlines()
    keys = [line for line in lines if line[0].islower() and not line.endswith(" = none")]
    assert len(keys) > 100
    table = tomllib.loads("\n".join(keys))
    assert table["collections"]["a.b"]["depth"] == 3
    assert table["prepare"]["expansions"] == {"*": ["{query}"]}


def test_no_secret_is_shown(cli: Cli) -> None:
    cli.write("key", "hidden-1")
    cli.write(
        "pincite.toml",
        '[store]\nurl = "https://me:hidden-2@q.example"\nkey_file = "key"\n'
        '[providers.voyage]\nbody = { api_key = "hidden-3", more = [{ token = "hidden-4" }], n = 1'
        " }\n"
        '[providers.jina]\nkey_file = "key"\nurl = "https://hidden-5@j.example/v1"\n',
    )
    secrets: dict[str, Any] = {"VOYAGE_API_KEY": "hidden-6", "PINCITE_QDRANT_KEY": "hidden-7"}
    for arguments in (["--origin"], ["--json"]):
        shown = cli("config", "show", *arguments, **secrets).stdout
        assert "hidden-" not in shown
    lines = cli("config", "show", CO_API_KEY_FILE="key", **secrets).stdout.splitlines()
    assert "VOYAGE_API_KEY set by $VOYAGE_API_KEY" in lines
    assert "PINCITE_QDRANT_KEY set by $PINCITE_QDRANT_KEY" in lines
    assert "CO_API_KEY set by the file of $CO_API_KEY_FILE" in lines
    assert "JINA_API_KEY set by the file of providers.jina.key_file" in lines
    assert "OPENAI_API_KEY not set" in lines
    assert 'store.kind = "qdrant"' in lines
    assert "providers.voyage.body.n = 1" in lines
    diff = cli("presets", "diff", "general", **secrets).stdout
    assert "store.url" in diff
    assert "hidden-" not in diff


def test_the_files_that_are_read_are_named(cli: Cli) -> None:
    done = cli("config", "path", code=3)
    assert done.stdout == ""
    assert f"its place would be {cli.folder}/pincite.toml" in done.stderr
    cli.write("base.toml", "")
    cli.write("pincite.toml", 'extends = "./base.toml"\n')
    assert cli("config", "path").stdout.split() == [
        f"{cli.folder}/pincite.toml",
        f"{cli.folder}/base.toml",
    ]
    other = cli.write("other.toml", "")
    assert cli("config", "path", PINCITE_CONFIG=str(other)).stdout == f"{other}\n"


def test_a_name_that_is_no_preset_is_answered_with_those_that_are(cli: Cli) -> None:
    for command in (
        ("search", "x", "--preset", "evidnce"),
        ("eval", "run", "golden.jsonl", "--preset", "evidnce"),
        ("mcp", "--preset", "evidnce"),
        ("presets", "show", "evidnce"),
        ("presets", "diff", "evidnce"),
        ("config", "show", "--preset", "evidnce"),
    ):
        said = cli(*command, code=2).stderr
        assert "no preset is named 'evidnce'; known presets: evidence, general, chat, local" in said


def test_a_contradiction_of_a_command_is_named_with_both_places(cli: Cli) -> None:
    cli.write("pincite.toml", "[smooth]\nweight = 0.2\n")
    said = cli("config", "show", "--preset", "evidence", code=2).stderr
    assert f"smooth.weight = 0.2 ({cli.folder}/pincite.toml:2) and load.vectors = false" in said
    assert "(preset evidence)" in said


def test_the_page_about_configuration_shows_commands_that_run(cli: Cli) -> None:
    page = (Path(__file__).parents[3] / "docs/configuration.md").read_text(encoding="utf-8")
    commands = [line[2:].split()[1:] for line in page.splitlines() if line.startswith("$ pincite ")]
    assert len(commands) == 7
    cli.write("pincite.toml", page.split("```toml\n")[1].split("```")[0])
    for command in commands:
        cli(*command)


def test_stop_needs_no_valid_settings(cli: Cli) -> None:
    cli.write("docs/a.md", "# A\n\nAn axolotl.\n")
    cli("index", "docs", "--lexical")
    cli.write("pincite.toml", "[select\nresults = 5\n")
    assert "stopped" in cli("stop", PINCITE_TYPO="1").stderr
    cli.write("pincite.toml", '[store]\nurl = "https://qdrant.example"\n')
    assert "none was stopped" in cli("stop").stderr
    assert "no index exists" in cli("stop", "--index", "elsewhere", code=1).stderr
