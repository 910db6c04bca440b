"""The transcript of a conversation for a model: fenced, so that nothing in it looks like an
instruction, and cut to what fits."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final

from pincite.answering.prompt_files import read_prompt
from pincite.answering.sentences.citation_marks import without_citations
from pincite.model import Turn
from pincite.support.terminal import visible
from pincite.support.token_estimate import cut_estimated

#: How a summary without a model begins its lines, and how many tokens of each text it has.
ASKED: Final = "asked: "
ANSWERED: Final = "answered: "
LINE_TOKENS: Final = 40  # guess, unmeasured
_CUT: Final = " [...]"


def prompt_text(name: str, **values: str) -> str:
    """A prompt of this package, with its values filled in."""
    text = read_prompt(name).text
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return text


def new_marker() -> str:
    """What no text can have in it that was written before."""
    return secrets.token_hex(8)


def fenced(what: str, text: str, marker: str) -> str:
    """A block of which nobody can write the end without knowing the marker. What cannot be seen is
    written out in it."""
    return f"<<<{what} {marker}\n{visible(text)}\n{what} {marker}>>>"


def shortened(text: str, tokens: int) -> str:
    """The beginning of a text, of at most so many estimated tokens, on one line."""
    whole = " ".join(text.split())
    cut = cut_estimated(whole, tokens)
    return whole if len(cut) == len(whole) else f"{cut}{_CUT}"


def told(turns: Sequence[Turn], tokens: int) -> str:
    """Who said what, a line each, each of at most so many tokens. Answers stand there without their
    citations, whose passages nobody sees here."""
    return "\n".join(f"{one.role}: {shortened(said_of(one), tokens)}" for one in turns)


def without_failed(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns without answers that failed: no model meant what stands there."""
    return tuple(one for one in turns if one.kind != "failed")


def said_of(turn: Turn) -> str:
    """What was said, of an answer without its citations."""
    return without_citations(turn.text) if turn.role == "assistant" else turn.text
