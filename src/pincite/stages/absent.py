"""Find informative words of the question that occur nowhere. The pack names them, because its
passages may be about something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

import msgspec

from pincite.model import AbsentTerms, Candidate, Context, Ranking, TermCounts
from pincite.ports import Searchable
from pincite.support.folding import MARKS, same_letters
from pincite.support.late_patterns import late_pattern
from pincite.support.names import words_of

Terms = Callable[[str], frozenset[str]]

_MOST_WORDS: Final = 64  # of a question to examine: a stack trace has more
_MOST_NAMED: Final = 8  # of each kind; guess, unmeasured
_LEAST_PART: Final = 3  # letters of a word of a name; shorter ones are often abbreviations
#: If a word is in more chunks than this share, its absence from a passage says little.
_COMMON: Final = 0.02
_LEAST_COMMON: Final = 5  # chunks: in few chunks every word is common

_WORD: Final = r"[^\W_][{0}'’]*(?:-[{0}'’]+)*|(?<!_)_++[^\W_][{0}]*"
_ASCII_WORD: Final = re.compile(_WORD.format(r"\w"))
_MARKED_WORD: Final = late_pattern(_WORD.format(rf"\w{MARKS}"))
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
#: Spellings that only programs have: `rotate_key`, `rotateKey`, `RotatedKeyStore`.
_CODE: Final = re.compile(r"[^\W_]_+[^\W_]|^[a-z]{2,}[0-9]*[A-Z]|^(?:[A-Z][a-z0-9]+){3,}$")
#: Names with inner capitals, such as `WebSocket` and `HTTPServer`. A text may have their words
#: apart.
_JOINED: Final = re.compile(r"^(?=.*[a-z])[A-Z][A-Za-z0-9]*[A-Z]")
#: Plurals of abbreviations, such as `PDFs`. Stemmers keep the `s` after consonants, so `PDF` is
#: another term.
_ABBREVIATIONS: Final = re.compile(r"^([A-Z]{2,})s$")
_LEAST_INSIDE: Final = 3  # letters of an abbreviation that also counts inside another word
_BETWEEN: Final = dict.fromkeys(map(ord, " \t\r\n_-.,'’"))
#: Scripts without spaces, whose terms are pairs of characters: whole words cannot be found.
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\ud7ff]")
#: Words with variant spellings, which stemmers do not unify. Without the limit of 60 letters, a
#: long word would take quadratic time.
_SPELLINGS: Final = re.compile(
    r"\w{2,}(?:i[sz](?:e[ds]?|ing|ation|ations|ers?)|y[sz](?:e[ds]?|ing|ers?)|ices)"
    r"|(?:cent|fib|lit|met|theat|calib)(?:re|er)s?|(?:lic|def|off|pret)en[cs]es?"
    r"|(?:catal|dial|anal)og(?:ue)?s?"
    r"|\w{0,60}(?:col|behavi|fav|hon|lab|neighb|flav|hum|endeav|rig|rum|vap)ou?r\w*"
)
#: Forms of one word, each group separated by `|`, which stemmers do not unify.
_IRREGULAR: Final = """\
begin began begun|break broke broken|bring brought|build built|buy bought|catch caught
child children|choose chose chosen|come came|criterion criteria|datum data|deal dealt|die dice
do did done|draw drew drawn|drive drove driven|fall fell fallen|feed fed|fight fought|find found
fly flew flown|foot feet|forget forgot forgotten|freeze froze frozen|get got gotten|give gave given
go went gone|good better best|grow grew grown|half halves|hear heard|hide hid hidden|hold held
index indices indexes|keep kept|know knew known|lay laid|lead led|leaf leaves|leave left|lend lent
life lives|lose lost|make made|man men|matrix matrices|mean meant|medium media|meet met|mouse mice
pay paid|person people persons|phenomenon phenomena|ride rode ridden|ring rang rung|rise rose risen
run ran|say said|schema schemata schemas|see saw seen|seek sought|sell sold|send sent|shake shook
shoot shot|show showed shown|shrink shrank shrunk|sink sank sunk|sleep slept|speak spoke spoken
spend spent|stand stood|steal stole stolen|stick stuck|strike struck|swear swore sworn
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
understand understood|vertex vertices|wake woke woken|wear wore worn|win won|woman women
write wrote written|bad worse worst|axis axes|analysis analyses|basis bases|hypothesis hypotheses
thesis theses|crisis crises|diagnosis diagnoses|parenthesis parentheses|knife knives|shelf shelves
self selves|wolf wolves|tooth teeth|goose geese|formula formulae formulas|appendix appendices
bind bound|bend bent|bite bit bitten|blow blew blown|cling clung|dig dug
eat ate eaten|fling flung|forbid forbade forbidden|forgive forgave forgiven|grind ground|hang hung
light lit|overwrite overwrote overwritten|rewrite rewrote rewritten|rebuild rebuilt|reset resets
resend resent|rerun reran|sing sang sung|sit sat|slide slid|spin spun|spring sprang sprung
sweep swept|swim swam swum|swing swung|undo undid undone|unwind unwound|weave wove woven
wind wound"""


class _Asked(msgspec.Struct, frozen=True):
    """A word of the question. An `exact` word counts only as a whole; any other word also counts if
    one of its parts is found. A name of `joined` words counts as a whole, or if the index has all
    of them. If it is not `certain`, the text may have it in a form that the analyser does not
    know. `singular` is the abbreviation, in lower case, of a plural such as `PDFs`, "" for
    others."""

    text: str
    stems: frozenset[str]
    whole: str
    exact: bool
    certain: bool
    plain: bool
    joined: bool = False
    singular: str = ""


def find_absent(
    question: str,
    shown: Sequence[Candidate],
    contexts: Sequence[Context | None],
    counts: Mapping[str, TermCounts],
    collections: Sequence[Searchable],
    terms: Terms,
    *,
    apart: bool = False,
    english: bool = True,
) -> AbsentTerms:
    """Return the words of the question that no chunk of any collection has, and those that only the
    shown passages lack. Each word is written as in the question, in its order.

    A word is found in every form that the analyser treats as equal: another inflection, a part of a
    name, another spelling of a name. A word is never reported as absent from the index if it may
    have forms that the analyser does not know. If the question is not `english`, these are its
    first word and all words in lower case (German *steigen* and *stieg*). Nor is any word reported
    so if a collection has no term counts. Then words are only reported as missing from the
    passages. Common words, and plain words of unknown frequency, are left out of that list. The
    cost is one pass over the passages.

    `counts` are by collection, those of whole collections (`counted`). For a caller who is kept
    `apart` from others, they only tell which of the `unseen_terms` are in chunks that the caller
    may read, and frequencies count as unknown.
    """
    asked = list(_asked(question, terms, english))
    known = bool(counts) and all(one.spec.name in counts for one in collections)
    passages = _Passages(shown, contexts, terms)
    index: list[str] = []
    evidence: list[str] = []
    for one in asked:
        if one.text.isdigit() and len(one.text) == 1:
            continue
        there = [_frequency(one, each, counts) for each in collections] if known else []
        if passages.have(one):
            continue
        if there and one.certain and not any(number for number, _ in there):
            index.append(one.text)
        elif shown and _telling(one, () if apart else there):
            evidence.append(one.text)
    return AbsentTerms(tuple(index[:_MOST_NAMED]), tuple(evidence[:_MOST_NAMED]))


def unseen_terms(
    question: str,
    shown: Sequence[Candidate],
    contexts: Sequence[Context | None],
    collection: Searchable,
    terms: Terms,
    *,
    english: bool = True,
) -> tuple[int, ...]:
    """Return the ids of the terms that decide which words of the question `find_absent` calls
    absent from the index: those of the words that these passages lack, in the order of the
    question."""
    passages, encode = _Passages(shown, contexts, terms), collection.sparse.encode_query
    ids: dict[int, None] = {}
    for one in _asked(question, terms, english):
        if one.certain and not passages.have(one):
            ids |= dict.fromkeys(encode(one.text).indices)
            if one.exact:
                ids |= dict.fromkeys(encode(_parts(one.text)).indices)
    return tuple(ids)


def has_unknown_part(
    name: str, counts: Mapping[str, TermCounts], collections: Sequence[Searchable]
) -> bool:
    """Return whether no chunk has one of the words of a name in the question, of three letters or
    more: `simpel` of `SimpelQueue`. The forms of a word are one word. False if the counts of a
    collection are unknown."""
    if not all(one.spec.name in counts for one in collections):
        return False
    return any(all(_lacks(one, word, counts) for one in collections) for word in _words_of(name))


def part_terms(name: str, collection: Searchable) -> tuple[int, ...]:
    """Return the ids of the terms whose counts `has_unknown_part` needs."""
    encoded = (collection.sparse.encode_query(word).indices for word in _words_of(name))
    return tuple(id_ for ids in encoded for id_ in ids)


def _words_of(name: str) -> list[str]:
    return [word for word in _parts(name).split() if len(word) >= _LEAST_PART]


def _lacks(collection: Searchable, word: str, counts: Mapping[str, TermCounts]) -> bool:
    ids = collection.sparse.encode_query(word).indices
    having = counts[collection.spec.name].having
    return bool(ids) and not any(having.get(one, 0) for one in ids)


def _asked(question: str, terms: Terms, english: bool) -> Iterable[_Asked]:
    seen: set[str] = set()
    words = _ASCII_WORD if question.isascii() else _MARKED_WORD
    for match in list(words.finditer(question))[:_MOST_WORDS]:
        text = match[0].rstrip("'’")
        for ending in ("'s", "’s"):
            text = text.removesuffix(ending)
        stems = terms(text)
        if not stems or text.casefold() in seen or _UNSPACED.search(text):
            continue
        seen.add(text.casefold())
        like_code = _CODE.search(text) is not None
        several = _ABBREVIATIONS.match(text)
        singular = several[1].lower() if several else ""
        joined = not (like_code or singular) and _JOINED.search(text) is not None
        exact = like_code or joined
        low = text.casefold()
        known = low not in _irregular() and not _SPELLINGS.fullmatch(low)
        plain = text.isalpha() and text.islower()
        familiar = english or (text[0].isupper() and bool(question[: match.start()].strip()))
        known = known and (not singular or singular in stems)
        certain = exact or (known and familiar and not low[0].isdigit())
        yield _Asked(text, stems, _joined(text), exact, certain, plain, joined, singular)


def _joined(text: str) -> str:
    return same_letters(text).translate(_BETWEEN)


def _parts(text: str) -> str:
    return " ".join(part.lower() for part in words_of(text))


def counted(rankings: Sequence[Ranking]) -> dict[str, TermCounts]:
    """Return the counts of the question's own terms in whole collections, by collection."""
    return {
        one.collection: one.counted
        for one in rankings
        if one.counted is not None and one.wording == 0
    }


