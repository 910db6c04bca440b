"""What readers and chunkers both know of Markdown's inline marks."""

from __future__ import annotations

import html
import re

_MARKS = re.compile(
    r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])"  # a link or image keeps its words
    r"|[`*]|<[^>]*>|\{\s*[:#.][^}]*\}|\\(?=[!-/:-@\[-`{-~])"
)
_ATTRIBUTES = re.compile(r"[ ]*\{:?[ ]*([^}\n ][^}\n]*?)[ ]*\}[ ]*$")
_ID = re.compile(r"(?:^|\s)(?:#|id=[\"']?)([^\s\"'.#=}]+)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^)]*\)|\[[^\[\]]*\])(?:\{:?[^}]*\})?")
_ICON = re.compile(r":(?:material|octicons|fontawesome|simple)-[\w-]+:(?:\{[^}]*\})?")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->")
_EMPHASIS = re.compile(r"(?<!\w)(_{1,3})(?![_\s])(.+?)(?<![_\s])\1(?!\w)")
_STARS = re.compile(r"(?<!\\)\*")
_ASIDE = re.compile("\ue000([0-9]+)\ue001")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain_heading(text: str) -> str:
    """A heading as it reads on the page: no links, code marks, tags, attributes or escapes."""
    for _ in range(2):  # marks within a link's words
        text = _MARKS.sub(lambda match: match[1] or "", text)
    return " ".join(text.split())


def explicit_id(heading: str) -> str:
    """The id that a heading's attributes give it (`## Title { #id .class }`), "" without."""
    attributes = _ATTRIBUTES.search(heading)
    found = _ID.search(attributes[1]) if attributes else None
    return found[1] if found else ""


def rendered_heading(text: str) -> str:
    """The text of a heading's HTML: code to the letter, of images and icons nothing."""
    codes: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        codes.append(match[2].strip())
        return f"\ue000{len(codes) - 1}\ue001"

    text = _CODE.sub(put_aside, _ATTRIBUTES.sub("", text))
    for pattern in (_IMAGE, _ICON, _TAG):
        text = pattern.sub("", text)
    text = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text))
    text = html.unescape(_ESCAPED.sub(r"\1", _STARS.sub("", text)))
    text = _ASIDE.sub(lambda match: codes[int(match[1])], text)
    return " ".join(text.split())
