"""`pincite replay`: what was asked is found again, and what changed is named."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.surfaces.conftest import Cli

GUIDE = "# Guide\n\nTo rotate a key, call `rotate_key` with the new secret.\n"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """An index and a log with one search."""
    cli = Cli(tmp_path_factory.mktemp("replay"))
    cli.write("guide.md", GUIDE)
    cli("index", ".", "--lexical", "--name", "acme", "--include", "*.md")
    cli("search", "rotate a key")
    yield cli
    cli("stop")


@pytest.fixture
def asked(indexed: Cli) -> Iterator[Cli]:
    """The same, with the log as it was before the test."""
    path = indexed.folder / ".pincite/retrieval.jsonl"
    line = path.read_bytes()
    yield indexed
    path.write_bytes(line)


def test_nothing_changed_while_nothing_changed(asked: Cli) -> None:
    done = asked("replay", "last")
    assert done.stdout.rstrip().endswith("nothing changed")
    assert "guide.md#L1-L3" in done.stdout


def test_todays_settings_are_shown_and_used_when_asked_for(asked: Cli) -> None:
    asked.write("pincite.toml", "[retrieve]\nhnsw_ef = 64\n")
    logged, current = asked.json("replay", "last"), asked.json("replay", "last", "--current")
    for found in (logged, current):
        assert [one["name"] for one in found["settings"]] == ["retrieve.hnsw_ef"]
    (asked.folder / "pincite.toml").unlink()


def test_searches_are_listed_and_replaying_is_no_search_of_its_own(asked: Cli) -> None:
    asked("replay", "last")
    (event,) = asked.json("replay")
    assert event["asked"]["text"] == "rotate a key"
    assert asked("replay").stdout.startswith(event["query_id"][:12])


def test_the_query_id_is_on_stderr_beside_json_and_never_in_the_pack(asked: Cli) -> None:
    done = asked("search", "rotate a key", "--json")
    (event, _) = asked.json("replay")
    assert f"query {event['query_id']}: pincite replay" in done.stderr
    assert event["query_id"] not in done.stdout


def test_an_unknown_id_is_an_error_that_helps(asked: Cli) -> None:
    assert "try: pincite replay" in asked("replay", "0000aaaa", code=2).stderr


def test_nothing_is_logged_when_the_log_is_off(asked: Cli) -> None:
    done = asked("search", "rotate a key", "--json", PINCITE_LOG="0")
    assert "pincite replay" not in done.stderr
    assert len(asked.json("replay")) == 1


def test_a_log_of_another_version_says_what_to_do(asked: Cli) -> None:
    path = asked.folder / ".pincite/retrieval.jsonl"
    event = json.loads(path.read_text())
    event["asked"]["profile"]["fuse"]["magic"] = 1
    path.write_text(json.dumps(event) + "\n")
    assert "--current" in asked("replay", "last", code=2).stderr
    assert asked("replay", "last", "--current").stdout.rstrip().endswith("nothing changed")


def test_a_changed_file_and_a_new_one_are_seen(asked: Cli) -> None:
    asked.write("guide.md", GUIDE.replace("new secret", "new secret, then rotate a key again"))
    asked.write("more.md", "# Rotate\n\nRotate a key on Mondays.\n")
    asked("index")
    found = asked.json("replay", "last", code=3)
    assert not found["same"]
    assert "main.documents" in [one["name"] for one in found["index"]]
    gone = [item for item in found["items"] if item["rank_now"] is None]
    assert [item["reason"][:26] for item in gone] == ["is no longer in the index:"]
    new = {item["place"] for item in found["items"] if item["rank_then"] is None}
    assert new == {"guide.md#L1-L3", "more.md#L1-L3"}


def test_a_file_that_has_changed_or_is_gone_is_the_reason_for_its_passages(cli: Cli) -> None:
    cli.write("pincite.toml", '[refresh]\nmode = "manual"\n')
    cli.write("docs/guide.md", GUIDE)
    cli.write("docs/more.md", "# More\n\nTo rotate a key on Mondays, see the guide.\n")
    cli.write("docs/last.md", "# Last\n\nTo rotate a key on Sundays, see the guide.\n")
    cli("index", "docs", "--lexical")
    cli("search", "rotate a key", "--all")
    cli.write("docs/guide.md", "# Guide\n\nNothing about it any more.\n")
    (cli.folder / "docs/more.md").unlink()
    found = cli.json("replay", "last", code=3)
    gone = [item for item in found["items"] if item["rank_now"] is None]
    assert {item["place"]: item["reason"] for item in gone} == {
        "guide.md#L1-L3": "its file has changed since it was indexed",
        "more.md#L1-L3": "its file is gone",
    }


def test_without_an_index_or_a_search_it_says_so(cli: Cli) -> None:
    for arguments in ((), ("last",), ("--json",)):
        refused = cli("replay", *arguments, code=1)
        assert "no index exists at" in refused.stderr
        assert "try: pincite index PATH" in refused.stderr
    assert not (cli.folder / ".pincite").exists()
    cli.write("docs/guide.md", GUIDE)
    cli("index", "docs", "--lexical")
    done = cli("replay")
    assert (done.stdout, done.stderr) == ("", "no search is logged\n")
    assert cli("replay", PINCITE_LOG="0").stderr == "the log of searches is off\n"
    assert cli.json("replay") == []
