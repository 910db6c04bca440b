"""Rephrasings of a question, one per line, each for one side of a search: `lex: key rotation`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from pincite.errors import UsageError
from pincite.model.retrieval import Expansion, Query, SubQueryKind
from pincite.questions.frames import frames_of
from pincite.support.fields import replace
from pincite.support.terminal import hidden_in

LineKind = Literal["lex", "vec", "hyde", "intent"]
#: Limits on the characters and lines of each kind. Guess, unmeasured.
_CHARS: Final[dict[str, int]] = {"lex": 200, "vec": 500, "hyde": 2_000, "intent": 500}
_LINES: Final[dict[str, int]] = {"lex": 3, "vec": 3, "hyde": 2, "intent": 1}
_LINE: Final = re.compile(r"(lex|vec|hyde|intent):[ \t]*(\S.*)")
_MEANT: Final = (
    "lex: words, vec: a sentence, hyde: a passage as an answer might have it, intent: ..."
)


class SubQueries(msgspec.Struct, frozen=True):
    """Parsed lines: rephrasings, each for one side, and the intent, which only a reranker reads.
    `wrong` are the invalid lines."""

    expansions: tuple[Expansion, ...] = ()
    intent: str = ""
    wrong: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines in their written form."""
        said = tuple(f"{one.kind}: {one.text}" for one in self.expansions)
        return (*said, f"intent: {self.intent}") if self.intent else said


def read_subqueries(lines: Iterable[str], question: str) -> SubQueries:
    """Parse the lines. A line is `wrong` if it has another form, is too long, has control
    characters, or exceeds the number of lines of its kind. A line that repeats another one or the
    question is left out."""
    found: dict[tuple[SubQueryKind, str], Expansion] = {}
    counts = dict.fromkeys(_LINES, 0)
    seen = {" ".join(question.lower().split())}
    intent, wrong = "", []
    for line in lines:
        read = _read(line)
        if read is None or counts[read[0]] >= _LINES[read[0]]:
            wrong.append(line)
            continue
        kind, text = read
        if kind == "intent":
            intent = text
        elif (same := text.lower()) in seen or (kind, same) in found:
            continue
        else:
            found[kind, same] = Expansion(text, kind=kind)
        counts[kind] += 1
    return SubQueries(tuple(found.values()), intent, tuple(wrong))


def _read(line: str) -> tuple[LineKind, str] | None:
    """Return kind and text of a line, None if it has another form."""
    match = _LINE.fullmatch(line.strip())
    if match is None:
        return None
    kind, text = match[1], " ".join(match[2].split())
    if len(text) > _CHARS[kind] or hidden_in(text):
        return None
    return kind, text  # type: ignore[return-value]


def checked_subqueries(lines: Sequence[str], question: str) -> tuple[str, ...]:
    """Return the lines unchanged. Raises UsageError for one that is not a sub-query."""
    if wrong := read_subqueries(lines, question).wrong:
        most = ", ".join(f"{n} {kind} of {_CHARS[kind]:,} characters" for kind, n in _LINES.items())
        raise UsageError(
            f"{wrong[0][:80]!r} is not a sub-query: write TYPE: TEXT with lex, vec, hyde or"
            f" intent, without control characters, and at most {most}",
            hint=_MEANT,
        )
    return tuple(lines)


def with_subqueries(query: Query, asked: SubQueries) -> Query:
    """Return the query with its rephrasings, and the intent for the reranker."""
    return replace(query, subqueries=asked.expansions, intent=asked.intent or query.intent)


def with_asked(query: Query, asked: SubQueries) -> Query:
    """Return the query with rephrasings by whoever asks. The places that the words and sentences
    among them name follow those of the question. A passage as an answer might have it (`hyde`) is
    made up, and so are its places."""
    ours = query.asked.frames
    named = [() if one.kind == "hyde" else frames_of(one.text) for one in asked.expansions]
    expansions = [
        replace(one, frames=tuple(frame for frame in frames if frame not in ours))
        for one, frames in zip(asked.expansions, named, strict=True)
    ]
    frames = tuple(dict.fromkeys((*ours, *(frame for one in expansions for frame in one.frames))))
    placed = replace(query, asked=replace(query.asked, frames=frames))
    return with_subqueries(placed, replace(asked, expansions=tuple(expansions)))
