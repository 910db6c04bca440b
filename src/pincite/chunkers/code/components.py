"""Cut components of Vue and Svelte: scripts and styles are cut in their own languages.

A block begins with its tag at the start of a line, as formatters of both write it. The template,
and anything else between blocks, is cut at blank lines. So is everything after the 100th block:
each block is parsed separately, and a usual component has three or four.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pincite.chunkers.code.chunker import chunk_parts
from pincite.chunkers.code.grammars import grammar_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pincite.chunkers.code.grammars import Grammar
    from pincite.chunkers.lines import Lines
    from pincite.chunkers.packing import Packer
    from pincite.model import Section

_OPENS = re.compile(r"<(script|style)(?=[\s>])")
_LANGUAGE = re.compile(r"""\blang\s*=\s*["']?(\w+)""")
_SCRIPTS = {"ts": "typescript", "typescript": "typescript", "tsx": "tsx"}
_TAG_LINES = 20  # maximum for the attributes of a tag
_TAG_CHARS = 2000
_BLOCKS = 100


def chunk_component(lines: Lines, packer: Packer) -> tuple[Section, ...]:
    """Return sections with the symbols of all scripts and styles."""
    return chunk_parts(lines, packer, _parts(lines))


def _parts(lines: Lines) -> Iterator[tuple[int, int, Grammar | None]]:
    """Yield lines first to last (exclusive) and their grammar, in order and without gaps."""
    begun = line = blocks = 0
    while line < len(lines) and blocks < _BLOCKS:
        opened = _OPENS.match(lines.lines[line])
        inner = _behind_tag(lines, line) if opened else None
        if opened is None or inner is None:
            line += 1
            continue
        last = _closing(lines, inner[0], opened[1])
        if begun < inner[0]:
            yield begun, inner[0], None
        if inner[0] < last:
            yield inner[0], last, _grammar(opened[1], inner[1])
        begun = line = last
        blocks += 1
    if begun < len(lines):
        yield begun, len(lines), None


def _behind_tag(lines: Lines, first: int) -> tuple[int, str] | None:
    """Return the line after a tag, and the tag. None if the tag does not end its line, is empty, or
    has too many lines."""
    tag = ""
    for line in range(first, min(first + _TAG_LINES, len(lines))):
        tag += lines.lines[line][:_TAG_CHARS] + " "
        if ">" in lines.lines[line]:
            ends = lines.lines[line].rstrip().endswith(">") and "</" not in lines.lines[line]
            return (line + 1, tag) if ends and not tag.rstrip().endswith("/>") else None
    return None


def _closing(lines: Lines, first: int, name: str) -> int:
    closing = f"</{name}"
    for line in range(first, len(lines)):
        if lines.lines[line].lstrip().startswith(closing):
            return line
    return len(lines)


def _grammar(block: str, tag: str) -> Grammar | None:
    found = _LANGUAGE.search(tag)
    language = found[1].lower() if found else ""
    if block == "style":
        return grammar_for("css") if language in ("", "css", "postcss") else None
    return grammar_for(_SCRIPTS.get(language, "javascript"))