def _frequency(
    one: _Asked, collection: Searchable, counts: Mapping[str, TermCounts]
) -> tuple[int, int]:
    """The number of chunks with the word, and the number of all chunks."""
    of = counts[collection.spec.name]
    encode = collection.sparse.encode_query
    ids = set(encode(one.text).indices)
    if one.exact:
        parts = set(encode(_parts(one.text)).indices)
        ids = ids - parts or ids
        if one.joined and all(of.having.get(each, 0) for each in parts):
            ids |= parts
    return max((of.having.get(each, 0) for each in ids), default=0), of.chunks


def _telling(one: _Asked, there: Sequence[tuple[int, int]]) -> bool:
    """Is the absence of this word from the passages informative?"""
    if not there:
        return not one.plain
    chunks = sum(of for _, of in there)
    return sum(having for having, _ in there) <= max(_LEAST_COMMON, _COMMON * chunks)


class _Passages:
    """The letters of the passages without marks and separators. Substring search in them is about
    ten times faster than analysing all text, and finds a word inside of another one. The text is
    analysed only for a word of another script than Latin that is not found so, because its stem
    may have other letters: Arabic أحمد and احمد."""

    def __init__(
        self, shown: Sequence[Candidate], contexts: Sequence[Context | None], terms: Terms
    ) -> None:
        around = [one.text for one in contexts if one is not None]
        self._texts, self._terms = [*map(_text, shown), *around], terms
        self._found: frozenset[str] | None = None
        self._letters = "".join(map(_joined, self._texts))  # to fold an ASCII text is much faster

    def have(self, one: _Asked) -> bool:
        """Does any of these texts have the word in one of its forms?"""
        if one.whole in self._letters:
            return True
        if one.exact:
            return False
        if one.singular:
            return self._have_abbreviation(one.singular)
        forms = _irregular().get(one.text.casefold(), ())
        stems = (stem[:-1] if stem.endswith("i") else stem for stem in one.stems)  # tries: tri, try
        if any(each in self._letters for each in (*forms, *stems)):
            return True
        return not one.whole.isascii() and not one.stems.isdisjoint(self._analysed())

    def _have_abbreviation(self, singular: str) -> bool:
        if len(singular) >= _LEAST_INSIDE:
            return singular in self._letters
        whole = re.compile(rf"(?<![^\W_]){singular}(?![^\W_])", re.IGNORECASE)
        return any(whole.search(text) for text in self._texts)

    def _analysed(self) -> frozenset[str]:
        if self._found is None:
            self._found = self._terms("\n".join(self._texts))
        return self._found


def _text(one: Candidate) -> str:
    chunk = one.chunk
    parts = (chunk.path, chunk.title, *chunk.headings, *chunk.symbols, chunk.read_as)
    return "\n".join((*parts, chunk.text if chunk.plain else ""))


@cache
def _irregular() -> Mapping[str, tuple[str, ...]]:
    """Map each irregular form, also with the endings s and ing, to all forms of its word."""
    groups = [group.split() for line in _IRREGULAR.split("\n") for group in line.split("|")]
    return {
        written: tuple(group)
        for group in groups
        for form in group
        for written in (form, f"{form}s", f"{form}ing", f"{form.removesuffix('e')}ing")
    }
