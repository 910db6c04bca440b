"""Counts with their nouns, as people write them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "file"), counted(2_000, "file")
    ('1 file', '2,000 files')
    """
    return f"{count:,} {noun_for(count, noun)}"


def noun_for(count: int, noun: str) -> str:
    """Return the noun for a count, singular or plural; the plural has an `s`."""
    return noun if count == 1 else f"{noun}s"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the first names, and how many more there are.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
