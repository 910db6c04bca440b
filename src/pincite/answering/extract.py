"""An answer without a language model: verbatim sentences of the evidence."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pincite.answering.cited import escaped
from pincite.answering.code import words_of_code
from pincite.answering.sentences import Sentence, split
from pincite.model import AnswerSource, Evidence
from pincite.model.citation import format_citation, parse_citation
from pincite.support.fields import replace

Terms = Callable[[str], frozenset[str]]
_SENTENCES: Final = 3  # see docs/decisions/0034
_LEAST_GAIN: Final = 0.15  # of the question's weight that one more sentence has to add
_LONGEST: Final = 600  # characters; what is longer is a table or no sentence
_PIECES: Final = 20_000  # words of a longer one that are looked at
_CODE: Final = 0.5  # what lines of code count where nobody asks for code; guess, unmeasured
_RANK: Final = 0.85  # what a passage's sentences count for each place behind the first

#: A question that asks for code, or has some in it beyond a name.
_FOR_CODE: Final = re.compile(
    r"\b(?:code|snippet|defin(?:e|ed|es|ition)|declar\w+|signature|implement\w*|import(?:s|ed)?"
    r"|syntax|source)\b|[`=;{}]|\w\(|->|::",
    re.IGNORECASE,
)


#: A sentence that asks: its end, and what a question begins with if its mark is missing.
_ASKS: Final = re.compile(r"[?？][\"'”’»)\]*_`」』]*\s*\Z")
_ASKED: Final = re.compile(
    r"(?:who|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|should|would|will"
    r"|may|has|have)\b",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"\S+")
_NO_WORD: Final = re.compile(r"[\W_]+")
_MOST_BEFORE: Final = 2  # informative words before a question, such as the name of a command
_ECHO: Final = 4  # words of a question that a sentence does not have by chance


@dataclass(frozen=True, slots=True)
class Extract:
    """The text, and for each of its sentences where exactly it stands."""

    text: str
    sources: tuple[AnswerSource, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    item: Evidence
    place: int
    span: Sentence
    said: str  # the sentence without marks of a comment
    terms: frozenset[str]

    @property
    def text(self) -> str:
        """Exactly what is cited."""
        return self.item.text[self.span.start : self.span.end]


def extract(question: str, evidence: Sequence[Evidence], terms: Terms) -> Extract:
    """Up to three sentences that together have most of the question's words, each cited by itself.

    A word counts the more, the fewer sentences of the evidence have it, and a sentence the more,
    the better its passage is ranked. One more is taken only while it adds words. Where no sentence
    has any, it is the first of the best passage. Of code the sentences of comments and docstrings
    are taken, and whole lines; sentences are preferred to lines unless the question asks for code.
    A sentence that asks, or repeats the question, answers nothing: its words count for the next
    one. They come in the order of the evidence, numbered from 1. What is longer than 600 characters
    counts only if nothing else is left, and then as the part that has most of the question's words.
    """
    asked = terms(question)
    echoes = _echo_of(question)
    every: list[_Found] = []
    unanswered: list[_Found] = []
    long: list[tuple[Evidence, int, Sentence, str]] = []
    for place, item in enumerate(evidence):
        before: frozenset[str] = frozenset()  # the words of a question just before this sentence
        for span, said in _sentences(item):
            if span.end - span.start > _LONGEST:
                long.append((item, place, span, said))
                continue
            own = terms(said)
            found = _Found(item, place, span, said, own | before)
            echo = echoes(said) and len(own - asked) <= _MOST_BEFORE
            is_question = echo or (asked <= own and bool(_ASKS.search(said)))
            before = found.terms if is_question and not span.code else frozenset()
            if not span.heading:
                (unanswered if is_question else every).append(found)
    every = every or unanswered or [_cut(*one, asked, terms) for one in long]
    of_code = 1.0 if _FOR_CODE.search(question) else _CODE
    chosen = _chosen(asked, [one for one in every if one.terms], of_code)
    chosen.sort(key=lambda one: (one.place, one.span.start))
    sources = tuple(_source(number, one) for number, one in enumerate(chosen, start=1))
    lines = [_line(number, one) for number, one in enumerate(chosen, start=1)]
    return Extract("\n\n".join(lines), sources)


def _cut(
    item: Evidence, place: int, span: Sentence, said: str, asked: frozenset[str], terms: Terms
) -> _Found:
    """The part of a long sentence, in whole words, that has most of the question's words; the
    first of several."""
    words = [one.span() for one in islice(_TOKEN.finditer(said), _PIECES)]
    own = [terms(said[start:end]) & asked for start, end in words]
    held: Counter[str] = Counter()
    begin, most, first, last = 0, -1, 0, 0
    for at, (_, end) in enumerate(words):
        held.update(own[at])
        while begin < at and (end - words[begin][0] > _LONGEST or not own[begin]):
            held.subtract(own[begin])
            begin += 1
        had = sum(count > 0 for count in held.values())
        if had > most:
            most, first, last = had, begin, at
    while True:  # what is around the words is their sense
        before, after = first > 0, last + 1 < len(words)
        if after and words[last + 1][1] - words[first][0] <= _LONGEST:
            last += 1
        else:
            after = False
        if before and words[last][1] - words[first - 1][0] <= _LONGEST:
            first -= 1
        elif not after:
            break
    start = words[first][0]
    end = min(words[last][1], start + _LONGEST)  # a word may be longer
    part = replace(span, start=span.start + start, end=span.start + end)
    return _Found(item, place, part, said[start:end], terms(said[start:end]))


def _echo_of(question: str) -> Callable[[str], bool]:
    """Return what tells whether a sentence ends with the whole question. What follows a question,
    as in the next cell of a row, is its answer."""
    bare = _words_in(question)
    is_question = bool(_ASKS.search(question) or _ASKED.match(question.strip()))
    can_echo = is_question and bare.count(" ") > _ECHO
    return lambda said: can_echo and _words_in(said).endswith(bare)


def _words_in(text: str) -> str:
    return f" {_NO_WORD.sub(' ', text.casefold()).strip()} "


def _sentences(item: Evidence) -> list[tuple[Sentence, str]]:
    """The sentences, and the lines of code, with what each says."""
    if item.source_type == "code":
        words, found = words_of_code(item.text)
    else:
        words, found = item.text, split(item.text)
    return [(one, words[one.start : one.end]) for one in found]


def _chosen(asked: frozenset[str], every: Sequence[_Found], of_code: float) -> list[_Found]:
    having = {term: sum(term in one.terms for one in every) for term in asked}
    weight = {
        term: math.log(1 + (len(every) - n + 0.5) / (n + 0.5)) for term, n in having.items() if n
    }
    whole = math.fsum(weight.values())
    chosen: list[_Found] = []
    covered: frozenset[str] = frozenset()
    while len(chosen) < _SENTENCES and whole:
        gains = [
            (_gain(one, asked - covered, weight) * (of_code if one.span.code else 1.0), n)
            for n, one in enumerate(every)
        ]
        gain, best = max(gains, key=lambda pair: (pair[0], -pair[1]), default=(0.0, 0))
        if gain <= 0 or (chosen and gain < _LEAST_GAIN * whole):
            break
        chosen.append(every[best])
        covered |= every[best].terms
    return chosen or list(every[:1])


def _gain(one: _Found, asked: frozenset[str], weight: dict[str, float]) -> float:
    return math.fsum(weight.get(term, 0.0) for term in one.terms & asked) * _RANK**one.place


def _line(number: int, one: _Found) -> str:
    """Prose on a line, code in a fence, with the number behind it. A `[2]` of the prose itself is
    written as Markdown has it, so that nobody takes it for a number of ours."""
    if one.span.code:
        text = one.text.replace("`", "\\`")
        return f"    {text}\n[{number}]"
    return f"{escaped(' '.join(one.said.split()))} [{number}]"


def _source(number: int, one: _Found) -> AnswerSource:
    item = one.item
    return AnswerSource(
        number=number,
        citation=cite_span(item, one.span.start, one.span.end),
        score=item.score,
        page=item.page,
        is_visual=item.visual,
        title=item.title,
        text=one.text,
        evidence=item.number,
        recognised=item.recognised,
    )


def cite_span(item: Evidence, start: int, end: int) -> str:
    """The citation of `item.text[start:end]`: the lines and columns of its file, or the characters
    of its record or page. That of the item where neither is known."""
    parsed = parse_citation(item.citation)
    if parsed is None:
        return item.citation
    if item.start_char is not None:
        at = item.start_char
        return format_citation(replace(parsed, start_char=at + start, end_char=at + end, rows=None))
    if not item.end_line:
        return item.citation
    first = item.start_line + item.text.count("\n", 0, start)
    last = item.start_line + item.text.count("\n", 0, end)
    first_column = _column(item, start)
    last_column = _column(item, end - 1)
    stop = item.text.find("\n", end)
    tail = item.text[end : stop if stop >= 0 else len(item.text)]
    whole = first_column == 1 and not tail.strip("\r") and (stop >= 0 or item.end_column is None)
    columns = (None, None) if whole else (first_column, last_column)
    return format_citation(
        replace(
            parsed,
            start_line=first,
            end_line=last,
            start_column=columns[0],
            end_column=columns[1],
        )
    )


def _column(item: Evidence, at: int) -> int:
    """The 1-based column of a character in its file."""
    line = item.text.rfind("\n", 0, at) + 1
    cut = (item.start_column or 1) - 1 if not line else 0
    return at - line + cut + 1
