"""Require the tags of a collection: without them, no caller may search or read it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from pincite.errors import TagsRequired
from pincite.model import CollectionSpec
from pincite.model.attributes import date_key
from pincite.ports import AnyOf, Condition, DateRange, Filter, Is, Range


def require_tags(spec: CollectionSpec, filter_: Filter) -> None:
    """Raise TagsRequired unless the filter fixes each attribute in `spec.require`: by a `must`
    condition that gives it one of some keywords, a number, a boolean, a moment or a day."""
    if missing := missing_names(spec, filter_):
        names = ", ".join(missing)
        given = ", ".join(f'"{name}": ...' for name in missing)
        raise TagsRequired(
            f"the collection {spec.public_name!r} requires {names} for every search and read",
            hint=f"{' '.join(f'--tag {name}=...' for name in missing)}, or tags={{{given}}}",
        )


def missing_names(spec: CollectionSpec, filter_: Filter) -> tuple[str, ...]:
    """Return the names in `spec.require` that no `must` condition of the filter fixes."""
    pinned = {_pinned(one) for one in filter_.must}
    return tuple(name for name in spec.require if name not in pinned)


def pinning(names: Collection[str], filter_: Filter) -> tuple[Condition, ...]:
    """Return the `must` conditions of the filter that fix one of these names."""
    return tuple(one for one in filter_.must if _pinned(one) in names)


def _pinned(condition: Condition) -> str:
    """Return the field that the condition fixes to values, "" if there is none."""
    match condition:
        case AnyOf(field, values) if any(values):
            return field
        case Is(field):
            return field
        case Range() if condition.gte is not None and condition.gte == condition.lte:
            return condition.field
        case DateRange() if condition.gte is not None and _is_one(condition):
            return condition.field
    return ""


def _is_one(dates: DateRange) -> bool:
    """Return whether a range of dates is a single moment or at most one whole day."""
    first = date_key(dates.gte or "")
    if dates.lte is not None and date_key(dates.lte) == first:
        return True
    if dates.lt is None or not first.endswith("T00:00:00.000000Z"):
        return False
    day = datetime.fromisoformat(date_key(dates.lt)) - datetime.fromisoformat(first)
    return timedelta() < day <= timedelta(days=1)
