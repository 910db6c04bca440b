"""Check an answer against the passages that it cites. Numbers, names, negations and shared words
are compared; nothing is understood.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from typing import Final

from pincite.answering.check import names
from pincite.answering.check.negation import Negations, contradiction, negations_in
from pincite.answering.check.numbers import values
from pincite.answering.check.passages import Told
from pincite.answering.sentences.citation_marks import (
    before_of,
    citations,
    without_citations,
    wrapped,
)
from pincite.answering.sentences.split import Sentence, split
from pincite.model import Doubtful

_SHARE: Final = 0.4  # least share of a sentence's words in its passages; see docs/decisions/0034
_LEAST_WORDS: Final = 3  # informative ones; a shorter sentence is a heading, a yes or a transition
#: Number words that prose uses without a claim about a number.
_COUNTING: Final = frozenset(("one", "two", "first", "second", "once", "half", "third", "zero"))
_MOST_NAMED = 5
_REMEMBERED = 4_096  # texts whose words are remembered while one answer is checked


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The text without citations of unknown passages, these citations, the sentences that the
    passages do not support, and the cited numbers in order of appearance."""

    text: str
    removed: tuple[str, ...] = ()
    doubts: tuple[Doubtful, ...] = ()
    cited: tuple[int, ...] = ()


def check_answer(
    text: str,
    told: Sequence[Told],
    terms: Callable[[str], frozenset[str]],
    *,
    must_cite: bool = True,
) -> CheckedAnswer:
    """Return the answer without citations of unknown passages, and its doubtful sentences.

    A sentence is compared with all passages that it cites together. A sentence without a citation
    belongs to the next citation of its paragraph. With `must_cite`, a sentence of at least three
    informative words that belongs to no citation is doubtful, too. A heading is checked only if it
    cites something, a question never. `terms` returns the informative words of a text.
    """
    # The terms of a passage are needed for each sentence.
    terms = lru_cache(maxsize=_REMEMBERED)(terms)
    negations = lru_cache(maxsize=_REMEMBERED)(partial(negations_in, terms=terms))
    by_number = {one.number: one for one in told}
    kept, removed, holes = _without_foreign(text, frozenset(by_number))
    doubts: list[Doubtful] = []
    cited: list[int] = []
    sentences = [
        one for one in split(kept, "markdown", is_answer=True) if _claims(kept, one, holes)
    ]
    borrowed = _citations(kept, sentences, frozenset(by_number))
    for sentence, (own, meant) in zip(sentences, borrowed, strict=True):
        cited += own
        lost = tuple(what for at, what in holes if sentence.start <= at <= sentence.end)
        if lost:
            detail = f"unknown passage: {', '.join(lost)}"
            doubts.append(_doubt(sentence, "foreign_citation", detail, own))
        passages = [by_number[number] for number in meant]
        must = must_cite and not lost
        doubts += _compared(kept, sentence, passages, terms, negations, must_cite=must)
    return CheckedAnswer(kept, removed, tuple(doubts), tuple(dict.fromkeys(cited)))


def _claims(text: str, sentence: Sentence, holes: Sequence[tuple[int, str]]) -> bool:
    """Return whether a sentence is checked: all are, except headings without a citation."""
    start, end = sentence.start, sentence.end
    if not sentence.heading or any(start <= at <= end for at, _ in holes):
        return True
    return any(True for _ in citations(text[start:end]))


