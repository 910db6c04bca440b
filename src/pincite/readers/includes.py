"""Snippet includes of Markdown pages: lines such as `--8<-- "file.py:section"`, and the texts that
replace them on the page.

The notation is that of `pymdownx.snippets`: whole files, named sections between `--8<-- [start:x]`
and `--8<-- [end:x]`, line ranges (`file:3:9`, `file::9`, `file:1:2,8:9`, negative numbers from the
end), and blocks of file names between two bare marks. A mark after a semicolon is ignored.
Addresses are not fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from pincite.support.late_patterns import late_pattern

_MARK = r"-{1,}8<-{1,}"
_INLINE = late_pattern(rf"^([ \t]*){_MARK}[ \t]+(?:\"([^\"\r\n]+)\"|'([^'\r\n]+)')[ \t]*\r?$")
_BLOCK = late_pattern(rf"^[ \t]*{_MARK}[ \t]*\r?$")
_SECTION = late_pattern(
    # bounded, so that a line of a million hyphens is read once
    r"(?P<escape>;?)-{1,9}8<-{1,9}[ \t]+\[[ \t]*(?P<edge>start|end)[ \t]*:[ \t]*"
    r"(?P<name>[a-z][\w-]*)[ \t]*\]",
    re.I,
)
_TARGET = late_pattern(
    r"(?P<file>.*?)(?:(?P<ranges>:-?\d*(?::-?\d*)?(?:,-?\d*(?::-?\d*)?)*)|:(?P<name>[a-zA-Z][\w-]*))?"
)
_DEEPEST = 4  # includes within includes
_LONGEST_TARGET = 500
_LONGEST_CHARS = 20_000  # of the text for one line; far more than is encoded
_MOST_CHARS = 5_000_000  # read for a page; a file counts as often as it is named
_LEAST_CHARS = 500  # the least that a file counts for, as it has to be opened

Read = Callable[[str], str | None]


class Include(msgspec.Struct, frozen=True):
    """An include. `line` counts from 0, `indent` is the white space before it, `target` the named
    file with its section or line ranges."""

    line: int
    indent: str
    target: str


class Expanded(msgspec.Struct, frozen=True):
    """The texts of includes by `line`. `files` are the names of all requested files, each once, in
    order; `missing` are the targets without text, each once."""

    texts: dict[int, str]
    files: tuple[str, ...]
    missing: tuple[str, ...]


def find_includes(text: str) -> Iterator[Include]:
    """Yield the includes of a page or a file, including those in fences."""
    if "8<-" not in text:
        return
    inside = False
    for number, line in enumerate(text.split("\n")):
        if _BLOCK.match(line):
            inside = not inside
            continue
        found = _INLINE.match(line) if "8<-" in line else None
        if found:
            yield Include(number, found[1], (found[2] or found[3]).strip())
        elif inside and line.strip() and not line.lstrip().startswith((";", "#")):
            yield Include(number, line[: len(line) - len(line.lstrip())], line.strip())


def expand_includes(text: str, read: Read) -> Expanded:
    """Expand each include, with nested includes.

    `read` returns the text of a file of the source by the page's name for it, None if it is missing
    or must not be read.
    """
    texts: dict[int, str] = {}
    files: dict[str, None] = {}
    missing: dict[str, None] = {}
    read = _limited(read)
    for include in find_includes(text):
        found = _text_of(include, read, files, missing, ())
        if found is not None:
            texts[include.line] = found[:_LONGEST_CHARS]
    return Expanded(texts, tuple(files), tuple(missing))


def _limited(read: Read) -> Read:
    """Wrap `read` to return no more after the limit of one page."""
    left = _MOST_CHARS

    def read_while_allowed(name: str) -> str | None:
        nonlocal left
        found = read(name) if left > 0 else None
        left -= max(len(found or ""), _LEAST_CHARS)
        return found

    return read_while_allowed


def _text_of(
    include: Include,
    read: Read,
    files: dict[str, None],
    missing: dict[str, None],
    within: tuple[str, ...],
) -> str | None:
    short = len(include.target) <= _LONGEST_TARGET
    match = _TARGET.fullmatch(include.target) if short else None
    name = match["file"] if match else include.target
    if "://" in name or not short:
        missing[include.target] = None
        return None
    files[name] = None
    content = None if name in within or len(within) == _DEEPEST else read(name)
    lines = content.removesuffix("\n").split("\n") if content is not None else []
    if match and match["ranges"]:
        lines = _ranges(lines, match["ranges"][1:])
    elif match and match["name"]:
        lines = _section(lines, match["name"])
    if not any(lines):
        missing[include.target] = None
        return None
    shown = [line for line in lines if not _is_section_mark(line)]
    inner = {each.line: each for each in find_includes("\n".join(shown))}
    parts: list[str] = []
    size = 0
    for number, line in enumerate(shown):
        size += len(parts[-1]) + 1 if parts else 0
        if size > _LONGEST_CHARS:
            break  # the rest would be cut off
        if number in inner:
            part = _text_of(inner[number], read, files, missing, (*within, name))
            parts.append(line if part is None else part)
        else:
            parts.append(line.removesuffix("\r"))
    return "\n".join(
        include.indent + line if line else line for line in "\n".join(parts).split("\n")
    )


def _is_section_mark(line: str) -> bool:
    mark = _SECTION.search(line)
    return mark is not None and not mark["escape"]


def _section(lines: list[str], name: str) -> list[str]:
    """Return the lines from the first mark of this name to the next end mark of this name."""
    kept: list[str] = []
    inside = False
    for line in lines:
        mark = _SECTION.search(line)
        if mark and not mark["escape"] and mark["name"] == name:
            if inside and mark["edge"].lower() == "end":
                break
            inside = True
        elif inside:
            kept.append(line)
    return kept


def _ranges(lines: list[str], ranges: str) -> list[str]:
    """Return the lines of ranges separated by commas: `3:9` are lines 3 to 9, `3` is from line 3
    on, `:9` up to line 9."""
    kept: list[str] = []
    for each in ranges.split(","):
        low, colon, high = each.partition(":")
        first = _counted(low, len(lines), 1)
        last = _counted(high, len(lines), len(lines)) if colon else len(lines)
        kept += lines[max(first - 1, 0) : max(last, 0)]
    return kept


def _counted(text: str, total: int, default: int) -> int:
    if text in ("", "-"):
        return default
    number = int(text[:9])
    return total + 1 + number if number < 0 else number
