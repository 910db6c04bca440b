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

#: The beginnings of the lines of a summary without a model, and the tokens of each text.
ASKED: Final = "asked: "
ANSWERED: Final = "answered: "
LINE_TOKENS: Final = 40  # guess, unmeasured
_CUT: Final = " [...]"


def prompt_text(name: str, **values: str) -> str:
    """Return a bundled prompt with its values filled in."""
    text = read_prompt(name).text
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return text


def new_marker() -> str:
    """Return a random text that no earlier text contains."""
    return secrets.token_hex(8)


def fenced(what: str, text: str, marker: str) -> str:
    """Return a block whose end cannot be written without knowing the marker. Invisible characters
    are written out."""
    return f"<<<{what} {marker}\n{visible(text)}\n{what} {marker}>>>"


def shortened(text: str, tokens: int) -> str:
    """Return the beginning of a text on one line, with at most `tokens` estimated tokens."""
    whole = " ".join(text.split())
    cut = cut_estimated(whole, tokens)
    return whole if len(cut) == len(whole) else f"{cut}{_CUT}"


def told(turns: Sequence[Turn], tokens: int) -> str:
    """Return the turns with their roles, one per line, each with at most `tokens` estimated tokens.
    Answers lose their citations, because the passages are not shown."""
    return "\n".join(f"{one.role}: {shortened(said_of(one), tokens)}" for one in turns)


def without_failed(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns without failed answers, which no model intended."""
    return tuple(one for one in turns if one.kind != "failed")


def said_of(turn: Turn) -> str:
    """Return the text of a turn, for an answer without its citations."""
    return without_citations(turn.text) if turn.role == "assistant" else turn.text
