"""Saved results of Pincite are not indexed: their texts are those of other documents."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.model import Answer
from pincite.sources import SourceLimits, open_source, reject_content
from pincite.sources.including import read_included
from tests.scene import TEXTS, ask, make

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


@pytest.mark.parametrize("result", [PACK, ANSWER])
@pytest.mark.parametrize(
    "behind",
    ["\n\n# My own notes about this answer\n", '\n{"note": "mine"}\n' * 50],
)
def test_a_file_that_only_begins_with_a_result_is_one(result: Answer, behind: str) -> None:
    raw = (result.to_json(None) + behind).encode()
    assert reject_content("notes.md", raw) is None


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
