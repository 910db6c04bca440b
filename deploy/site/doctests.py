"""Examples of docstrings, `>>> ...`, become blocks of code on the pages of the API."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^ *>>> .*\n?(?:^ *\S.*\n?)*)+", re.MULTILINE)


def fenced(docstring: str) -> str:
    """The docstring with each example in a fence, up to the next blank line."""

    def fence(match: re.Match[str]) -> str:
        indent = re.match(r" *", match[0])
        space = indent[0] if indent else ""
        kept = re.sub(r"  # doctest: .*", "", match[0].rstrip())
        return f"{space}```pycon\n{kept}\n{space}```\n"

    return _EXAMPLE.sub(fence, docstring)


class FencedDoctests(griffe.Extension):
    """Fences the examples of all that is documented."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring and ">>> " in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)
