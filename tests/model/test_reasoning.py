"""What a language model says, without what it thought."""

from __future__ import annotations

import time

import pytest

from pincite.model.reasoning import without_thought
from tests.time_limits import HANGS_S


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Keys rotate.", "Keys rotate."),
        ("<think>Hm.\nYes.</think>\nKeys rotate.", "Keys rotate."),
        ("A <think>x</think>b<think>y</think> c", "A b c"),
        ("Keys <think>and then it was cut", "Keys"),
        ("no begin</think> there", "no begin</think> there"),
        ("<think><think>x</think>y", "y"),
        ("", ""),
    ],
)
def test_what_is_said_is_left(text: str, said: str) -> None:
    assert without_thought(text) == said


@pytest.mark.parametrize("text", ["<think>", "<think></think>", "</think>", "<think>x</think>y"])
def test_hostile_answers_take_linear_time(text: str) -> None:
    begun = time.process_time()
    without_thought(text * 300_000)
    assert time.process_time() - begun < HANGS_S
