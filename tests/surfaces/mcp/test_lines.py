"""Lines on stdin that are no messages: each has an answer, so that no client waits for ever."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.surfaces.mcp.lines import mended, refusal
from tests.surfaces.conftest import Cli
from tests.surfaces.mcp.messages import OLD, start
from tests.time_limits import HANGS_S

CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
BEGUN = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r'"\ud83d"', "\ufffd"),
        (r'"\uDE00\uD83D"', "\ufffd\ufffd"),
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'"\\\ud83d"', "\\\ufffd"),
    ],
)
def test_half_of_a_character_is_replaced(sent: str, read: str) -> None:
    assert json.loads(mended(sent)) == read


@given(st.text())
def test_whole_characters_stay(text: str) -> None:
    assert json.loads(mended(json.dumps(text))) == text


@pytest.mark.parametrize(
    ("line", "id_", "code"),
    [
        ("no json", None, -32700),
        ("{", None, -32700),
        ("[" * 100_000, None, -32700),
        ("9" * 5_000, None, -32700),
        ("[]", None, -32600),
        ("null", None, -32600),
        ('{"id": 7, "method": "ping"}', 7, -32600),
        ('{"jsonrpc": "2.0", "id": 7}', 7, -32600),
        (json.dumps(CALL)[:-1] + ', "params": {"a": ' + "[" * 250 + "]" * 250 + "}}", 7, -32700),
        (json.dumps(CALL | {"params": []}), 7, -32600),
        (json.dumps(CALL | {"method": None}), 7, -32600),
        (json.dumps(CALL | {"id": None}), None, -32600),
        (json.dumps(CALL | {"id": True}), None, -32600),
        (json.dumps(CALL | {"id": {"a": 1}}), None, -32600),
    ],
)
def test_what_is_no_message_is_refused(line: str, id_: int | None, code: int) -> None:
    said = refusal(line)
    assert said is not None
    assert said.endswith(b"\n")
    answer = json.loads(said)
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", id_, code)


@pytest.mark.parametrize("line", ["", "\r\n", json.dumps(CALL), json.dumps(BEGUN), json.dumps(OLD)])
def test_messages_and_empty_lines_are_left_to_the_library(line: str) -> None:
    assert refusal(line) is None
    assert refusal('{"jsonrpc": "2.0", "id": 1, "result": {}}') is None


def test_a_client_gets_an_answer_to_each_line(indexed: Cli) -> None:
    half = json.dumps(
        CALL | {"params": {"name": "search_evidence", "arguments": {"query": "rotate \ud83d"}}}
    )
    lines = [
        json.dumps(OLD),
        json.dumps(BEGUN),
        half,
        "{",
        json.dumps(CALL | {"id": 8, "params": 1}),
    ]
    out, error = start(indexed).communicate("\n".join(lines) + "\n", HANGS_S)
    answers = {one["id"]: one for one in map(json.loads, out.splitlines()) if "id" in one}
    assert set(answers) == {1, 7, 8, None}, error
    assert "rotate" in str(answers[7]["result"])
    assert answers[8]["error"]["code"] == -32600
