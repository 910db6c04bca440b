"""Reading a citation: `name@ref:path#L3-L9`, or with a page's address."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CITATION = re.compile(
    r"(?P<source>[^@\s]+)@(?P<ref>[^:\s]+):(?P<place>.+?)"
    r"(?:#L(?P<start>\d+)(?:C\d+)?(?:-L(?P<end>\d+)(?:C\d+)?)?)?",
    re.DOTALL,  # a path may have any character in it
)


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
