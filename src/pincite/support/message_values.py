"""Find the values that a copied message fills in: `/tmp/a.db` and `17` in `cannot open /tmp/a.db
(17)`. The program that raises the message has its other words only."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from pincite.support.late_patterns import late_pattern

#: Paths from a root, addresses, and numbers with what is joined to them. `2.0` and `3.11.1` are
#: versions, which a text is about; `read/write` and `utf-8` are words.
_VALUE: Final = late_pattern(
    r"(?<![\w/.-])(?:"
    r"[A-Za-z][\w+.-]{0,20}://[^\s'\"`<>\])]{1,500}"
    r"|(?:~|\.\.?)?/[^\s'\"`<>\])]{1,500}"
    r"|[A-Za-z]:[\\/][^\s'\"`<>\])]{1,500}"
    r"|\d+\.\d+\.\d+\.\d+(?::\d+)?\b"
    r"|\d\w*+(?>(?:[:-]\d\w*+)*)(?!\.\d)"
    r")"
)
#: The beginning of a question. Its numbers say what it is about.
_ASKS: Final = late_pattern(
    r"\W*(?:how|what|when|where|which|who|whose|why|can|could|does?|did|should|is|are)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")
_RUN: Final = 3  # consecutive words that count as copied; two fit many texts
_LEAST: Final = 0.33  # of the words; the rest may be the kind of the error, or words as values
_LETTERS, _TELLING = 4, 2  # letters of a word that tells, and such words in a run
_MOST: Final = 100  # words of a message that are compared


class Message:
    """A text that may be a copied message, `without_values`: the same text, with a gap for each
    value; "" if it has none, no other word, or begins like a question."""

    def __init__(self, text: str) -> None:
        gapped = "" if _ASKS.match(text) else _VALUE.sub("\n", text)
        self.without_values = gapped if gapped != text and _WORD.search(gapped) else ""
        self._text = self.without_values.lower()
        words = list(islice(_WORD.finditer(self._text), _MOST))
        self._words = [one.span() for one in words]
        self._telling = [len(one[0]) >= _LETTERS and not one[0].isdigit() for one in words]

    def is_in(self, text: str) -> bool:
        """Return whether the text has the message literally, up to case: at least a third of its
        words, in runs of three or more that no value interrupts. Two words of a run must have four
        letters: `must be in` and `http/1.1` are in many texts."""
        text, count, first = text.lower(), 0, 0
        while first + _RUN <= len(self._words):
            after = first + _RUN
            if not self._between(first, after, text):
                first += 1
                continue
            while after < len(self._words) and self._between(first, after + 1, text):
                after += 1
            if sum(self._telling[first:after]) >= _TELLING:
                count += after - first
            first = after
        return count > 0 and count >= _LEAST * len(self._words)

    def _between(self, first: int, after: int, text: str) -> bool:
        piece = self._text[self._words[first][0] : self._words[after - 1][1]]
        return "\n" not in piece and piece in text
