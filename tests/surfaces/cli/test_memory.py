"""`pincite memory`, `pincite conversations` and their methods."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pincite import Pincite
from pincite.engine import AsyncPincite
from pincite.errors import ConversationNotFound, IndexNotFound, UsageError
from pincite.model import Turn
from pincite.settings.load import load_settings
from pincite.surfaces.cli.app import app


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / ".pincite"


def pincite(index: Path, *words: str, said: str = "") -> Result:
    given = [*words, "--index", str(index)]
    return CliRunner().invoke(app, given, input=said, standalone_mode=False)


def test_a_fact_is_added_listed_found_and_forgotten(index: Path) -> None:
    added = pincite(index, "memory", "add", "prefers tea", "--user", "ada", "--json")
    (fact,) = json.loads(added.stdout)
    assert (fact["user"], fact["text"]) == ("ada", "prefers tea")
    pincite(index, "memory", "add", "-", "--user", "ada", said="works at night\n")
    listed = pincite(index, "memory", "list", "--user", "ada")
    assert [line.split("  ")[-1] for line in listed.stdout.splitlines()] == [
        "prefers tea",
        "works at night",
    ]
    found = pincite(index, "memory", "list", "--user", "ada", "--query", "which tea?")
    assert found.stdout.count("\n") == 1
    assert "prefers tea" in found.stdout
    assert pincite(index, "memory", "list", "--user", "bob").return_value == 3
    assert "1 forgotten" in pincite(index, "memory", "forget", fact["id"], "--user", "ada").stderr
    assert pincite(index, "memory", "forget", fact["id"], "--user", "ada").return_value == 3
    assert (
        "1 forgotten" in pincite(index, "memory", "forget", "--all", "-y", "--user", "ada").stderr
    )


def test_nothing_is_forgotten_without_saying_what_and_without_asking(index: Path) -> None:
    pincite(index, "memory", "add", "prefers tea", "--user", "ada")
    for words in (["forget"], ["forget", "x", "--all"], ["forget", "--all"]):
        assert isinstance(
            pincite(index, "memory", *words, "--user", "ada").exception, UsageError
        ), words
    assert "prefers tea" in pincite(index, "memory", "list", "--user", "ada").stdout


def test_what_would_steer_a_terminal_is_escaped(index: Path) -> None:
    pincite(index, "memory", "add", "evil \x1b[2J\nsecond line", "--user", "a\x1bda")
    listed = pincite(index, "memory", "list", "--user", "a\x1bda").stdout
    assert "evil \\x1b[2J\\x0asecond line" in listed


def test_a_new_folder_is_private_and_left_alone_by_version_control(index: Path) -> None:
    pincite(index, "memory", "add", "prefers tea", "--user", "ada")
    assert stat.S_IMODE(index.stat().st_mode) == 0o700
    assert stat.S_IMODE((index / "memory.db").stat().st_mode) == 0o600
    assert (index / ".gitignore").read_text() == "*\n"


def test_a_folder_with_a_memory_alone_is_no_index(index: Path, tmp_path: Path) -> None:
    pincite(index, "memory", "add", "prefers tea", "--user", "ada")
    below = tmp_path / "below"
    below.mkdir()
    assert load_settings({}, below).index == below / ".pincite"
    assert isinstance(pincite(index, "search", "tea").exception, IndexNotFound)


def test_looking_makes_no_folder(index: Path) -> None:
    pincite(index, "memory", "list", "--user", "ada")
    pincite(index, "conversations", "list")
    assert not index.exists()


def test_memory_can_be_off_or_elsewhere(index: Path, tmp_path: Path) -> None:
    config = tmp_path / "pincite.toml"
    config.write_text('[memory]\nkind = "none"\n')
    off = pincite(index, "memory", "add", "tea", "--user", "ada")
    assert isinstance(off.exception, UsageError)
    assert "[memory] kind" in str(off.exception)
    config.write_text('[memory]\npath = "../of-users/facts.db"\n')
    pincite(index, "memory", "add", "tea", "--user", "ada")
    assert (tmp_path / "of-users" / "facts.db").exists()
    assert not (index / "memory.db").exists()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('kind = "redis"', "memory"),
        ("kinds = 1", "memory.kinds"),
        ("infer = true", "memory.infer"),
        ('dense = "no model"', "memory.dense"),
        ('path = "a\\u0000b"', "memory.path"),
    ],
)
def test_wrong_settings_are_named(index: Path, tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "pincite.toml").write_text(f"[memory]\n{table}\n")
    found = pincite(index, "memory", "list", "--user", "ada")
    assert isinstance(found.exception, UsageError)
    assert said in str(found.exception)
    assert "pincite.toml" in str(found.exception)


def test_conversations_are_listed_shown_and_deleted(index: Path) -> None:
    async def said() -> str:
        async with AsyncPincite(index) as engine:
            id_ = await engine.begin_conversation("ada", "about \x1bkeys")
            turns = (
                Turn("user", "How is a key rotated?"),
                Turn("assistant", "Call rotate.\x1b", citations=("docs@1:keys.md#L3-L4",)),
                Turn("assistant", "Call", kind="failed"),
            )
            await engine._conversations.append("ada", id_, turns)
            return id_

    id_ = asyncio.run(said())
    listed = pincite(index, "conversations", "list", "--owner", "ada").stdout
    assert re.fullmatch(rf"{id_}  20\S+  3 turns  about \\x1bkeys\n", listed)
    shown = pincite(index, "conversations", "show", id_, "--owner", "ada").stdout
    assert "[1] user, " in shown
    assert "[3] assistant, failed, " in shown
    assert "Call rotate.\\x1b" in shown
    assert "  docs@1:keys.md#L3-L4" in shown
    for words in (["show", id_], ["delete", id_, "-y"], ["show", id_, "--owner", "Ada"]):
        found = pincite(index, "conversations", *words)
        assert isinstance(found.exception, ConversationNotFound)
    unasked = pincite(index, "conversations", "delete", id_, "--owner", "ada")
    assert isinstance(unasked.exception, UsageError)
    deleted = pincite(index, "conversations", "delete", id_, "--owner", "ada", "-y")
    assert deleted.stderr == "deleted\n"
    assert pincite(index, "conversations", "list", "--owner", "ada").return_value == 3


def test_facts_are_found_by_meaning_where_the_settings_name_a_model(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text('[memory]\ndense = "bundled"\n')
    settings = load_settings({}, tmp_path, tmp_path / ".pincite")
    with Pincite(settings) as engine:
        engine.remember("ada", "is a vegetarian and eats no meat")
        engine.remember("ada", "drives a red car")
        found = engine.recall("ada", "What could I cook for dinner?")
        assert found[0].text == "is a vegetarian and eats no meat"
        assert engine.forget_facts("ada") == 2


def test_an_open_index_of_several_users_answers_each_for_itself(index: Path) -> None:
    with Pincite(index) as engine:
        engine.remember("ada", "drinks tea")
        assert engine.recall("bob", "tea") == ()
        assert engine.facts("bob") == ()
        assert engine.forget_facts("bob") == 0
        id_ = engine.begin_conversation("ada")
        assert engine.conversations("bob") == ()
        with pytest.raises(ConversationNotFound):
            engine.turns(id_, "bob")
