"""Inline marks of Markdown: shared by readers and chunkers.

Pages are untrusted, so no pattern here may take long. Patterns that look ahead for a closing mark
get a heading of bounded length; the others read each character once.
"""

from __future__ import annotations

import html

from pincite.support.late_patterns import late_pattern

_MARKS = late_pattern(
    r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])"  # a link or image keeps its text
    r"|[`*]|<[^>]*>|\{\s*[:#.][^}]*\}|\\(?=[!-/:-@\[-`{-~])"
)
_ID = late_pattern(r"(?:^|\s)(?:#|id=[\"']?)([^\s\"'.#=}]+)")
_TICKS = late_pattern("`+")
_IMAGE = late_pattern(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])")
_LINK = late_pattern(r"\[([^\[\]]*)\](?:\([^)]*\)|\[[^\[\]]*\])(?:\{:?[^}]*\})?")
_ICON = late_pattern(r":(?:material|octicons|fontawesome|simple)-[\w-]+:(?:\{[^}]*\})?")
_TAG = late_pattern(r"</?[a-zA-Z][^<>]*>|<!--.*?-->")
_EMPHASIS = late_pattern(r"(?<!\w)(_{1,3})(?![_\s])(.+?)(?<![_\s])\1(?!\w)")
_STARS = late_pattern(r"(?<!\\)\*")
_ASIDE = late_pattern("\ue000([0-9]+)\ue001")
_ESCAPED = late_pattern(r"\\([!-/:-@\[-`{-~])")
_LONGEST_CHARS = 300  # of 3,000 pages on a developer's disk, headings of one are longer


def without_closing_marks(text: str) -> str:
    """Return a heading of `#` signs without surrounding white space and without closing signs."""
    text = text.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else text


def plain_heading(text: str) -> str:
    """Return a heading as plain text: without links, code marks, tags, attributes or escapes."""
    text = text[:_LONGEST_CHARS]
    for _ in range(2):  # also marks within the text of a link
        text = _MARKS.sub(lambda match: match[1] or "", text)
    return " ".join(text.split())


def explicit_id(heading: str) -> str:
    """Return the id in the attributes of a heading (`## Title { #id .class }`), "" if there is
    none."""
    _, attributes = _split_attributes(heading)
    found = _ID.search(attributes)
    return found[1] if found else ""


def rendered_heading(text: str) -> str:
    """Return the text of a heading as HTML shows it: code unchanged, without images and icons."""
    text, _ = _split_attributes(text)
    text, codes = _put_code_aside(text[:_LONGEST_CHARS])
    for pattern in (_IMAGE, _ICON, _TAG):
        text = pattern.sub("", text)
    text = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text))
    text = html.unescape(_ESCAPED.sub(r"\1", _STARS.sub("", text)))
    # the page may have these private characters itself
    known = {str(number): code for number, code in enumerate(codes)}
    text = _ASIDE.sub(lambda match: known.get(match[1], match[0]), text)
    return " ".join(text.split())


def _split_attributes(heading: str) -> tuple[str, str]:
    """Return a heading without its attributes, and the attributes in braces at its end, "" if there
    are none."""
    text = heading.rstrip(" ")
    start = text.find("{", text.rfind("}", 0, -1) + 1) if text.endswith("}") else -1
    inside = text[start + 1 : -1].strip(" ") if start >= 0 else ""
    if not inside or "\n" in text[start:]:
        return heading, ""
    return text[:start].rstrip(" "), inside.removeprefix(":")


def _put_code_aside(text: str) -> tuple[str, list[str]]:
    """Return the text with a number in place of each code span, and the contents of the spans. A
    span ends at the next run with the same number of backticks."""
    runs = list(_TICKS.finditer(text))
    following: dict[int, int] = {}
    ends: list[int | None] = []
    for number in range(len(runs) - 1, -1, -1):
        ends.append(following.get(len(runs[number][0])))
        following[len(runs[number][0])] = number
    ends.reverse()
    parts: list[str] = []
    codes: list[str] = []
    position = number = 0
    while number < len(runs):
        end = ends[number]
        if end is not None:
            parts += (text[position : runs[number].start()], f"\ue000{len(codes)}\ue001")
            codes.append(text[runs[number].end() : runs[end].start()].strip())
            position = runs[end].end()
            number = end
        number += 1
    return "".join((*parts, text[position:])), codes
