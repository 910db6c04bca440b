"""QDRANT_COLLECTION, SEARCH_MODE and SEARCH_VECTOR_WEIGHT from a shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.surfaces.conftest import Cli


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """A page in `main` and one in `chunks`."""
    cli = Cli(tmp_path_factory.mktemp("variables"))
    cli.write("main/a.md", "# Gate\n\nThe turnstile rotates.\n")
    cli.write("chunks/b.md", "# Crane\n\nThe turnstile is lifted.\n")
    cli("index", "main", "--lexical")
    cli("index", "chunks", "--lexical", QDRANT_COLLECTION="chunks")
    yield cli
    cli("stop")


def asked(cli: Cli, *arguments: str, **variables: Any) -> Any:
    """The collections that a search asks."""
    done = cli("search", "turnstile", "--json", *arguments, **variables)
    return json.loads(done.stdout)["plan"]["collections"]


def test_a_named_collection_is_indexed_into_and_is_all_that_is_searched(indexed: Cli) -> None:
    assert set(asked(indexed)) == {"main", "chunks"}
    assert asked(indexed, QDRANT_COLLECTION="chunks") == ["chunks"]
    assert asked(indexed, "-c", "main", QDRANT_COLLECTION="chunks") == ["main"]
    done = indexed("collections", "forget", "none", code=2, QDRANT_COLLECTION="chunks")
    assert "chunks has no source 'none'; known sources: chunks" in done.stderr


def test_a_named_collection_that_is_not_there_is_named_with_the_variable(indexed: Cli) -> None:
    done = indexed("search", "turnstile", code=2, QDRANT_COLLECTION="docs")
    assert (
        "no collection is named 'docs', the value of QDRANT_COLLECTION; known collections: chunks"
        in done.stderr
    )
    done = indexed("search", "turnstile", "-c", "docs", code=2, QDRANT_COLLECTION="chunks")
    assert "QDRANT_COLLECTION" not in done.stderr


def test_an_option_wins_over_the_mode_that_a_variable_names(indexed: Cli) -> None:
    done = indexed("search", "turnstile", code=2, SEARCH_MODE="vector")
    assert "has no dense vectors" in done.stderr
    asked(indexed, "--by", "keyword", SEARCH_MODE="vector")
    done = indexed("search", "turnstile", code=2, SEARCH_MODE="magic")
    assert "SEARCH_MODE is 'magic'; use one of" in done.stderr


def test_doctor_names_a_placeholder_in_a_prompt(cli: Cli) -> None:
    (cli.folder / "prompts").mkdir()
    (cli.folder / "prompts/strict.md").write_text("Be brief.\n{question}\n")
    (cli.folder / "pincite.toml").write_text('[answer]\nprompts = "prompts"\n')
    done = cli("doctor", "--offline", PINCITE_TRUST="1")
    assert "'{question}' in line 2, and nothing is put in its place" in done.stdout
    assert done.stderr == ""


def test_doctor_names_a_server_that_no_store_uses(cli: Cli) -> None:
    said = "QDRANT_URL: is set, but the store is edge, so it is not used"
    assert said in cli("doctor", "--offline", QDRANT_URL="http://localhost:6333").stdout
    assert "QDRANT_URL" not in cli("doctor", "--offline").stdout
    cli.write("pincite.toml", '[store]\nkind = "qdrant"\n')
    done = cli("doctor", "--offline", QDRANT_URL="http://127.0.0.1:9", PINCITE_TRUST="1")
    assert "QDRANT_URL" not in done.stdout
