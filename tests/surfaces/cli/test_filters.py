"""`--where`: a filter on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from pincite.support.token_estimate import estimate_tokens
from tests.surfaces.conftest import Cli

GUIDE = "# Guide\n\nTo rotate a key, call `rotate_key` with the new secret.\n"
CODE = (
    'def rotate_key(secret: str) -> None:\n    """Rotate the current key."""\n    store(secret)\n'
)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    cli = Cli(tmp_path_factory.mktemp("filters"))
    cli.write("guide.md", GUIDE)
    cli.write("src/keys.py", CODE)
    cli("index", ".", "--lexical", "--name", "acme")
    yield cli
    cli("stop")


def test_a_search_takes_a_filter_that_the_log_keeps_and_a_replay_uses(indexed: Cli) -> None:
    where = (
        'source_type = code and symbols = rotate_key and text ~ "current key" and start_line < 9'
    )
    pack = indexed.json("search", "rotate a key", "--where", where)
    assert {item["path"] for item in pack["evidence"]} == {"src/keys.py"}
    assert indexed.json("replay")[0]["asked"]["scope"]["where"] == where
    replayed = indexed("replay", "last").stdout
    assert replayed.rstrip().endswith("nothing changed")
    assert "guide.md" not in replayed


def test_a_filter_that_lets_nothing_pass_says_so_and_where_paths_begin(indexed: Cli) -> None:
    done = indexed("search", "rotate a key", "--where", "path ^= keys", "--json", code=3)
    assert json.loads(done.stdout)["evidence"] == []
    said = "nothing_in_scope: no indexed document matches where='path ^= keys'; near: src/keys.py"
    assert said in done.stderr


def test_results_are_printed_for_a_language_model_within_its_budget(indexed: Cli) -> None:
    said = indexed("search", "rotate a key", "--format", "prompt", "--max-tokens", "500").stdout
    assert said.startswith("Question: rotate a key\nVerdict: ")
    assert "\n[1] " in said
    assert "  def rotate_key(" in said
    assert estimate_tokens(said) <= 500
    nothing = indexed("search", "key", "-f", "prompt", "--path", "scr/*.py", code=3).stdout
    assert "near: src/keys.py" in nothing
    assert "relevant" not in nothing
    indexed("search", "key", "-f", "prompt", "--max-tokens", "299", code=2)


def test_a_wrong_filter_is_wrong_usage_with_its_place_and_what_was_meant(indexed: Cli) -> None:
    done = indexed("search", "key", "--where", "path ^= src/ and lang = python", code=2)
    assert "no field is named 'lang', at character 18" in done.stderr
    assert "try: use language instead of lang" in done.stderr


def test_explain_takes_what_a_search_takes(indexed: Cli) -> None:
    narrowed = (
        ("--where", "source_type = code"),
        ("--kind", "code"),
        ("--path", "src/*"),
        ("--not-path", "*.md"),
        ("--source", "acme", "--kind", "code", "-n", "1"),
    )
    places = {}
    for options in ((), *narrowed):
        views = indexed.json("explain", "rotate a key", *options)
        (selected,) = [view for view in views if view["stage"] == "select"]
        places[options] = {one["place"].partition("#")[0] for one in selected["candidates"]}
    assert places.pop(()) == {"guide.md", "src/keys.py"}
    assert all(found == {"src/keys.py"} for found in places.values()), places
    assert "no collection is named 'none'" in indexed("explain", "key", "-c", "none", code=2).stderr
