"""Sentences in other words, and sentences that are made wrong: by rules, drawn from a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pincite.answering.check.names import names_in

#: What is done to a sentence: with a source of chance, a sentence of another document, and the
#: sentences of its passage. None where it cannot be done.
Way = Callable[[str, random.Random, str, Sequence[str]], str | None]

_NUMBER: Final = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-]|\.\d)")
_AUXILIARY: Final = re.compile(
    r"\b(?:is|are|was|were|can|could|will|would|should|must|may|might|does|do|did|has|have)\b"
)
_NEGATED: Final = re.compile(r"\b(?:not|never)\s|(?<=can)not\b|n['’]t\b|\bwithout\b", re.IGNORECASE)
_PLAIN: Final = re.compile(r"(?<![\w.`/:-])[a-z]+(?![\w`/:-]|\.\w)")
_WORDS: Final = "zero one two three four five six seven eight nine ten eleven twelve".split()
#: Words that mean the same, or nearly, wherever they stand.
_ALIKE: Final = dict(
    pair.split("/")
    for pair in (
        "use/utilise shows/demonstrates show/demonstrate large/big allows/lets enables/lets"
        " help/assist create/make creates/makes provides/offers provide/offer"
        " start/begin starts/begins"
        " ensure/guarantee multiple/several various/different require/need requires/needs"
        " obtain/get example/instance increase/rise increased/raised decreased/lowered"
        " reduce/lower reduces/lowers significant/considerable significantly/considerably"
        " important/essential however/though also/too method/technique approach/way result/outcome"
        " results/outcomes specific/particular specify/state specified/stated execute/run"
        " executes/runs check/verify define/describe defines/describes defined/described"
        " contains/holds contain/hold return/give returns/gives returned/given main/chief"
        " often/frequently usually/mostly quickly/fast suggest/indicate suggests/indicates"
        " observed/seen associated/linked demonstrate/prove common/usual complete/whole"
        " within/inside via/through whether/if such/like when/whenever because/as many/numerous"
    ).split()
)


def reworded() -> Mapping[str, Way]:
    """Ways to say the same otherwise."""
    return {
        "numbers in another form": _other_numbers,
        "words that mean the same": _synonyms,
        "contractions": _contractions,
        "a clause moved": _moved,
        "a part left out": _left_out,
        "two sentences joined": _joined,
    }


def _other_numbers(sentence: str, *_: object) -> str | None:
    def other(match: re.Match[str]) -> str:
        digits = match[0].replace(",", "")
        if digits.isdigit() and 1 < int(digits) <= 12:
            return _WORDS[int(digits)]
        if digits.isdigit() and len(digits) > 4:
            return f"{int(digits):,}" if "," not in match[0] else digits
        return match[0]

    said = _NUMBER.sub(other, sentence)
    return re.sub(r"(\d)\s?%", r"\1 percent", said)


def _synonyms(sentence: str, *_: object) -> str:
    return _PLAIN.sub(lambda match: _ALIKE.get(match[0], match[0]), sentence)


def _contractions(sentence: str, *_: object) -> str:
    said = re.sub(r"\b(do|does|did|is|are|was|were|would|should|could) not\b", r"\1n't", sentence)
    said = re.sub(r"\b(?:cannot|can not)\b", "can't", said)
    return said if said != sentence else re.sub(r"\b(\w+)n['’]t\b", _spelled_out, sentence)


def _spelled_out(match: re.Match[str]) -> str:
    return {"ca": "cannot", "wo": "will not"}.get(match[1].lower(), f"{match[1]} not")


def _moved(sentence: str, *_: object) -> str | None:
    head, comma, tail = sentence.rstrip(".").partition(", ")
    if not comma or len(head) < 15 or len(tail) < 25 or "," in tail:
        return None
    return f"{tail[0].upper()}{tail[1:]}, {head[0].lower()}{head[1:]}."


def _left_out(sentence: str, *_: object) -> str:
    said = re.sub(r"\s\([^()]*\)", "", sentence)
    return re.sub(r"\b(?:very|also|simply|easily|additionally|furthermore)\b,?\s", "", said)


def _joined(sentence: str, drawn: random.Random, _: str, texts: Sequence[str]) -> str | None:
    others = [one for one in texts if one != sentence and 30 < len(one) < 300 and one[-1] == "."]
    if not others:
        return None
    other = drawn.choice(others)
    return f"{sentence.rstrip('.')}, and {other[0].lower()}{other[1:]}"


def _number(sentence: str, drawn: random.Random, *_: object) -> str | None:
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return None
    one = drawn.choice(found)
    places = [n for n, sign in enumerate(one[0]) if sign.isdigit()]
    at = drawn.choice(places)
    digit = drawn.choice([sign for sign in "123456789" if sign != one[0][at]])
    wrong = f"{one[0][:at]}{digit}{one[0][at + 1 :]}"
    return f"{sentence[: one.start()]}{wrong}{sentence[one.end() :]}"


def _name(sentence: str, drawn: random.Random, other: str, _: Sequence[str]) -> str | None:
    own, theirs = names_in(sentence), [one.written for one in names_in(other)]
    theirs = [one for one in theirs if one.lower() not in sentence.lower()]
    if not own or not theirs:
        return None
    one, wrong = drawn.choice(own), drawn.choice(theirs)
    return f"{sentence[: one.start]}{wrong}{sentence[one.start + len(one.written) :]}"


def _negation(sentence: str, drawn: random.Random, *_: object) -> str | None:
    said = _NEGATED.search(sentence)
    if said is not None:
        kept = "with" if said[0].lower() == "without" else ""
        return f"{sentence[: said.start()]}{kept}{sentence[said.end() :]}"
    found = list(_AUXILIARY.finditer(sentence))
    if not found:
        return None
    at = drawn.choice(found).end()
    return f"{sentence[:at]} not{sentence[at:]}"


#: What is done to a sentence so that its passage does not say it.
SPOILT: Final[Mapping[str, Way]] = {
    "number": _number,
    "name": _name,
    "negation": _negation,
    "passage": lambda sentence, *_: sentence,
    "foreign": lambda sentence, *_: sentence,
}
