"""Values of other libraries become values of Python's own types, or stay what they are."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any

import numpy as np
import pytest

from pincite.model import AttributeType
from pincite.model.attributes import attribute_of, type_of
from pincite.support.plain import plain


class _Course(StrEnum):
    ML = "ml"


class _Year(IntEnum):
    NOW = 2026


class _Timestamp(datetime):
    """As that of pandas: its text has nanoseconds, which no date of ours has."""

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        return f"{super().isoformat(sep, 'microseconds')}123"


class NaTType(datetime):
    """As that of pandas: a moment by its class, and none by its value."""


@pytest.mark.parametrize(
    ("given", "kind", "held"),
    [
        (np.int64(2026), "integer", 2026),
        (np.uint8(7), "integer", 7),
        (np.float32(0.5), "float", 0.5),
        (np.float64(0.5), "float", 0.5),
        (np.bool_(True), "boolean", True),
        (np.str_("ml"), "keyword", "ml"),
        (np.array(["ml", "stats"]), "keywords", ("ml", "stats")),
        (np.datetime64("2026-11-22"), "date", "2026-11-22"),
        (np.datetime64("2026-11-22T10:00:00.5", "ns"), "date", "2026-11-22T10:00:00.5Z"),
        (_Timestamp(2026, 11, 22, 10, tzinfo=UTC), "date", "2026-11-22T10:00:00Z"),
        (Decimal("1.50"), "float", 1.5),
        ({"stats", "ml"}, "keywords", ("ml", "stats")),
        (_Course.ML, "keyword", "ml"),
        (_Year.NOW, "integer", 2026),
    ],
)
def test_a_value_of_another_library_is_an_attribute(
    given: object, kind: AttributeType, held: object
) -> None:
    assert type_of(given) == kind
    found: Any = attribute_of(kind, given)
    assert (found, type(found)) == (held, type(held))


@pytest.mark.parametrize("given", [NaTType(1, 1, 1), np.datetime64("NaT")])
def test_what_says_that_nothing_is_known_is_no_value(given: object) -> None:
    assert attribute_of("date", given) is None


@pytest.mark.parametrize(
    "given",
    [
        *(np.array([[1]]), np.datetime64(10**18, "s"), np.longdouble(1), np.timedelta64(1, "s")),
        *({"a": 1}, {1, 2}, b"ml", 1j, Decimal("sNaN"), Decimal("NaN"), Decimal("Infinity")),
    ],
)
@pytest.mark.parametrize("kind", ["keyword", "keywords", "integer", "float", "boolean", "date"])
def test_what_is_no_attribute_is_refused(given: object, kind: AttributeType) -> None:
    with pytest.raises(ValueError, match=r"is no|is not finite"):
        attribute_of(kind, given)


@pytest.mark.parametrize("given", ["ml", 7, 0.5, True, date(2026, 1, 2), ["a"], None, object()])
def test_what_python_has_itself_stays(given: object) -> None:
    assert plain(given) is given
