"""A candidate is its chunk and its signals; its vector is only carried along."""

from __future__ import annotations

import numpy as np

from pincite.model import Candidate, CollectionSpec, Section, Signal
from pincite.support.fields import replace
from tests.builders import chunk

ONE = Candidate("main", chunk("a"), (Signal("dense", "cosine", 0.5),), np.ones(3, np.float32))


def test_vectors_are_neither_compared_nor_shown() -> None:
    other = replace(ONE, vector=np.zeros(3, np.float32))
    assert other == ONE
    assert hash(other) == hash(ONE)
    assert repr(other) == repr(ONE)
    assert "array" not in repr(ONE)


def test_everything_else_is_compared() -> None:
    assert replace(ONE, collection="b") != ONE
    assert replace(ONE, chunk=chunk("b")) != ONE
    assert replace(ONE, signals=()) != ONE
    assert replace(ONE, descriptions=("docs",)) != ONE
    assert ONE != "main"


def test_values_with_attributes_have_a_hash() -> None:
    assert len({Section(0, 4, attributes={"a": 1}), Section(0, 4, attributes={"a": 1})}) == 1
    assert len({CollectionSpec("main", "s", "c"), CollectionSpec("other", "s", "c")}) == 2
