"""docs/notes.md is run as it stands, but for addresses."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pincite.presets import preset_table
from pincite.settings.file.keys import in_force
from pincite.settings.file.layers import merged, read_layers
from pincite.testing.contract_server import ContractServer
from tests.environment import clean_environment
from tests.stores.qdrant_http import recording_server
from tests.surfaces.conftest import KEY, Cli

PAGE = (Path(__file__).parents[2] / "docs/notes.md").read_text(encoding="utf-8")
NOTE = "# Heat pumps\n\nA heat pump moves heat from the cold side to the warm one. relevance=0.9\n"
REFUSAL = "I could not find any relevant notes for your question."

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_recipe_answers_a_question_and_refuses_without_tags(cli: Cli) -> None:
    with ContractServer(key=KEY) as server, recording_server() as qdrant:
        text = block("toml").replace("https://qdrant.example:6333", qdrant.url)
        text = text.replace("https://api.voyageai.com", server.url("voyage"))
        assert text.count("127.0.0.1") == 2
        cli.write("pincite.toml", text)
        cli.write("notes/physics/heat.md", NOTE)
        keys: dict[str, Any] = {
            "VOYAGE_API_KEY": KEY,
            "PINCITE_CACHE": str(cli.folder / "vectors.db"),
        }
        cli("index", **keys)
        (command,) = block("console").splitlines()
        arguments = shlex.split(command.removeprefix("$ pincite "))
        assert "A heat pump moves heat" in cli(*arguments, **keys).stdout
        said = cli("search", arguments[1], code=2, **keys).stderr
        assert "requires institution, mode for every search and read" in said
        done = subprocess.run(
            [sys.executable, "-c", block("python")],
            cwd=cli.folder,
            env=clean_environment() | {"PINCITE_OFFLINE": "1"} | keys,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.startswith("None 0.9 False # Heat pumps")
        assert qdrant.wrong == []
        cli("stop")


def test_the_table_of_constants_says_what_the_preset_sets(tmp_path: Path) -> None:
    place = tmp_path / "pincite.toml"
    place.write_text('extends = "notes"\n', encoding="utf-8")
    values = in_force(merged(read_layers(place)))
    table = PAGE.partition("## Its constants")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| ")][1:]
    said = {}
    for _, here, value in rows:
        for key in re.findall(r"`([a-z_.]+)`", here):
            if "." in key or key.startswith("weak"):
                name = key if "." in key else "gate.reranked_probability.weak_at"
                said[name] = value.strip()
    assert set(said) >= {"rerank.top", "answer.sentence", "store.segments", "models.dense"}
    for name, value in said.items():
        wanted = values[tuple(name.split("."))]
        first = value.strip("`") if isinstance(wanted, str) else value.split(";")[0]
        if isinstance(wanted, str):
            assert value.startswith(f"`{wanted}`"), name
        else:
            assert float(first) == wanted, name
    assert preset_table("notes")["answer"]["sentence"] == REFUSAL
