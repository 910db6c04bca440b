"""Cut transcripts in Markdown: a chunk is one turn, a few short ones, or a part of a long one.

Text before the first turn (front matter, a title) is cut like a page, and has no speaker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pincite.chunkers.budget import estimate_word_pieces
from pincite.chunkers.limits import limited
from pincite.model import Section
from pincite.readers.front_matter import front_matter_of
from pincite.readers.markdown_transcripts import Spoken, spoken
from pincite.readers.transcripts import SESSIONS, TIMES
from pincite.support.fields import replace

if TYPE_CHECKING:
    from pincite.chunkers.config import ChunkerConfig
    from pincite.model import Document

Cut = Callable[["Document", "ChunkerConfig"], Sequence[Section]]


def chunk_markdown_transcript(
    document: Document, config: ChunkerConfig, cut: Cut
) -> tuple[Section, ...] | None:
    """Return the sections of a transcript; None if it has no turns. `cut` divides a long turn as
    Markdown."""
    turns = spoken(document.text)
    return tuple(limited(_sections(document, turns, config, cut))) if turns else None


def _sections(
    document: Document, turns: Sequence[Spoken], config: ChunkerConfig, cut: Cut
) -> Iterator[Section]:
    about = _about(document.text[: turns[0].start])
    yield from _pieces(document, 0, turns[0].start, config, cut)
    waiting: list[Spoken] = []
    spent = 0
    for turn in turns:
        cost = estimate_word_pieces(document.text[turn.start : turn.end])
        if waiting and spent + cost > config.target_tokens:
            yield _together(waiting, about)
            waiting, spent = [], 0
        if cost > config.target_tokens:
            yield from _parts(document, turn, about, config, cut)
        else:
            waiting.append(turn)
            spent += cost
    if waiting:
        yield _together(waiting, about)


def _about(head: str) -> dict[str, Any]:
    """Return the time and the session from the front matter of the text before the first turn."""
    said = front_matter_of(head).values
    found: dict[str, Any] = {}
    for name, keys in (("time", TIMES), ("session", SESSIONS)):
        values = (said[key] for key in keys if said.get(key) not in (None, ""))
        if (value := next(values, None)) is not None:
            found[name] = value if name == "time" else str(value)
    return found


def _together(turns: Sequence[Spoken], about: dict[str, Any]) -> Section:
    """Return adjacent turns as one section, with the time of the first."""
    roles = tuple(dict.fromkeys(one.role for one in turns))
    return Section(
        turns[0].start, turns[-1].end, attributes=_attributes(turns[0], about) | {"role": roles}
    )


def _parts(
    document: Document, turn: Spoken, about: dict[str, Any], config: ChunkerConfig, cut: Cut
) -> Iterator[Section]:
    """Yield a long turn in parts. The first part includes the line that names the speaker."""
    attributes = _attributes(turn, about)
    for one in _pieces(document, turn.start, turn.end, config, cut):
        shown = document.text[one.start : one.end] if one.plain is None else one.plain
        plain = one.plain if one.start == turn.start else f"{turn.role}: {shown}"
        yield replace(one, plain=plain, attributes=attributes)


def _pieces(
    document: Document, start: int, end: int, config: ChunkerConfig, cut: Cut
) -> Iterator[Section]:
    text = document.text[start:end]
    for one in cut(replace(document, text=text, language="markdown", url=None), config):
        yield replace(one, start=start + one.start, end=start + one.end)


def _attributes(turn: Spoken, about: dict[str, Any]) -> dict[str, Any]:
    found = {**about, "role": (turn.role,)}
    return {**found, "time": turn.time} if turn.time else found
