"""Remove the thoughts (`<think>`) from a language model's text."""

from __future__ import annotations

_BEGIN, _END = "<think>", "</think>"


def without_thought(text: str) -> str:
    """Return the text without thoughts, and without white space around it. If a thought was cut off
    and has no end, everything from its beginning is removed. Takes time linear in the text."""
    said: list[str] = []
    at = 0
    while (begin := text.find(_BEGIN, at)) >= 0:
        said.append(text[at:begin])
        end = text.find(_END, begin)
        at = end + len(_END) if end >= 0 else len(text)
    return "".join((*said, text[at:])).strip()
