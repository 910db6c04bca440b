"""Saved results of Pincite are not indexed: their texts are those of other documents."""

from __future__ import annotations

import asyncio

import pytest

from pincite.model import Answer
from pincite.sources import reject_content
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


@pytest.mark.parametrize(
    "raw",
    [
        TABLE,
        b'{"schema_version": "1.5", "question": "how?", "text": "so", "author": "Ada"}',
        b'{"schema_version": 3, "name": "metrics"}',
        b'[{"schema_version": "1.5", "query": "x", "verdict": {"level": "none"}}]',
        b'{"schema_version": "1.5",\n "query": "' + b"\\\n" * 100_001,
    ],
)
def test_other_json_is_one(raw: bytes) -> None:
    assert reject_content("a.json", raw) is None
