"""What filters mean, spelled out. Engines that have a condition of their own must agree with it."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Chunk
from pincite.ports import AnyOf, Condition, Exists, Filter, Ids, Phrase, Prefix, Range, Text, words


def matches(filter_: Filter, revision: str, chunk: Chunk) -> bool:
    """Does the filter let this chunk of that revision pass?"""

    def fits(condition: Condition) -> bool:
        return holds(condition, revision, chunk)

    return (
        all(map(fits, filter_.must))
        and (not filter_.should or any(map(fits, filter_.should)))
        and not any(map(fits, filter_.must_not))
    )


def holds(condition: Condition, revision: str, chunk: Chunk) -> bool:
    """Is one condition true of this chunk?"""
    if isinstance(condition, Ids):
        return chunk.id in condition.ids
    value = revision if condition.field == "revision" else getattr(chunk, condition.field)
    held = [v for v in (value if isinstance(value, tuple) else (value,)) if v not in (None, "")]
    match condition:
        case AnyOf():
            return any(item in condition.values for item in held)
        case Prefix():
            return any(item.startswith(condition.prefix) for item in held)
        case Range():
            return any(within(condition, item) for item in held)
        case Text():
            return any(has_words(item, condition.text) for item in held)
        case Phrase():
            return any(has_phrase(item, condition.text) for item in held)
        case Exists():
            return bool(held)


def within(bounds: Range, value: float) -> bool:
    """Is the value within all bounds that are given?"""
    return (
        (bounds.gte is None or value >= bounds.gte)
        and (bounds.gt is None or value > bounds.gt)
        and (bounds.lte is None or value <= bounds.lte)
        and (bounds.lt is None or value < bounds.lt)
    )


def has_words(text: str, asked: str) -> bool:
    """Has the text every word that is asked for?"""
    wanted = words(asked)
    return bool(wanted) and set(wanted) <= set(words(text))


def has_phrase(text: str, asked: str) -> bool:
    """Do the words follow each other in the text?"""
    wanted, held = words(asked), words(text)
    return bool(wanted) and any(_at(held, start, wanted) for start in range(len(held)))


def _at(held: Sequence[str], start: int, wanted: Sequence[str]) -> bool:
    return held[start : start + len(wanted)] == wanted
