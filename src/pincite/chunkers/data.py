"""Cut configuration and data: JSON, YAML, TOML, INI, XML by indentation, tables by row.

Indented files need no parser: a key's value is the text that is indented below it. Files with
another layout are cut between lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pincite.chunkers.pieces import Path, Piece
from pincite.support.possessive import possessive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pincite.chunkers.lines import Lines

_DEEPEST = 8  # levels of indentation; deeper text is cut between lines
_HEAD = -1  # instead of a depth: the first line of an item, whose other lines are inside of it
_JSON_KEY = re.compile(r'\s*"((?:[^"\\]|\\.){1,100})"\s*:')
_YAML_KEY = re.compile(
    r"\s*+"
    + possessive(r"-\s++")
    + r"[\"']?([^\s\"'#:{}\[\],&*!|>%@`-][^\"'#:{}\[\]]{0,99}?)[\"']?\s*:(?:\s|$)"
)
_SECTION = re.compile(r"\s*+\[{1,2}+\s*+([^\[\]]{1,100}+)\]{1,2}+\s*+(?:[#;].*)?$")
_ASSIGNED = re.compile(r"\s*+[\"']?([\w.$ -]{1,100}?)[\"']?\s*[=:]")
_XML_TAG = re.compile(r"\s*<([\w:.-]{1,100})(?:\s[^>]*?\b(?:name|id|key)=\"([^\"]{1,80})\")?")
_CLOSES = re.compile(r"[\s)\]}>,;]+|\s*</[^>]*>\s*")

_KEYS = {"json": _JSON_KEY, "yaml": _YAML_KEY, "xml": _XML_TAG, "toml": _ASSIGNED, "ini": _ASSIGNED}
_SECTIONED = frozenset({"toml", "ini"})


def table_pieces(lines: Lines) -> Iterator[Piece]:
    """Yield the table as one piece. If it is split, its first row is repeated for later parts."""
    head = " ".join(lines.lines[0].split())[:120]
    yield Piece(0, len(lines), note=head)


def data_pieces(lines: Lines, language: str, room: Callable[[Path], float]) -> Iterator[Piece]:
    """Yield keys with their indented values, in order. A value that does not fit is divided by its
    inner keys. The keys are the heading path."""
    stack: list[tuple[int, int, Path, int]] = [(0, len(lines), (), 0)]
    while stack:
        first, last, path, depth = stack.pop()
        if depth == _HEAD:
            yield Piece(first, last, path, forward=True)
            continue
        if depth and lines.cost(first, last) <= room(path):
            yield Piece(first, last, path, backward=_closes(lines, first, last))
            continue
        inside = depth > 0
        cuts = _cuts(lines, first, last, language, inside=inside)
        if len(cuts) < 2 and not inside:  # everything is inside one root
            inside = True
            cuts = _cuts(lines, first, last, language, inside=inside)
            name = _name(lines, first, last, language, depth)
            path = (name,) if name else path
        if depth == _DEEPEST or len(cuts) < 2:
            yield Piece(first, last, path)
            continue
        inner: list[tuple[int, int, Path, int]] = []
        for start, end in zip(cuts, [*cuts[1:], last], strict=True):
            if inside and start == first:
                inner.append((start, end, path, _HEAD))
            else:
                name = _name(lines, start, end, language, depth)
                inner.append((start, end, (*path, name) if name else path, depth + 1))
        stack.extend(reversed(inner))


def _cuts(lines: Lines, first: int, last: int, language: str, *, inside: bool) -> list[int]:
    """Return the lines where the outermost items of a range begin, and its first line. With
    `inside`, these are the items below the first line. Comments belong to the item below them."""
    begin = first
    while begin < last and lines.blank[begin]:
        begin += 1
    body = range(begin + 1 if inside else begin, last)
    if language in _SECTIONED and not inside:
        heads = [line for line in body if _SECTION.match(lines.lines[line])]
        if heads:
            return _with_comments(lines, sorted({first, *heads}), first)
    indents = [
        (lines.indent(line), line)
        for line in body
        if not lines.blank[line] and not _closes(lines, line, line + 1)
    ]
    if not indents:
        return [first]
    least = min(indents)[0]
    outermost = [line for indent, line in indents if indent == least]
    return _with_comments(lines, sorted({first, *outermost}), first)


def _with_comments(lines: Lines, cuts: list[int], first: int) -> list[int]:
    kept = [first]
    for cut in cuts:
        if cut == first or _is_comment(lines, cut):
            continue
        while cut - 1 > kept[-1] and _is_comment(lines, cut - 1):
            cut -= 1
        kept.append(cut)
    return kept


def _is_comment(lines: Lines, line: int) -> bool:
    return lines.lines[line].lstrip().startswith(("#", ";", "//", "<!--"))


def _name(lines: Lines, first: int, last: int, language: str, depth: int) -> str:
    line = first
    while line < last - 1 and (lines.blank[line] or _is_comment(lines, line)):
        line += 1
    text = lines.lines[line]
    section = _SECTION.match(text) if language in _SECTIONED and depth == 0 else None
    match = section or _KEYS[language].match(text)
    if match is None:
        return ""
    return " ".join(part.rstrip() for part in match.groups() if part)


def _closes(lines: Lines, first: int, last: int) -> bool:
    return last == first + 1 and _CLOSES.fullmatch(lines.lines[first]) is not None
