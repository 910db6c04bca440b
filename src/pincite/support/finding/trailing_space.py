"""Ranges of a text without the white space at their end."""

from __future__ import annotations


def end_before_space(text: str, start: int, end: int) -> int:
    """Return the end of `text[start:end]` without the white space at its end."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
