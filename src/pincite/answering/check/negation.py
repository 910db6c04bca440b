"""Detect contradictions: a sentence of an answer denies what its passage says, or the reverse."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pincite.answering.sentences.code_comments import SentenceText

_NEGATION: Final = re.compile(
    r"\b(?:not|never|cannot|without|no|(?!(?-i:None)\b(?!\s(?:of|are|were|have)\b))none|neither|nor|nobody|nothing|nowhere|hardly|unable|lacks?"
    r"|fails?\sto|\w+n['’]t|nicht|kein\w*|nie|ohne|weder)\b(?!\sonly)",
    re.IGNORECASE,
)
#: Phrases with a negation that deny nothing.
_HARMLESS: Final = re.compile(
    r"\b(?:whether\sor\snot|if\snot|not\sonly|no\slonger\sthan|no\smore\sthan|no\sless\sthan"
    r"|no\slater\sthan|no\smatter|or\snot|no\sdoubt|not\snecessarily)\b",
    re.IGNORECASE,
)
_REACH: Final = 4  # words after a negation that it concerns; guess, see docs/decisions/0034
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ALIKE: Final = 0.6  # share of words in a passage's sentence that is about the same

#: Each negation of a text, and the words that it concerns.
Negations = Sequence[tuple[str, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Denied:
    """A contradiction: the negation (`by`), and the text that has it (`what`)."""

    by: str
    what: str


def contradiction(
    text: str,
    sentences: Sequence[SentenceText],
    terms: Callable[[str], frozenset[str]],
    negations: Callable[[str], Negations],
) -> Denied | None:
    """Return the first negation that only one side has: the text, or the sentences of a passage
    that are about the same. None if no sentence is about the same. `negations` returns those of a
    text, see `negations_in`. Lines of code have none."""
    own = terms(text)
    if len(own) < 2:
        return None
    near = [(one, terms(one.text)) for one in sentences]
    alike = [(one, had) for one, had in near if len(own & had) >= _ALIKE * len(own)]
    if not alike:
        return None
    said = negations(text)
    there = [() if one.code else negations(one.text) for one, _ in alike]
    prose = [one.text for one in sentences if said and not one.code]
    elsewhere = [about for one in prose for _, about in negations(one)]
    for word, about in said:
        denied = any(about & theirs for theirs in elsewhere)
        if about and not denied and not any(_answered(about, others) for others in there):
            return Denied(word, text)
    # The closest sentence may deny what the text says of the same words.
    best = max(range(len(alike)), key=lambda n: (_overlap(own, alike[n][1]), -n))
    if not said:
        for word, about in there[best]:
            inside = about & own
            if about and len(inside) >= max(1, len(about) - 1):
                return Denied(word, alike[best][0].text)
    return None


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    both = one | other
    return len(one & other) / len(both) if both else 0.0


def _answered(about: frozenset[str], others: Sequence[tuple[str, frozenset[str]]]) -> bool:
    """Return whether any of the other negations concerns the same words."""
    return any(about & theirs or not theirs for _, theirs in others)


def negations_in(text: str, terms: Callable[[str], frozenset[str]]) -> Negations:
    """Return each negation with the informative words after it, or before it if it ends the
    text."""
    plain = _HARMLESS.sub(lambda match: " " * len(match[0]), text)
    found = []
    for match in _NEGATION.finditer(plain):
        behind = " ".join(_TOKEN.findall(plain[match.end() : match.end() + 160])[:_REACH])
        about = terms(behind)
        if not about:
            before = _TOKEN.findall(plain[max(0, match.start() - 160) : match.start()])[-_REACH:]
            about = terms(" ".join(before))
        found.append((match[0], about))
    return found
