"""Answers without a language model: verbatim sentences of the evidence."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from pincite.answering.sentences.blocks import has_block
from pincite.answering.sentences.code_comments import words_of_code
from pincite.answering.sentences.excerpts import ASKS, LONGEST, cut, grown, line_of
from pincite.answering.sentences.markup import shown, words_of_markup
from pincite.answering.sentences.passage_sentence import PassageSentence, Terms
from pincite.answering.sentences.split import Sentence
from pincite.model import AnswerSource, Evidence
from pincite.model.citation import format_citation, parse_citation
from pincite.questions.versions import (
    AskedVersions,
    PassageVersions,
    asked_versions,
    sections,
    versions_in,
)
from pincite.support.fields import replace
from pincite.support.term_share import idf_of

_EXCERPTS: Final = 3  # see docs/decisions/0034
_LEAST_GAIN: Final = 0.15  # least share of the question's weight that a further excerpt adds
_LEAST_TERMS: Final = 2  # least words that an excerpt of another file adds; see docs/decisions/0083
_CODE: Final = 0.5  # weight of lines of code if the question is not about code; guess, unmeasured
_SECTION: Final = 0.5  # weight of a heading's words in its section; see docs/decisions/0083
_RANK: Final = 0.85  # factor of a passage's sentences for each rank after the first

#: A question that asks for code, or contains code beyond a name.
_FOR_CODE: Final = re.compile(
    r"\b(?:code|snippet|defin(?:e|ed|es|ition)|declar\w+|signature|implement\w*|import(?:s|ed)?"
    r"|syntax|source)\b|[`=;{}]|\w\(|->|::",
    re.IGNORECASE,
)


#: The beginning of a question that has no question mark.
_ASKED: Final = re.compile(
    r"(?:who|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|should|would|will"
    r"|may|has|have)\b",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"[#=]{1,6}[ \t]+(?=\S)")
_SAYS: Final = re.compile(r"`[^`\n]|[✅❌✓✔✗✘☑☒☐]")  # content without words: code, and yes or no
_NO_WORD: Final = re.compile(r"[\W_]+")
_MOST_BEFORE: Final = 2  # informative words before a question, such as the name of a command
_ECHO: Final = 4  # a sentence does not repeat more words of a question by chance


@dataclass(frozen=True, slots=True)
class Extract:
    """The text of the answer, and the exact source of each of its excerpts. `lacking` are the
    versions of the question if all sentences belong to others; then there is no excerpt."""

    text: str
    sources: tuple[AnswerSource, ...]
    lacking: tuple[str, ...] = ()


def extract(question: str, evidence: Sequence[Evidence], terms: Terms) -> Extract:
    """Return up to three excerpts that together have most of the question's words, each with its
    own citation.

    An excerpt is a sentence with those that belong to it (`excerpts.grown`). A word weighs more if
    fewer sentences of the evidence have it, and a sentence weighs more if its passage ranks higher.
    Words of a heading count for the sentence below it, and half for the other sentences of its
    section. A further excerpt is taken only if it adds words, from another file at least two. If no
    sentence has any, the excerpt is the first sentence of the best passage.

    In code, the sentences of comments and docstrings are used, and whole lines; sentences are
    preferred to lines unless the question asks for code. A sentence that asks, or repeats the
    question, is not an answer: its words count for the next one. A text of more than 600 characters
    is used only if nothing else is left, and then only the part with most of the question's words.
    In a long row, long cells are shortened in the text. An introduction without its block is also
    used only if nothing else is left. Tags are left out of the text, but not of the sources.
    Excerpts are in the order of the evidence, numbered from 1.

    If the question names a version, sentences in the section of another version are not used,
    unless they name it themselves; see `_of_versions`. There is no excerpt if a question about a
    version leaves none.
    """
    asked = terms(question)
    echoes = _echo_of(question)
    passages = [_found(item, n, asked, terms, echoes) for n, item in enumerate(evidence)]
    versions = asked_versions(question)
    of_versions = _of_versions(passages, versions)
    if any(passages) and not any(of_versions):
        return Extract("", (), versions.said)
    every = _candidates(passages, of_versions, asked, terms)
    of_code = 1.0 if _FOR_CODE.search(question) else _CODE
    runs = _chosen(asked, every, of_code, passages)
    runs.sort(key=lambda run: run[0].key)
    sources = tuple(_source(number, run) for number, run in enumerate(runs, start=1))
    lines = [line_of(number, run, asked, terms) for number, run in enumerate(runs, start=1)]
    return Extract("\n\n".join(lines), sources)


def _found(
    item: Evidence,
    place: int,
    asked: frozenset[str],
    terms: Terms,
    echoes: Callable[[str], bool],
) -> list[PassageSentence]:
    """Return the sentences of a passage, with the words that count for each."""
    found: list[PassageSentence] = []
    before: frozenset[str] = frozenset()  # the words of a question or heading just before
    section = terms(" ".join(item.headings[-1:]) or item.title)
    was_heading = False
    for span, words in _sentences(item, asked, terms):
        said = shown(words)
        own = terms(said)
        echo = echoes(said) and len(own - asked) <= _MOST_BEFORE
        is_question = not span.heading and (echo or (asked <= own and bool(ASKS.search(said))))
        one = PassageSentence(
            item, place, len(found), span, words, own | before, section, is_question
        )
        if span.heading:
            section = own | section if span.item else own  # in front matter: all entries
            before = own | before if was_heading else own
        else:
            before = one.terms if is_question and not span.code else frozenset()
        was_heading = span.heading
        found.append(one)
    return found


def _candidates(
    passages: Sequence[Sequence[PassageSentence]],
    usable: Sequence[Sequence[PassageSentence]],
    asked: frozenset[str],
    terms: Terms,
) -> list[PassageSentence]:
    """Return the sentences that may answer, of those that are `usable`. If there are none, return
    those that ask or introduce, or parts of long ones. If there are only headings, return those
    with words beyond the question."""
    said = [one for found in usable for one in found if one.terms]
    every = [one for one in said if not one.span.heading] + _entries(usable, asked, terms)
    every = sorted(every, key=lambda one: one.key) or [
        _unmarked(one) for one in said if asked & one.terms and terms(one.said) - asked
    ]
    short = [one for one in every if one.is_row or len(one.said) <= LONGEST]
    good = [
        one
        for one in short
        if not one.is_question and not (one.introduces and not has_block(one, passages[one.place]))
    ]
    return good or short or [cut(one, asked, terms) for one in every]


def _of_versions(
    passages: Sequence[list[PassageSentence]], asked: AskedVersions
) -> Sequence[list[PassageSentence]]:
    """Return the passages without the sentences in sections of other versions than those asked
    for. If the question is about versions and a section is about another one, only sentences that
    belong to the right version or name it are left. Other questions keep all sentences if none
    would be left."""
    if not asked.all:
        return passages
    told = [_told(found, asked.all) for found in passages]
    only = asked.about and any(belongs is not None for found in told for _, belongs in found)
    kept = [
        [one for one, belongs in found if belongs or (belongs is None and not only)]
        for found in told
    ]
    return kept if asked.about or any(kept) else passages


def _told(
    found: Sequence[PassageSentence], asked: frozenset[str]
) -> list[tuple[PassageSentence, bool | None]]:
    """Return each sentence of a passage, and whether it belongs to one of the versions."""
    starts = _starts(found)
    return [(one, _belongs(one, starts, asked)) for one in found]


def _starts(found: Sequence[PassageSentence]) -> list[tuple[int, frozenset[str]]]:
    """Return where the sections of a passage begin, and their versions. Code has none."""
    if not found or found[0].item.source_type == "code":
        return [(0, frozenset())]
    item = found[0].item
    named = PassageVersions(item.title, item.headings, "", item.path)
    return [(0, named.in_headings or named.in_title), *sections(item.text)]


def _belongs(
    one: PassageSentence, starts: Sequence[tuple[int, frozenset[str]]], asked: frozenset[str]
) -> bool | None:
    """Return whether a sentence belongs to one of the versions or names it; None if no version is
    known."""
    _, named = starts[bisect_right(starts, one.span.start, key=itemgetter(0)) - 1]
    if named & asked or versions_in(one.said) & asked:
        return True
    return False if named else None


def _unmarked(heading: PassageSentence) -> PassageSentence:
    mark = _HEADING.match(heading.words)
    size = mark.end() if mark else 0
    span = replace(heading.span, start=heading.span.start + size)
    return replace(heading, span=span, words=heading.words[size:])


def _echo_of(question: str) -> Callable[[str], bool]:
    """Return a function that tells whether a sentence ends with the whole question. The text after
    a question, such as the next cell of a row, is its answer."""
    bare = _words_in(question)
    is_question = bool(ASKS.search(question) or _ASKED.match(question.strip()))
    can_echo = is_question and bare.count(" ") > _ECHO
    return lambda said: can_echo and _words_in(said).endswith(bare)


def _words_in(text: str) -> str:
    return f" {_NO_WORD.sub(' ', text.casefold()).strip()} "


def _sentences(item: Evidence, asked: frozenset[str], terms: Terms) -> list[tuple[Sentence, str]]:
    """Return the sentences and the lines of code, with the words of each. A sentence that is the
    title of the page or of a section is a heading. If all sentences are headings, a title with
    words that the question lacks is not one."""
    if item.source_type == "code":
        words, found = words_of_code(item.text)
        return [(one, words[one.start : one.end]) for one in found]
    is_start = item.start_line == 1 if item.start_char is None else not item.start_char
    words, found = words_of_markup(item.text, item.language, is_start)
    # The title of a conversation consists of its first words.
    named = item.headings if item.language == "transcript" else (item.title, *item.headings)
    titles = {_words_in(one) for one in named} - {_words_in("")}
    kept: list[tuple[Sentence, str]] = []
    marked: list[int] = []  # headings only because they are titles
    for one in found:
        part = words[one.start : one.end]
        bare = _words_in(shown(part))
        if not (one.code or bare.strip() or _SAYS.search(part)):
            continue
        if not (one.code or one.heading) and bare in titles:
            one = replace(one, heading=True)
            if terms(bare) - asked:
                marked.append(len(kept))
        kept.append((one, part))
    if all(one.heading for one, _ in kept):
        for number in marked:
            one, part = kept[number]
            kept[number] = replace(one, heading=False), part
    return kept


def _entries(
    passages: Sequence[Sequence[PassageSentence]], asked: frozenset[str], terms: Terms
) -> list[PassageSentence]:
    """Return the entries of front matter that answer the question, such as "who are the owners of
    the gateway?". The entries must have all words of the question, and no sentence may have a word
    of the key."""
    found: list[PassageSentence] = []
    for passage in passages:
        entries = [one for one in passage if one.is_entry]
        if asked <= frozenset().union(*(one.terms | one.section for one in entries)):
            keys = ((one, _key(one, terms)) for one in entries)
            found += [one for one, key in keys if key and key <= asked]
    if not found:
        return []
    said = (one.said for passage in passages for one in passage if not one.span.heading)
    words = frozenset().union(*map(terms, said))
    return [one for one in found if not _key(one, terms) & words]


def _key(entry: PassageSentence, terms: Terms) -> frozenset[str]:
    """Return the words of the key of an entry, none if it has no value."""
    key, _, value = entry.said.partition(":")
    return terms(_NO_WORD.sub(" ", key)) if value.strip() else frozenset()


def _chosen(
    asked: frozenset[str],
    every: Sequence[PassageSentence],
    of_code: float,
    passages: Sequence[Sequence[PassageSentence]],
) -> list[list[PassageSentence]]:
    having = {term: sum(term in one.terms for one in every) for term in asked}
    weight = {term: idf_of(len(every), n) for term, n in having.items() if n}
    whole = math.fsum(weight.values())
    runs: list[list[PassageSentence]] = []
    covered: frozenset[str] = frozenset()
    used: set[tuple[int, int]] = set()
    while len(runs) < _EXCERPTS and whole:
        files = {(run[0].item.collection, run[0].item.path) for run in runs}
        missing = asked - covered
        gains = [
            (_gain(one, missing, weight) * (of_code if one.span.code else 1.0), -n)
            for n, one in enumerate(every)
            if one.key not in used and _may_add(one, missing, files)
        ]
        gain, best = max(gains, default=(0.0, 0))
        if gain <= 0 or (runs and gain < _LEAST_GAIN * whole):
            break
        one = every[-best]
        run = grown(one, passages[one.place], used)
        runs.append(run)
        used |= {part.key for part in run}
        covered = covered.union(*(part.terms for part in run))
    return runs or [[one] for one in every[:1]]


def _may_add(one: PassageSentence, missing: frozenset[str], files: set[tuple[str, str]]) -> bool:
    """Return whether an excerpt may be added. From another file, a single word more would add only
    filler."""
    same = not files or (one.item.collection, one.item.path) in files
    return same or len(one.terms & missing) >= _LEAST_TERMS


def _gain(one: PassageSentence, missing: frozenset[str], weight: Mapping[str, float]) -> float:
    own = math.fsum(weight.get(term, 0.0) for term in one.terms & missing)
    above = math.fsum(weight.get(term, 0.0) for term in (one.section - one.terms) & missing)
    return (own + _SECTION * above) * _RANK**one.place


def _source(number: int, run: Sequence[PassageSentence]) -> AnswerSource:
    item, start, end = run[0].item, run[0].span.start, run[-1].span.end
    return AnswerSource(
        number=number,
        citation=cite_span(item, start, end),
        score=item.score,
        page=item.page,
        is_visual=item.visual,
        title=item.title,
        text=item.text[start:end],
        evidence=item.number,
        recognised=item.recognised,
    )


def cite_span(item: Evidence, start: int, end: int) -> str:
    """Return the citation of `item.text[start:end]`: the lines and columns of its file, or the
    characters of its record or page. If neither is known, return the citation of the item."""
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
    """Return the column of a character in its file, from 1."""
    line = item.text.rfind("\n", 0, at) + 1
    cut = (item.start_column or 1) - 1 if not line else 0
    return at - line + cut + 1
