"""Cut transcripts in JSON Lines: a chunk is one turn, a few short ones, or a part of a long one.

The decoded texts of a line are indexed, with `?` for lone surrogates. Citations name the line, or
the part of it with the text. A line without text is in no chunk. A line may have much that is no
text, such as pictures: of a line above the limit of characters, only the texts are cited.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pincite.chunkers.budget import estimate_word_pieces
from pincite.chunkers.least_cost import most_chars
from pincite.chunkers.limits import limited
from pincite.model import Section
from pincite.readers.transcripts import Turn, turns_of
from pincite.support.fields import replace
from pincite.support.valid_text import valid_text

if TYPE_CHECKING:
    from pincite.chunkers.config import ChunkerConfig
    from pincite.model import Document

_STRING = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"')

Cut = Callable[["Document", "ChunkerConfig"], Sequence[Section]]


def chunk_transcript(
    document: Document, config: ChunkerConfig, cut: Cut
) -> tuple[Section, ...] | None:
    """Return the sections of a transcript; None if no line has text. `cut` divides the text of a
    long turn as Markdown."""
    return tuple(limited(_sections(document, config, cut))) or None


def _sections(document: Document, config: ChunkerConfig, cut: Cut) -> Iterator[Section]:
    waiting: list[Section] = []
    spent, longest = 0, most_chars(config.max_tokens)
    for start, end, turns in _lines(document.text):
        whole = _whole(start, end, turns)
        cost = estimate_word_pieces(whole.plain or "")
        if waiting and not (
            _alike(waiting[-1], whole)
            and spent + cost <= config.target_tokens
            and end - waiting[0].start <= longest
        ):
            yield _together(waiting)
            waiting, spent = [], 0
        if cost > config.target_tokens or end - start > longest:
            yield from _parts(document, config, cut, whole, turns)
        else:
            waiting.append(whole)
            spent += cost
    if waiting:
        yield _together(waiting)


def _lines(text: str) -> Iterator[tuple[int, int, tuple[Turn, ...]]]:
    """Yield start, end (characters) and turns of the lines that have text."""
    start = 0
    for line in text.split("\n"):
        content = line.rstrip("\r")
        if turns := turns_of(content):
            yield start, start + len(content), turns
        start += len(line) + 1


def _whole(start: int, end: int, turns: Sequence[Turn]) -> Section:
    said = "\n\n".join(f"{one.role}: {text}" for one in turns for text in one.texts)
    first = turns[0]
    attributes: dict[str, Any] = {"role": tuple(dict.fromkeys(one.role for one in turns))}
    attributes |= {"time": valid_text(first.time)} if first.time else {}
    attributes |= {"session": valid_text(first.session)} if first.session else {}
    return Section(start, end, plain=valid_text(said), attributes=attributes)


def _alike(one: Section, other: Section) -> bool:
    return one.attributes.get("session") == other.attributes.get("session")


def _together(sections: Sequence[Section]) -> Section:
    """Return adjacent sections as one, with the time and session of the first."""
    first, last = sections[0], sections[-1]
    roles = dict.fromkeys(r for one in sections for r in one.attributes["role"])  # type: ignore[union-attr]
    said = "\n\n".join(one.plain or "" for one in sections)
    return replace(
        first, end=last.end, plain=said, attributes={**first.attributes, "role": tuple(roles)}
    )


def _parts(
    document: Document, config: ChunkerConfig, cut: Cut, whole: Section, turns: Sequence[Turn]
) -> Iterator[Section]:
    """Yield the parts of a long line, which are divided as its texts are. Each part ends at the
    start of the next, or with its text if that is too far away."""
    raw = document.text[whole.start : whole.end]
    found: list[tuple[int, int, Section]] = []
    literals = _STRING.finditer(raw)
    for turn in turns:
        for text in turn.texts:
            place = _place(literals, text)
            if place is None:  # escaped in an unknown way
                yield from _raw_parts(document, config, cut, whole)
                return
            at, done = place.start, 0
            for one in cut(replace(document, text=text, language="markdown", url=None), config):
                at, done = at + place.length(text[done : one.start]), one.start
                shown = text[one.start : one.end] if one.plain is None else one.plain
                own = {**whole.attributes, "role": (turn.role,)}
                own |= {"time": valid_text(turn.time)} if turn.time else {}
                headings = tuple(map(valid_text, one.headings))
                said = valid_text(f"{turn.role}: {shown}")
                own_end = at + place.length(text[one.start : one.end])
                found.append((at, own_end, Section(0, 0, headings, plain=said, attributes=own)))
            at += place.length(text[done:])
    nexts = [*(begin for begin, _, _ in found[1:]), len(raw)]
    longest = most_chars(config.max_tokens)
    for number, ((begin, own_end, part), after) in enumerate(zip(found, nexts, strict=True)):
        first = 0 if number == 0 and begin <= longest else begin
        end = after if after - first <= longest else own_end
        yield replace(part, start=whole.start + first, end=whole.start + end)


def _raw_parts(
    document: Document, config: ChunkerConfig, cut: Cut, whole: Section
) -> Iterator[Section]:
    """Yield the parts of a long line, divided as plain text without decoding."""
    raw = document.text[whole.start : whole.end]
    for one in cut(replace(document, text=raw, language="text", url=None), config):
        start, end = whole.start + one.start, whole.start + one.end
        yield replace(one, start=start, end=end, attributes=whole.attributes)


@dataclass(frozen=True, slots=True)
class _Place:
    """The start of a text in its line, and whether it is escaped to ASCII there."""

    start: int
    ascii_only: bool

    def length(self, text: str) -> int:
        """Return the number of characters that a part of the text takes in the line."""
        return len(json.dumps(text, ensure_ascii=self.ascii_only)) - 2


def _place(literals: Iterator[re.Match[str]], text: str) -> _Place | None:
    """Return the place of the next string that is this text. All strings before it are consumed, so
    that the strings of a line are compared once."""
    forms = [json.dumps(text, ensure_ascii=ascii_only) for ascii_only in (False, True)]
    for one in literals:
        if one[0] in forms:
            return _Place(one.start() + 1, one[0] != forms[0])
    return None
