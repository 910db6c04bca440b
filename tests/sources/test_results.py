"""Saved results of Pincite are not indexed: their texts are those of other documents."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from pincite.model import Answer
from pincite.sources import SourceLimits, open_source, reject_content
from pincite.sources.including import read_included
from tests.small_search import TEXTS, ask, make
from tests.time_limits import GROWS_S

QUESTION = 'how is a "key" rotated?\n\\ and {"query": "x"}'
PACK = ask(QUESTION, asyncio.run(make(None, TEXTS)))
ANSWER = Answer(
    "1.0", QUESTION, 'Call `rotate_key` with "x". [1]', "extractive", "strict", (), PACK
)
TABLE = b'{"schema_version": "1.5", "query": "select 1", "rows": []}'


@pytest.mark.parametrize("indent", [2, None])
@pytest.mark.parametrize("path", ["pack.json", "pack.txt"])
@pytest.mark.parametrize("result", [PACK, ANSWER])
def test_a_saved_result_is_no_source(result: Answer, path: str, indent: int | None) -> None:
    skipped = reject_content(path, result.to_json(indent).encode())
    assert skipped is not None
    assert (skipped.code, skipped.detail) == ("generated", "a result of Pincite")


@pytest.mark.parametrize("indent", [2, None])
@pytest.mark.parametrize("between", ["", "\n", "\r\n\r\n", " \t"])
def test_results_that_were_appended_to_one_file_are_no_source(between: str, indent: int) -> None:
    every = [one.to_json(indent) for one in (PACK, ANSWER, PACK)]
    skipped = reject_content("all.json", (between.join(every) + between).encode())
    assert skipped is not None
    assert skipped.detail == "a result of Pincite"


@pytest.mark.parametrize("result", [PACK, ANSWER])
def test_a_result_is_no_source_wherever_it_is_cut_off(result: Answer) -> None:
    whole = result.to_json().encode()
    for end in range(200, len(whole)):
        assert reject_content("pack.json", whole[:end]) is not None, whole[:end][-30:]


def test_the_last_of_several_results_may_be_cut_off() -> None:
    raw = f"{PACK.to_json()}\n{ANSWER.to_json()}".encode()
    assert reject_content("all.json", raw[:-20]) is not None
    assert reject_content("all.json", raw[:-20] + b"\n" + raw) is None


@pytest.mark.parametrize("result", [PACK, ANSWER])
@pytest.mark.parametrize(
    "behind",
    [
        "\n\n# My own notes about this answer\n",
        '\n{"note": "mine"}\n' * 50,
        '\n{"note": "mine"}\n' + PACK.to_json(None),
        "\n" + PACK.to_json(None) + "\nso these two differ",
        '\n{"schema_version": "1.0", "query": "x", "rows": []}',
        " 42",
        "}",
    ],
)
def test_a_file_that_only_begins_with_a_result_is_one(result: Answer, behind: str) -> None:
    raw = (result.to_json(None) + behind).encode()
    assert reject_content("notes.md", raw) is None


@pytest.mark.parametrize("cut", [300, 600, 1_000, 1_500, 2_000])
def test_notes_behind_a_result_that_is_cut_off_are_one(cut: int) -> None:
    raw = PACK.to_json().encode()[:cut] + b"\n\n# My own notes about this answer\n"
    assert reject_content("notes.md", raw) is None


@pytest.mark.parametrize("level", ['"high"', '"noneish"', "1"])
def test_lines_that_resemble_results_are_one(level: str) -> None:
    line = f'{{"schema_version": "1.5", "query": "x", "verdict": {{"level": {level}}}}}\n'
    assert reject_content("runs.jsonl", (line * 50).encode()) is None


def test_a_page_may_include_a_result_as_a_sample(tmp_path: Path) -> None:
    (tmp_path / "pack.json").write_text(PACK.to_json())
    with open_source(tmp_path, limits=SourceLimits()) as opened:
        said = read_included(opened, "docs/page.md", "pack.json")
    assert said is not None
    assert '"verdict"' in said


@pytest.mark.parametrize(
    "raw",
    [
        TABLE,
        b'{"schema_version": "1.5", "question": "how?", "text": "so", "author": "Ada"}',
        b'{"schema_version": 3, "name": "metrics"}',
        b'[{"schema_version": "1.5", "query": "x", "verdict": {"level": "none"}}]',
        b'{"schema_version": "1.5", "query": "x", "verdict": {"level":\n' + b"[\n" * 9_999,
        b'{"schema_version": "1.5",\n "query": "' + b"\\\n" * 100_001,
    ],
)
def test_other_json_is_one(raw: bytes) -> None:
    assert reject_content("a.json", raw) is None


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("}\n", 2_000_000),
        ("}{ \n", 1_000_000),
        ('}\n{"schema_version": ', 200_000),
        (PACK.to_json() + "\n", 1_000),
        ("[\n", 2_000_000),
        (" \n", 2_000_000),
    ],
)
def test_a_large_file_takes_no_time(text: str, times: int) -> None:
    raw = (PACK.to_json(None) + text * times + "mine").encode()
    begun = time.process_time()
    assert reject_content("a.json", raw) is None
    assert time.process_time() - begun < GROWS_S
