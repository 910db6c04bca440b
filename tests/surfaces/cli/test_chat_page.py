"""docs/chat.md is followed as it stands, and what it says of warnings and variables is so."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.presets import PRESETS
from pincite.settings.environment import STRATEGIES
from pincite.settings.file.toml_file import leaves
from pincite.settings.file.toml_text import inline
from pincite.settings.load import load_settings
from pincite.settings.variables import CHAT_VARIABLES
from tests.surfaces.conftest import Cli

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/chat.md").read_text(encoding="utf-8")
RECIPE = "".join(re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
TEXTS = {
    "keys": "# Keys\n\nTo rotate a key, call `rotate_key` with the new secret.\n",
    "again": "# Keys again\n\nTo rotate the key, call `rotate_key` with a new secret.\n",
    "backups": "# Backups\n\nBackups run every night and are kept for thirty days.\n",
    "invoices": "# Invoices\n\nInvoices are sent on the first day of each month.\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    cli = Cli(tmp_path_factory.mktemp("chat"))
    cli.write("pincite.toml", RECIPE)
    for name, text in TEXTS.items():
        cli.write(f"docs/{name}.md", text)
    cli("index", "docs")
    yield cli
    cli("stop")


def test_the_preset_answers_and_refuses_without_a_language_model(tmp_path: Path) -> None:
    section = PAGE.partition("## Try it")[2].partition("\n## ")[0]
    prepare, commands = re.findall(r"^```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    subprocess.run(["bash", "-ec", prepare], cwd=tmp_path, check=True)
    cli = Cli(tmp_path)
    for command, shown in re.findall(r"^\$ pincite (.*)\n([^$]*)", commands, re.MULTILINE):
        refused = shown.startswith("I could not find")
        done = cli(*shlex.split(command), code=3 if refused else 0)
        assert done.stdout.startswith(shown.rstrip())
    cli("stop")


def test_the_recipe_is_the_preset_written_out(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text(RECIPE)
    settings = load_settings({}, tmp_path)
    assert settings.profile == PRESETS["chat"]
    assert settings.store.kind == "chroma"
    assert settings.use.llm


def test_a_good_question_finds_its_passage_by_the_nearest_cosine(place: Cli) -> None:
    pack = place.json("search", "how is a key rotated?")
    assert pack["verdict"]["level"] == "grounded"
    assert (pack["verdict"]["signal"], pack["verdict"]["thresholds"]) == ("dense", "assumed")
    assert "rotate_key" in pack["evidence"][0]["text"]
    assert pack["plan"]["passes"] == ["probe", "first"]


@pytest.mark.parametrize(("mode", "code", "level"), [("strict", 3, "none"), ("open", 0, "weak")])
def test_an_off_topic_question_is_refused_or_weak(
    place: Cli, mode: str, code: int, level: str
) -> None:
    question = "when did the volcano bury Pompeii?"
    pack = json.loads(place("search", question, "--json", code=code, CHAT_MODE=mode).stdout)
    assert pack["verdict"]["level"] == level
    assert len(pack["evidence"]) == (mode == "open")
    assert len(pack["closest"]) == (mode == "strict")
    assert pack["plan"]["passes"] == ["probe"]
    explained = place("explain", question, code=code, CHAT_MODE=mode)
    assert "no rephrasing was searched" in explained.stdout + explained.stderr


def test_every_strategy_of_the_page_has_the_keys_that_it_sets() -> None:
    for name, table in STRATEGIES.items():
        (row,) = re.findall(rf"^\| `{name}` \|.*$", PAGE, re.MULTILINE)
        base = "".join(re.findall(r"^\| `hybrid` \|.*$", PAGE, re.MULTILINE))
        said = row + (base if "as `hybrid`" in row else "") + PAGE.partition("All three also")[2]
        for path in leaves(table):
            value = table[path[0]][path[1]]
            written = f"{'.'.join(path)} = {inline(value)}"
            assert written in said or written.removesuffix(".0") in said, written


def test_every_warning_and_variable_of_the_page_is_one_that_there_is() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "src/pincite").rglob("*.py"))
    warnings = set(re.findall(r"(?:warning|says) `(\w+)`", PAGE))
    assert len(warnings) >= 7
    assert {code for code in warnings if f'"{code}"' not in sources} == set()
    assert {name for name in CHAT_VARIABLES if name not in PAGE} == set()
