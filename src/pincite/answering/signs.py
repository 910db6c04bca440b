"""Is a number negative? A dash before it may be a minus, the mark of an option or of a list."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_BEFORE: Final = 20  # characters that may have a sign
_DASHES: Final = ("-", "−", "–", "`")
_SIGN: Final = re.compile(
    r"(?:(?:[=:|<>≤≥([]|\b(?:is|are|was|were|be|at|of|to|by|from|than|below|above|between|equals?"
    r"|returns?|returned|reach(?:es|ed)?))[ \u00a0]|[(\[=])[-−]\Z|\b(?:minus|negative)\s\Z",
    re.IGNORECASE,
)
#: With these words a number may be negative without a sign.
_BELOW_ZERO: Final = re.compile(
    r"\b(?:below|loss|los[et]|drop|decrease|decreasing|declin|fall|fell|reduc|negative|minus|lower|less"
    r"|down|under|deficit|shr[aiu]nk|behind|before|debit|ow[en]|discount|off\b|rebate|save|saving"
    r"|cheaper|cuts?\b|cutting|deduct|subtract|refund|markdown|earlier|ago\b|frost|freeze|freezing)",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"`[^`\n]{1,300}`")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ENGLISH: Final = frozenset(
    "the is are of and to with for by this that it from has or you not be which will".split()
)
#: Words of other languages that mean nothing in English prose.
_FOREIGN: Final = frozenset(
    (
        "der das und ein eine im von auf für nicht sich zu sind bei gibt la les du une dans"
        " pour sur avec pas que el los las un una por para della sono nel het een voor niet zijn"
        " bij aan och att det av til ikke dos uma não nie"
    ).split()
)
_MICRO: Final = ("µ", "μ", "µs", "μs")


def signs_of(text: str) -> Callable[[int], str]:
    """The sign of a number by where it starts in the text: "-", empty, or "?" where it is not sure.
    Nothing is sure within code spans and in a text that is not clearly English."""
    english = _english(text)
    unsigned = "?" if not english or _BELOW_ZERO.search(text) else ""
    code = bytearray(len(text) + 1)
    for match in _CODE.finditer(text):
        code[match.start() : match.end()] = b"\1" * len(match[0])

    def sign(at: int) -> str:
        before = text[max(0, at - _BEFORE) : at]
        if _SIGN.search(before):
            return "-" if english and not code[at] else "?"
        return "?" if before.endswith(_DASHES) else unsigned

    return sign


def _english(text: str) -> bool:
    """Does nothing, or less than what is English, look like another language?"""
    english = foreign = 0
    for match in _WORD.finditer(text):
        word = match[0].lower()
        english += word in _ENGLISH
        foreign += word in _FOREIGN or not (word.isascii() or word in _MICRO)
    return not foreign or english > foreign
