"""Results of a function are remembered by their argument."""

from __future__ import annotations

from pincite.support.remembered import Remembered


def test_a_key_is_computed_when_it_is_first_asked_for() -> None:
    asked: list[str] = []

    def size(text: str) -> int:
        asked.append(text)
        return len(text)

    known = Remembered(size, 10)
    assert [known["one"], known["three"], known["one"]] == [3, 5, 3]
    assert asked == ["one", "three"]


def test_all_is_forgotten_when_it_is_full() -> None:
    known = Remembered(str.upper, 2)
    assert [known[key] for key in "abc"] == ["A", "B", "C"]
    assert dict(known) == {"c": "C"}


def test_what_is_not_worth_it_is_computed_each_time() -> None:
    known = Remembered(str.upper, 10, keeps=str.isalpha)
    assert [known["a"], known["1"], known["1"]] == ["A", "1", "1"]
    assert dict(known) == {"a": "A"}
