"""`pincite ask` and `pincite chat`, in processes and terminals of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from pincite.model import Answer, AnswerKind
from pincite.surfaces.cli.ask import code_of
from pincite.surfaces.cli.chat import command_for
from pincite.surfaces.text.answer_text import plain_text
from pincite.testing.contract_server import ContractServer
from tests.surfaces.cli.terminal.screens import CTRL_C, CTRL_D, ENTER, UP, terminal
from tests.surfaces.conftest import Cli

QUESTION = "how is a key rotated with the new secret?"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def asking(cli: Cli) -> Cli:
    cli.write(
        "docs/keys.md",
        "# Keys\n\nTo rotate a key, call `rotate_key` with the new secret. Keys expire after 30"
        " days.\n",
    )
    cli.write("docs/backups.md", "# Backups\n\nBackups run every night and are kept a month.\n")
    cli("index", "docs", "--lexical")
    return cli


@pytest.fixture
def server() -> Iterator[ContractServer]:
    with ContractServer() as server:
        yield server


def with_model(cli: Cli, server: ContractServer, more: str = "") -> None:
    cli.write(
        "pincite.toml",
        '[models]\nllm = "ollama:qwen3:8b"\n[providers.ollama]\n'
        f'url = "{server.url("ollama")}"\ntries = 1\n{more}',
    )


def test_without_a_model_sentences_are_quoted_with_their_places(asking: Cli) -> None:
    done = asking("ask", *QUESTION.split())
    text, sources = done.stdout.strip().split("\n\n")
    said = "To rotate a key, call `rotate_key` with the new secret. Keys expire after 30 days."
    assert text == f"{said} [1]"
    assert sources.startswith("[1] docs@")
    assert sources.endswith(":keys.md#L3")
    assert "warning: extractive" in done.stderr


def test_a_model_answers_and_its_json_is_the_answer(asking: Cli, server: ContractServer) -> None:
    with_model(asking, server)
    found = asking.json("ask", QUESTION)
    assert found["kind"] == "generated"
    assert found["cited"] == [1]
    assert found["sources"][0]["number"] == 1
    assert found["model"].startswith("ollama:qwen3:8b")


def test_an_answer_that_cites_nothing_names_no_sources(asking: Cli) -> None:
    found = asking.json("ask", QUESTION) | {"text": "Zebras were first.", "cited": []}
    shown = plain_text(Answer.from_dict(found | {"kind": "generated"}))
    assert shown.startswith("Zebras were first.\n\nThe answer cites none of the passages.")
    assert "[1]" not in shown
    assert "\n\nSources:\n[1] docs@" in plain_text(Answer.from_dict(found | {"kind": "failed"}))


@pytest.mark.parametrize("kept", [False, True])
def test_the_sources_of_an_answer_can_be_verified(asking: Cli, kept: bool) -> None:
    answer = asking("ask", QUESTION, "--json").stdout
    checked = asking("verify", "-", stdin=answer.encode()).stdout
    assert checked.startswith("fresh    [1] docs@")
    keys = asking.folder / "docs/keys.md"
    before, after = ("# Keys", "# Locks") if kept else ("To rotate", "To rotatf")
    keys.write_text(keys.read_text().replace(before, after))
    code, status = (0, "fresh") if kept else (3, "changed")
    assert asking("verify", "-", stdin=answer.encode(), code=code).stdout.startswith(status)


@pytest.mark.parametrize("raw", ['{"sources": []}', '{"sources": 3}', "[" * 100_000, "[]", "3"])
def test_what_is_neither_a_pack_nor_an_answer_cannot_be_verified(cli: Cli, raw: str) -> None:
    assert "invalid " in cli("verify", "-", stdin=raw.encode(), code=2).stderr


@pytest.mark.parametrize("mode", ["strict", "open", "learning"])
def test_nothing_relevant_has_the_code_of_a_search(asking: Cli, mode: str) -> None:
    done = asking("ask", "zebra quantum ferment lorem", "--mode", mode, code=3)
    assert done.stdout.strip() == "I could not find anything about that in what is indexed."
    assert "warning: refused_nothing_found" in done.stderr


def test_a_model_that_fails_has_a_code_of_its_own(asking: Cli, server: ContractServer) -> None:
    with_model(asking, server)
    server.fail("500", times=9)
    done = asking("ask", QUESTION, code=4)
    assert done.stdout.startswith("The language model gave no answer. Sentences of the evidence:")
    assert "[1] docs@" in done.stdout
    assert "warning: llm_failed: Unavailable" in done.stderr


def test_the_code_of_an_answer_is_that_of_its_kind_in_the_documentation(asking: Cli) -> None:
    page = (ROOT / "docs/answers.md").read_text(encoding="utf-8")
    codes = {
        kind: int(code) for kind, code in re.findall(r"^\| `(\w+)` \|.*\| (\d) \|$", page, re.M)
    }
    assert set(codes) == set(get_args(AnswerKind))
    found = asking.json("ask", QUESTION)
    for kind, code in codes.items():
        assert code_of(Answer.from_dict(found | {"kind": kind})) == code
    said = " ".join(asking("ask", "--help").stdout.split())
    assert "3 refused" in said
    assert f"{codes['failed']} the model failed" in said


def test_no_index_is_a_refusal_that_says_what_to_do(cli: Cli) -> None:
    done = cli("ask", "anything", code=3)
    assert "pincite index PATH" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mode", "strictly"), "strictly"),
        (("--where", "path ~~ 3"), "where"),
        (("--collection", "nope"), "nope"),
        (("--conversation", "f" * 32), "conversation"),
        (("--tag", "nope"), "nope"),
    ],
)
def test_what_cannot_be_asked_is_wrong_usage(
    asking: Cli, arguments: tuple[str, ...], said: str
) -> None:
    assert said in asking("ask", QUESTION, *arguments, code=2).stderr


def test_chat_needs_a_terminal(asking: Cli) -> None:
    assert "needs a terminal" in asking("chat", code=2).stderr


def test_a_scope_narrows_what_is_answered_from(asking: Cli) -> None:
    found = asking.json("ask", QUESTION, "--path", "docs/backups.md", code=3)
    assert found["sources"] == []


def test_an_answer_is_shown_on_a_terminal_with_its_sources(
    asking: Cli, server: ContractServer
) -> None:
    with_model(asking, server)
    with terminal(asking.folder, "ask", QUESTION) as screen:
        text = screen.until("[1] docs@")
        assert "with the new secret. [1]" in text
        assert screen.code() == 0


def test_what_a_model_writes_never_steers_the_terminal(asking: Cli, server: ContractServer) -> None:
    asking.write("docs/evil.md", "Quetzal \x1b[2J\x1b]0;owned\x07 title is rotated weekly.\n")
    asking("index", "docs", "--lexical")
    with_model(asking, server)
    with terminal(asking.folder, "ask", "quetzal title rotated weekly") as screen:
        text = screen.until("evil.md")
        assert "\\x1b[2J" in text or "\\\\x1b[2J" in text
        assert screen._screen.title != "owned"


def test_a_conversation_in_a_terminal(asking: Cli, server: ContractServer) -> None:
    with_model(asking, server)
    with terminal(asking.folder, "chat") as screen:
        screen.until(">")
        screen.keys(f"{QUESTION}{ENTER}")
        screen.until("[1] docs@")
        screen.keys(f"/sources{ENTER}")
        screen.until("[1] docs@", 2)
        screen.keys(f"/mode{ENTER}")
        screen.until("mode: strict; known modes: strict, open, learning")
        screen.keys(f"/mode open{ENTER}")
        screen.until("mode: open")
        screen.keys(f"/mode wrong{ENTER}")
        screen.until("no mode is named 'wrong'")
        screen.keys(f"/what{ENTER}")
        screen.until("/quit     leave")
        screen.keys(f"half a line{CTRL_C}")
        screen.keys(CTRL_D)
        screen.until("to continue: pincite chat --conversation")
        assert screen.code() == 0
        name = screen.text.rsplit(" ", 1)[-1].strip()
    with terminal(asking.folder, "chat", "--conversation", name) as screen:
        screen.until(">")
        screen.keys(f"{UP}")
        screen.until(f"> {QUESTION}")
        screen.keys(f"{ENTER}")
        screen.until("[1] docs@")
        screen.keys(f"/new{ENTER}")
        screen.until("another conversation")
        screen.keys(f"/sources{ENTER}")
        screen.until("no sources")
        screen.keys(f"/quit{ENTER}")
        assert screen.code() == 0
    last = [body for body in server.record.bodies if body.get("stream")][-1]
    assert [one["role"] for one in last["messages"]] == ["system", "user", "assistant", "user"]


def test_the_command_to_continue_is_whole_and_an_empty_conversation_is_not_kept(
    asking: Cli, server: ContractServer
) -> None:
    with_model(asking, server)
    with terminal(asking.folder, "chat", "--user", "ada l", "--index", ".pincite") as screen:
        screen.until(">")
        server.fail("slow", times=1, wait_s=30.0)
        screen.keys(f"when do backups run?{ENTER}")
        screen.until("searching for an answer")
        screen.keys(CTRL_C)
        screen.until("interrupted")
        server.heal()
        screen.keys(f"/new{ENTER}")
        screen.until("another conversation")
        screen.keys(f"{QUESTION}{ENTER}")
        screen.until("[1] docs@")
        screen.keys(CTRL_D)
        screen.until("to continue: pincite chat --user 'ada l' --index .pincite --conversation")
        assert screen.code() == 0
    (line,) = asking("conversations", "list", "--owner", "ada l").stdout.splitlines()
    assert line.endswith(f"  2 turns  {QUESTION}")


@pytest.mark.parametrize("before", [(), ("--conversation", "b"), ("--conversation=b",)])
def test_the_command_to_continue_names_one_conversation(before: tuple[str, ...]) -> None:
    words = ("chat", *before, "--path", "a b/**")
    assert command_for(words, "c") == "pincite chat --path 'a b/**' --conversation c"


def test_ctrl_c_ends_an_answer_and_not_the_conversation(
    asking: Cli, server: ContractServer
) -> None:
    with_model(asking, server)
    with terminal(asking.folder, "chat") as screen:
        screen.until(">")
        server.fail("slow", times=1, wait_s=30.0)
        screen.keys(f"{QUESTION}{ENTER}")
        screen.until("searching for an answer")
        screen.keys(CTRL_C)
        screen.until("interrupted")
        server.heal()
        screen.keys(f"{QUESTION}{ENTER}")
        screen.until("[1] docs@")
        screen.keys(CTRL_D)
        assert screen.code() == 0


def test_a_fault_in_a_conversation_leaves_the_next_question(
    asking: Cli, server: ContractServer
) -> None:
    with_model(asking, server)
    with terminal(asking.folder, "chat", "--collection", "main") as screen:
        screen.until(">")
        server.fail("401", times=9)
        screen.keys(f"{QUESTION}{ENTER}")
        screen.until("llm_failed")
        server.heal()
        screen.keys(f"when do backups run?{ENTER}")
        screen.until("kept a month. [1]")
        screen.keys(CTRL_D)
        assert screen.code() == 0


def test_that_no_model_is_named_is_said_once(asking: Cli) -> None:
    with terminal(asking.folder, "chat") as screen:
        screen.until(">")
        screen.keys(f"{QUESTION}{ENTER}")
        screen.until("warning: extractive")
        screen.keys(f"{QUESTION}{ENTER}")
        screen.until("[1] docs@", 2)
        screen.keys(CTRL_D)
        text = screen.until("to continue")
        assert screen.code() == 0
    assert text.count("warning: extractive") == 1


def test_the_log_line_of_an_answer_is_no_search(asking: Cli) -> None:
    asking("ask", QUESTION)
    lines = (asking.folder / ".pincite" / "retrieval.jsonl").read_text().splitlines()
    assert [("answer_of" in json.loads(line)) for line in lines] == [False, True]
    listed = asking("replay").stdout
    assert listed.count(QUESTION) == 1
