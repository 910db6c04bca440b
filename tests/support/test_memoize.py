from __future__ import annotations

from pincite.support.memoize import memoize_last


def test_only_another_object_is_looked_at_again() -> None:
    seen: list[list[int]] = []

    @memoize_last
    def total(numbers: list[int]) -> int:
        seen.append(numbers)
        return sum(numbers)

    first, second = [1, 2], [1, 2]
    assert [total(first), total(first), total(second), total(first)] == [3] * 4
    assert [one is first for one in seen] == [True, False]


def test_only_the_last_four_arguments_are_kept() -> None:
    seen: list[list[int]] = []

    @memoize_last
    def total(numbers: list[int]) -> int:
        seen.append(numbers)
        return sum(numbers)

    lists = [[number] for number in range(5)]
    assert [total(one) for one in lists] == [0, 1, 2, 3, 4]
    assert [total(one) for one in (*lists[1:], lists[0])] == [1, 2, 3, 4, 0]
    assert [one[0] for one in seen] == [0, 1, 2, 3, 4, 0]
