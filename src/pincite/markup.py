"""What readers and chunkers both know of Markdown's inline marks."""

from __future__ import annotations

import re

_MARKS = re.compile(
    r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])"  # a link or image keeps its words
    r"|[`*]|<[^>]*>|\{\s*[:#.][^}]*\}|\\(?=[!-/:-@\[-`{-~])"
)


def plain_heading(text: str) -> str:
    """A heading as it reads on the page: no links, code marks, tags, attributes or escapes."""
    for _ in range(2):  # marks within a link's words
        text = _MARKS.sub(lambda match: match[1] or "", text)
    return " ".join(text.split())
