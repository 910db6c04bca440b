"""The weights of terms by their rarity."""

from __future__ import annotations

import math

import pytest

from pincite.support.term_share import idf_of


def test_a_term_of_one_of_three_texts_weighs_as_the_formula_says() -> None:
    assert idf_of(3, 1) == pytest.approx(math.log(1 + 2.5 / 1.5))


def test_a_term_of_all_texts_still_weighs_something_and_none_weighs_less_than_nothing() -> None:
    assert idf_of(3, 3) == pytest.approx(math.log(1 + 0.5 / 3.5))
    assert idf_of(1, 5) == 0
