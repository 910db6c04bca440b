"""Structs and dataclasses alike."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pytest

from pincite.support.fields import field_names, replace


class Struct(msgspec.Struct, frozen=True):
    name: str
    size: int = 0

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("size is negative")


@dataclass(frozen=True, slots=True)
class Data:
    name: str
    size: int = 0

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("size is negative")


@pytest.mark.parametrize("kind", [Struct, Data])
def test_a_replaced_value_is_a_new_one_and_checked(kind: type[Struct] | type[Data]) -> None:
    value = kind("a", 1)
    assert replace(value, size=2) == kind("a", 2)
    assert value == kind("a", 1)
    with pytest.raises(ValueError, match="negative"):
        replace(value, size=-1)
    with pytest.raises(TypeError):
        replace(value, length=1)


@pytest.mark.parametrize("kind", [Struct, Data])
def test_the_names_of_fields_come_in_their_order(kind: type[Struct] | type[Data]) -> None:
    assert field_names(kind) == ("name", "size")


@pytest.mark.parametrize("kind", [dict, str, type(None)])
def test_other_types_have_no_fields(kind: type) -> None:
    assert field_names(kind) == ()
