"""Signs of numbers: minus signs, dashes of options and lists, and words ("fell by 5" is -5)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Final

from pincite.answering.check.numbers.languages import Language
from pincite.answering.sentences.split import split
from pincite.answering.sentences.verbatim import in_backticks

_BEFORE: Final = 24  # characters before a number in which a sign is searched for
_DASHES: Final = ("-", "−", "–", "`")
#: After such a word or sign, a minus is a sign. English, German, French, Spanish, Italian, Dutch.
_SIGN: Final = re.compile(
    r"(?:(?:[=:|<>≤≥([]|\b(?:is|are|was|were|be|at|of|to|by|from|than|below|above|between|equals?"
    r"|returns?|returned|reach(?:es|ed)?|ist|sind|waren|es|bei|von|auf|um|bis|zwischen|beträgt|betrug"
    r"|liegt|lag|liefert|ergibt|est|sont|était|étaient|de|à|vaut|renvoie|retourne|entre|atteint|son"
    r"|era|eran|fue|devuelve|vale|è|sono|erano|di|da|tra|fra|restituisce|zijn|waren|van|op|tot"
    r"|tussen|bedraagt|geeft))[ \u00a0]|[(\[=])[-−]\Z"
    r"|\b(?:minus|negativ\w{0,2}|moins|menos|meno)\s\Z",
    re.IGNORECASE,
)
#: With these words in the same sentence, a number without a sign may be negative, in the same
#: languages.
_CHANGE: Final = re.compile(
    r"\b(?:loss|los[et]\b|losing|drop|decrease|decreasing|declin|fall|fell\b|reduc|negati|minus|deficit|shr[aiu]nk"
    r"|debit|ow(?:e[sd]?|ing)\b|debts?\b|discount|rebate|saves?\b|saved|savings?\b|cheap|cuts?\b|cutting"
    r"|deduct|subtract|refund|markdown|frost|freeze|freezing|contract(?:ed|ion|ing)|contracts\sby|s[aiu]nk"
    r"|sinks|slip(?:s|ped)?\b|plung|plummet|slid(?:es?|ing)?\b|tumbl|dip(?:s|ped)?\b|overdra|overspen"
    r"|shortfall|lag(?:s|ged)?\b|crash(?:es|ed)\b|collapse|weaken|eased\b|shed\b|erod|retreat|reced"
    r"|diminish|slump|withdr|spen[dt]|cold|worse|price\scut|off\b"
    r"|unter\b|rückgang|verl[ou][rs]|negativ|weniger|rabatt|nachlass|günstig|billig|schuld|defizit"
    r"|ab(?:nahme|genommen|zug|zügl)|reduzi|verringer|kälte|schrumpf|geschrumpft|einbu|gefallen|fiel"
    r"|sank|sinkt|gesunken|ermäßig|spar(?:t|en)|ersparnis|niedriger|guts?chr"
    r"|baiss|recul|chut|pert[es]|perd|moins|négati|diminu|rédui|réduction|remise|rabais|dessous|déficit"
    r"|dette|gel\b|inférieur|économi|repli|solde"
    r"|baj[aóo]|caíd|cay[óe]|pérdid|perdi|menos|disminu|descuento|rebaj|deuda|déficit|inferior"
    r"|contraj|helad|descen|retroc|ahorr"
    r"|cal[oòi]\b|calat|perdit|pers[oa]\b|meno\b|ridu[czr]|ridott|scont|sotto|debit|gelo|scend|sces|risparm"
    r"|ribass|contra[ez]"
    r"|daal|dalin|gedaald|verlie|verloor|minder|korting|onder|tekort|kromp|gekromp|afnam|afgenom"
    r"|vorst|vriest|goedkop|bespaar|zakt|gezakt)",
    re.IGNORECASE,
)
#: Words that have the same meaning only directly beside a number: 5 degrees below, level 9, 63 BC.
_NEAR: Final = re.compile(
    r"\b(?:below|under|down|lower|less|fewer|more|behind|beneath|deep|underwater|by|um|levels?|options?|flags?"
    r"|switch|signals?|south|west|BCE?|v\.\s?Chr|av\.\s?J|[SW])\b"
    r"|\b(?:[smhd]|ms|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?|months?|years?)\s(?:before|earlier"
    r"|ago|early|late|behind|slow|short)\b"
)
_AROUND: Final = 120  # characters of its sentence on each side that are read
_WORDS_BETWEEN: Final = 2
_BESIDE: Final = 40  # characters between the word and the number, at most
_OPTION: Final = re.compile(r"\[[-−]\Z")
_CLOSED: Final = re.compile(r"\w{1,9}\]")
_WORD: Final = re.compile(r"\w+")


def signs_of(text: str, language: Language) -> Callable[[int], str]:
    """Return a function from the start of a number in the text to its sign: "-", "", or "?" if it
    is uncertain. A minus within a code span is uncertain, and every sign in a language whose words
    are not known."""
    if language == "unknown":
        return lambda _: "?"
    sentences = split(text)
    starts = [one.start for one in sentences]
    changes = [one.start() for one in _CHANGE.finditer(text)]
    near = [one.span() for one in _NEAR.finditer(text)]
    code = bytearray(len(text) + 1)
    for start, end in in_backticks(text):
        code[start:end] = b"\1" * (end - start)

    def changes_at(at: int) -> bool:
        place = bisect_right(starts, at) - 1
        first, last = max(0, at - _AROUND), at + _AROUND
        if place >= 0:
            first = max(first, sentences[place].start)
        if place + 1 < len(starts):
            last = min(last, starts[place + 1])
        if bisect_left(changes, first) < bisect_left(changes, last):
            return True
        place = bisect_left(near, (at, at))
        beside = near[max(0, place - 1) : place + 1]
        return any(first <= one[0] < last and _beside(text, at, *one) for one in beside)

    def sign(at: int) -> str:
        before = text[max(0, at - _BEFORE) : at]
        if _SIGN.search(before):
            option = _OPTION.search(before) and _CLOSED.match(text, at)
            return "?" if code[at] or option else "-"
        return "?" if before.endswith(_DASHES) or changes_at(at) else ""

    return sign


def _beside(text: str, at: int, start: int, end: int) -> bool:
    """Return whether only a few words are between a word, from `start` to `end`, and the number at
    `at`."""
    between = text[end:at] if end <= at else text[at:start]
    if len(between) > _BESIDE:
        return False
    # The number and its unit begin at `at`, so two more words may follow.
    return len(_WORD.findall(between)) <= _WORDS_BETWEEN + (0 if end <= at else 2)