def _compared(
    text: str,
    sentence: Sentence,
    passages: Sequence[Told],
    terms: Callable[[str], frozenset[str]],
    negations: Callable[[str], Negations],
    *,
    must_cite: bool,
) -> list[Doubtful]:
    """Return the doubts about a sentence: what its passages do not support."""
    said = without_citations(text[sentence.start : sentence.end]).strip()
    own = terms(said)
    if said.endswith("?"):
        return []
    if not passages:
        bare = (
            must_cite and len(own) >= _LEAST_WORDS and not sentence.code and not said.endswith(":")
        )
        return [_doubt(sentence, "uncited", "no passage is cited", ())] if bare else []
    meant = tuple(one.number for one in passages)
    there = frozenset[str]().union(*(terms(one.known) for one in passages))
    found = []
    numbers_there = tuple(chain.from_iterable(one.numbers for one in passages))
    counted = values.numbers_in(said)
    wrong = [
        one.written
        for one in values.missing(counted, numbers_there)
        if not (one.spelled and one.written.lower() in _COUNTING)
    ]
    if wrong:
        found.append(_doubt(sentence, "number", _named(wrong), meant))
    words = [one.words for one in passages]
    spans = [(one.start, one.start + len(one.written)) for one in counted]
    strange = [one.written for one in names.missing(said, words, there, terms, spans)]
    if strange:
        found.append(_doubt(sentence, "name", _named(strange), meant))
    if not sentence.code:
        every = list(chain.from_iterable(one.sentences for one in passages))
        denied = contradiction(said, every, terms, negations)
        if denied is not None:
            found.append(_doubt(sentence, "negation", denied.by, meant))
    if len(own) >= _LEAST_WORDS and not found:
        share = len(own & there) / len(own)
        if share < _SHARE:
            lost = sorted(own - there)
            detail = f"{share:.0%} of its words; missing: {_named(lost)}"
            found.append(_doubt(sentence, "unrelated", detail, meant))
    return found


def _doubt(sentence: Sentence, why: str, detail: str, numbers: Sequence[int]) -> Doubtful:
    return Doubtful(sentence.start, sentence.end, why, detail, tuple(numbers))  # type: ignore[arg-type]


def _named(what: Sequence[str]) -> str:
    kept = list(dict.fromkeys(what))
    more = f" and {len(kept) - _MOST_NAMED} more" if len(kept) > _MOST_NAMED else ""
    return f"{', '.join(kept[:_MOST_NAMED])}{more}"


def _citations(
    text: str, sentences: Sequence[Sentence], known: frozenset[int]
) -> list[tuple[list[int], list[int]]]:
    """Return, for each sentence, the numbers that it cites and those that it belongs to: its own,
    or those of the next sentence with a citation in its paragraph."""
    own: list[list[int]] = [[] for _ in sentences]
    place = 0
    for one in citations(text):
        while place < len(sentences) and sentences[place].end < one.end:
            place += 1
        if place < len(sentences) and sentences[place].start <= one.end:
            own[place] += (number for number in one.numbers if number in known)
    own = [list(dict.fromkeys(numbers)) for numbers in own]
    meant = list(own)
    for place in range(len(sentences) - 2, -1, -1):
        following = sentences[place + 1]
        alike = sentences[place].paragraph == following.paragraph and not following.heading
        if not own[place] and alike:
            meant[place] = meant[place + 1]
    return list(zip(own, meant, strict=True))


def _without_foreign(
    text: str, known: frozenset[int]
) -> tuple[str, tuple[str, ...], list[tuple[int, str]]]:
    """Return the text without citations of unknown passages, these citations, and for each its
    position in the new text."""
    parts: list[str] = []
    removed: list[str] = []
    holes: list[tuple[int, str]] = []
    at = length = 0
    for one in citations(text):
        kept = list(dict.fromkeys(number for number in one.numbers if number in known))
        if one.glued or (one.numbers and len(kept) == len(set(one.numbers))):
            continue
        foreign = f"[{_foreign(one.runs, known)}]"
        removed.append(foreign)
        start, end = one.start, one.end
        if not kept and start > at and wrapped(text, start, end):
            start, end = start - 1, end + 1
        before = before_of(text, start, at)
        new = f"{text[before:start]}[{', '.join(map(str, kept))}]" if kept else ""
        parts += [text[at:before], new]
        length += before - at + len(new)
        holes.append((length, foreign))
        at = end
    parts.append(text[at:])
    return "".join(parts), tuple(dict.fromkeys(removed)), holes


def _foreign(runs: Sequence[range], known: frozenset[int]) -> str:
    """Return the unknown numbers of a citation, with ranges as ranges."""
    said = []
    for run in runs:
        stops = [*sorted(number for number in known if number in run), run.stop]
        start = run.start
        for stop in stops:
            if stop > start:
                said.append(f"{start}-{stop - 1}" if stop - start > 1 else f"{start}")
            start = stop + 1
        if not run:
            said.append(f"{run.start}-{run.stop - 1}")
    return ", ".join(said)
