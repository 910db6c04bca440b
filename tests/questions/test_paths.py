"""Paths of files in a text."""

from __future__ import annotations

import time

from pincite.questions.paths import named_files
from tests.time_limits import GROWS_S


def test_a_text_names_the_files_whose_whole_path_ends_one_of_its_own() -> None:
    paths = ["shop/order.py", "order.py", "op/order.py", "src/shop/order.py"]
    assert [*named_files("see /srv/shop/order.py for more", paths)] == ["shop/order.py"]
    assert [*named_files("see C:\\src\\shop\\order.py", paths)] == [paths[0], paths[3]]


def test_paths_are_looked_for_in_linear_time() -> None:
    begun = time.process_time()
    for text in ("a" * 1_000_000, "a/" * 500_000, "/" * 1_000_000, "-.~" * 350_000):
        assert not [*named_files(text, ["x/y.py"] * 300)]
    assert time.process_time() - begun < GROWS_S
