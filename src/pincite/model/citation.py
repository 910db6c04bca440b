"""Citations, written and read: `name@ref:path#L3-L9`, or with a page's address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.model.documents import Chunk
from pincite.model.evidence import Evidence

_CITATION = re.compile(
    r"(?P<source>[^@\s]+)@(?P<ref>[^:\s]+):(?P<place>.+?)"
    r"(?:#L(?P<start>\d+)(?:C\d+)?(?:-L(?P<end>\d+)(?:C\d+)?)?)?",
    re.DOTALL,  # a path may have any character in it
)


def cite(chunk: Chunk) -> str:
    """`name@ref:path#L3-L9`, or for documents that have an address `name@ref:https://…#top#L3-L9`.
    The lines are those of the file, whatever the page looks like.

    Columns are added where the chunk begins or ends inside a line. Nothing is invented: a chunk
    without lines is cited without lines, one without a revision without it, and one that has
    neither address nor path by its id.
    """
    source = f"{chunk.repo}@{chunk.ref}" if chunk.ref else chunk.repo
    place = chunk.url or chunk.path or chunk.id
    return f"{source}:{place}#{line_range(chunk)}" if chunk.end_line else f"{source}:{place}"


def place_of(one: Chunk | Evidence) -> str:
    """Path and lines, as far as they are known; else the address, or nothing."""
    if not one.path:
        return one.url or ""
    return f"{one.path}#{line_range(one)}" if one.end_line else one.path


def line_range(chunk: Chunk | Evidence) -> str:
    """`L3-L9`, `L3`, or `L3C10-L9C2` with columns where a line is cut."""
    first, last = f"L{chunk.start_line}", f"L{chunk.end_line}"
    if chunk.start_column is not None:
        first += f"C{chunk.start_column}"
    if chunk.end_column is not None:
        last += f"C{chunk.end_column}"
    return first if first == last else f"{first}-{last}"


@dataclass(frozen=True, slots=True)
class Citation:
    """The parts of a citation. `place` is a path or an address; lines are 1-based and inclusive,
    both None where the citation has none."""

    source: str
    ref: str
    place: str
    start_line: int | None
    end_line: int | None


def parse_citation(text: str) -> Citation | None:
    """The citation that the whole text is, or None."""
    match = _CITATION.fullmatch(text.strip())
    if match is None:
        return None
    start = int(match["start"]) if match["start"] else None
    end = int(match["end"]) if match["end"] else start
    return Citation(match["source"], match["ref"], match["place"], start, end)
