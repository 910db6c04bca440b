"""Detect follow-up questions and their subject, with rules instead of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from pincite.providers.sparse.analyser import Analyser
from pincite.providers.sparse.language import UNKNOWN, guess_language

#: Words that refer to something mentioned before.
POINTING: Final = {
    "english": """it its itself they them their theirs he him his she her hers this that these those
        there one ones such both another other others else same former latter again
        instead too later""",
    "german": """er sie es ihn ihm ihr ihre ihren ihrer sein seine seinen seiner dies diese diesen
        dieser dieses jene jener dort da davon dafür damit dabei daran darüber das dessen deren
        andere anderen solche beide""",
    "french": """il elle ils elles lui leur leurs son sa ses ce cela ça cet cette ces celui celle
        ceux celles y en autre autres""",
    "spanish": """él ella ellos ellas ello su sus esto eso esta este estos estas ese esa esos esas
        aquel aquella otro otra otros otras allí""",
    "italian": """esso essa essi esse lui lei loro suo sua suoi sue questo questa questi queste
        quello quella quelli quelle ciò altro altra altri ne""",
    "portuguese": """ele ela eles elas seu sua seus suas isto isso este esta esse essa esses essas
        aquele aquela outro outra outros outras""",
    "dutch": """hij zij ze het hem haar zijn hun dit dat deze die daar ervan ervoor andere""",
}
#: Beginnings of questions that continue the conversation.
GOING_ON: Final = {
    "english": "and|but|so|or|also|then|what about|how about|what if|what else|why not",
    "german": "und|aber|also|oder|auch|dann|was ist mit|wie ist es mit|was wenn|was noch",
    "french": "et|mais|donc|ou|aussi|alors|qu['’]en est-il|et si|quoi d['’]autre",
    "spanish": "y|pero|entonces|o|también|qué tal|y si|qué más",
    "italian": "e|ma|quindi|allora|o|anche|che ne dici|e se|cos['’]altro",
    "portuguese": "e|mas|então|ou|também|e se|que mais",
    "dutch": "en|maar|dus|of|ook|dan|hoe zit het met|wat als|wat nog",
}
_GOES_ON: Final = {
    name: re.compile(rf"[\W_]*(?:{words})\b", re.IGNORECASE) for name, words in GOING_ON.items()
}
_POINTS: Final = {name: frozenset(words.split()) for name, words in POINTING.items()}
_POINTING_SIGNS: Final = re.compile("[它他她牠祂这那這其此]")
#: Words of questions that say nothing about the subject.
_ASKING: Final = """
    tell describe explain give show list mention say know think mean meaning difference different
    similar compare comparison versus type kind sort example effect cause caused reason pros cons
    advantage disadvantage benefit importance important popular famous best better worst good bad
    main major common commonly known history origin work working use used using make made much
    long often start started begin began happen happened change changed come came go got get take
    took look looking like want need name called term first last new old big large largest biggest
    great more most less least way thing people person role significance relate related
    relationship time year today currently now interesting information fact aspect article
    addition besides any anything something other also ever still done able possible feature key
    characteristics impact impacted affect ok okay please yes no hello thanks really find found
    learn question answer part place event topic detail
    """
#: Beginnings of questions for a definition, which name their subject: "what is BM25?". "What is the
#: price?" does not say of what, nor do "what is required?" and "what are symptoms?", unless they
#: have a name. Measured in English only: decision 0032.
_DEFINES: Final = re.compile(
    r"[\W_]*(?:what|who)(?:['’]s| is| was|(?P<many> are| were)) (?:an? )?(?!(?:the|next|missing"
    r"|required|wrong|included|responsible|eligible|different|important|possible)(?![.-]?\w))",
    re.IGNORECASE,
)
_CODED: Final = re.compile(r"\w[A-Z]|\d")  # only names have inner capitals or digits
_NAMED: Final = 2  # most words of the subject of such a question
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEW: Final = 3  # informative words; most questions with fewer leave their subject out

# Tuned on every second topic of CAsT 2019 (F1 of the words that people add, .559), and checked once
# on the others and on CANARD: decision 0032. The weight of a turn falls by DECAY with each one
# after it, but that of the first not below FIRST; a turn that refers back itself counts less, and
# so do answers, which are long. Names count more.
_DECAY: Final = 0.8
_FIRST: Final = 0.8
_POINTS_BACK: Final = 0.8
_ANSWERS: Final = 0.3
_NAMES: Final = 1.5
_NEAR: Final = 0.6  # of the best weight; words with less are left out
MOST_TERMS: Final = 4


@dataclass(frozen=True, slots=True)
class SaidBefore:
    """A text of the conversation. An `answer` is not by the user. The `first` text begins the
    conversation."""

    text: str
    answer: bool = False
    first: bool = False


def points_back(question: str, language: str) -> bool:
    """Return whether the question needs the earlier texts: it continues them, it has a word that
    refers to them, or it has too few informative words of its own. A question for a definition
    needs one such word."""
    going_on = _GOES_ON.get(language)
    if _has_pointer(question, language) or (going_on and going_on.match(question)):
        return True
    words = _informative(question, language)
    count = sum(_words_in(word, terms) for _, word, terms in words)
    return count < (1 if _asks_what_it_is(question) else _FEW)


def _asks_what_it_is(question: str) -> bool:
    found = _DEFINES.match(question)
    if found is None:
        return False
    named = question[found.end() :]
    if found["many"] and not _CODED.search(named):
        return False
    return 1 <= len(named.split()) <= _NAMED


def _words_in(unit: str, terms: Sequence[str]) -> int:
    """Return 1, or for scripts without spaces between words the number of terms."""
    cased = unit.lower() != unit.upper()
    return 1 if cased or unit.isascii() else len(terms)


def subject_terms(
    question: str, said: Sequence[SaidBefore], language: str, most: int = MOST_TERMS
) -> tuple[str, ...]:
    """Return the words of the earlier texts that the question is probably about and does not have.
    `said` is sorted oldest first. The words are those with the largest sums of the weights of their
    turns; ties go to the earlier word. They are returned as written, in the order of the
    conversation."""
    own = {term for _, _, terms in _informative(question, language) for term in terms}
    weights: dict[str, float] = {}
    places: dict[str, tuple[int, int, str]] = {}
    for number, one in enumerate(said):
        weight = _weight(one, len(said) - 1 - number, language)
        for start, word, key in _distinct(one.text, language, own):
            name = start > 0 and word[:1].isupper()
            weights[key] = weights.get(key, 0.0) + weight * (_NAMES if name else 1.0)
            places.setdefault(key, (number, start, word))
    if not weights:
        return ()
    least = _NEAR * max(weights.values())
    near = [key for key, weight in weights.items() if weight >= least]
    best = sorted(near, key=lambda key: (-weights[key], places[key]))[:most]
    return tuple(place[2] for place in sorted(places[key] for key in best))


def language_of(texts: Iterable[str]) -> str:
    """Return the language of a conversation, English if it is unknown, as in a few words among
    names of code."""
    found = guess_language(" ".join(texts))
    return "english" if found == UNKNOWN else found


def content_terms(texts: Iterable[str], language: str) -> frozenset[str]:
    """Return the terms of texts, as keyword search has them."""
    analyser = _analyser(language)
    return frozenset(term for text in texts for term in analyser.terms(text))


def _weight(one: SaidBefore, later: int, language: str) -> float:
    weight = _DECAY**later
    if _has_pointer(one.text, language):
        weight *= _POINTS_BACK
    if one.first:
        return max(weight, _FIRST)
    return weight * _ANSWERS if one.answer else weight


def _has_pointer(text: str, language: str) -> bool:
    words = {found[0].casefold() for found in _WORD.finditer(text)}
    pointing = _POINTS.get(language, frozenset())
    short = {re.split("['’]", word)[0] for word in words}
    return bool(short & pointing) or _POINTING_SIGNS.search(text) is not None


def _distinct(text: str, language: str, own: set[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the start, the word and the term of each informative word that the question does not
    have, once each."""
    seen = set(own)
    for start, word, terms in _informative(text, language):
        if terms[0] not in seen:
            seen.add(terms[0])
            yield start, word, terms[0]


def _informative(text: str, language: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    asking = _asking()
    for start, end, terms in _analyser(language).units(text):
        if terms and not asking.issuperset(terms):
            yield start, text[start:end], terms


@cache
def _analyser(language: str) -> Analyser:
    return Analyser(language)


@cache
def _asking() -> frozenset[str]:
    return frozenset(Analyser("english").terms(_ASKING))
