"""Numbers and words of settings: the ends of a range, and what a message says."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest

from pincite.errors import ConfigError
from pincite.profile import SECTIONS, Profile
from pincite.support.fields import field_names
from pincite.support.ranges import require_one_of, require_range


class Config(msgspec.Struct, frozen=True):
    share: float = 0.5
    size: float = 1
    method: str = "sum"


@pytest.mark.parametrize(
    ("bounds", "inside", "outside", "said"),
    [
        ({"least": 1}, (1, math.inf), (0.9,), "at least 1"),
        ({"above": 0}, (0.1, math.inf), (0, -1), "above 0"),
        ({"least": 0, "most": 1}, (0, 1), (-0.1, 1.1), "at least 0 and at most 1"),
        ({"above": 0, "most": 1}, (0.1, 1), (0, 1.1), "above 0 and at most 1"),
        ({"least": 0, "below": 1}, (0, 0.9), (-0.1, 1), "at least 0 and below 1"),
    ],
)
def test_a_number_outside_of_its_range_is_named_with_the_range(
    bounds: dict[str, float], inside: tuple[float, ...], outside: tuple[float, ...], said: str
) -> None:
    for share in inside:
        require_range(Config(share), "a", "share", **bounds)
    for share in (*outside, math.nan):
        with pytest.raises(ConfigError) as caught:
            require_range(Config(share), "a", "share", **bounds)
        assert caught.value.message == f"a.share is {share}; it must be {said}"


def test_the_first_of_several_numbers_outside_of_the_range_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^a\.size is 0; "):
        require_range(Config(share=1, size=0), "a", "share", "size", least=1)


def test_the_first_word_that_is_not_known_is_named_with_the_known_ones() -> None:
    require_one_of(Config(), "a", method=("sum", "max"))
    with pytest.raises(ConfigError) as caught:
        require_one_of(Config(method="min"), "a", method=("sum", "max"))
    assert caught.value.message == "a.method is 'min'; use one of sum, max"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_number_of_a_profile_has_a_range_and_is_named_with_its_value(section: str) -> None:
    kind: Any = type(getattr(Profile(), section))
    numbers = [name for name in field_names(kind) if type(getattr(kind(), name)) in (int, float)]
    for name in numbers:
        with pytest.raises(ConfigError, match=rf"^{section}\.{name} is -1000000; it must be a"):
            kind(**{name: -1_000_000})
