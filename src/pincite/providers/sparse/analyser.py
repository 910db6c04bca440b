"""Turn text into terms for keyword search.

Text is cut into pieces, and each distinct piece is turned into its terms once
(`Analyser.terms_of`) and then looked up. A piece of ASCII is a run of the characters that units may
contain; it usually is one unit, perhaps with a full stop. Other text is cut by a regular expression
into its units. A unit is one of

- a word with its inner dots, hyphens, underscores and apostrophes, such as `os.path.join`,
  `no-cache-dir`, `getUserName`, `2.13.0`: it gives its names whole (joined and in lower case, so
  that `getUserName`, `get_user_name` and `get-user-name` meet) *and* their parts;
- `C++`, `C#` and their like, whole;
- a run of a script that puts no spaces between words: it gives pairs of characters
  and, of ideographs, also the single ones.

Terminal escape sequences are read as blanks. Words are stemmed, function words are dropped, accents
are folded after stemming. Other characters, such as emoji and punctuation, give no terms. Time is
linear in the text: units that are too long to be words are cut before they are split.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise
from string import ascii_letters, digits
from threading import Lock
from typing import Final

from pincite.providers.sparse.escapes import without_escapes
from pincite.providers.sparse.function_words import FUNCTION_WORDS
from pincite.providers.sparse.languages import STEMMED, UNSPACED
from pincite.support.folding import MARKS, fold_marks
from pincite.support.late_patterns import late_pattern
from pincite.support.remembered import Remembered

#: Part of every fingerprint: raise it whenever a text without ESC may give other terms. Every index
#: must then be rebuilt. Indexes of version 1 from before escape sequences were read as blanks have
#: other terms only for words next to such sequences.
ANALYSER_VERSION: Final = 1

# Han, kana, Hangul, Thai, Lao, Myanmar, Khmer, Tai, Javanese. Hangul has spaces, but particles are
# attached to its words: pairs of syllables are the common solution.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u3005\u3007"
    "\u3040-\u312f\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua9df"
    "\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
_LETTERS: Final = rf"[^\W{_UNSPACED}]"
_WORD: Final = rf"{_LETTERS}+(?:[{MARKS}]+{_LETTERS}*)*"
_SHARP: Final = r"[A-Za-z](?:\+\+|\#)(?!\w)"
#: The part of `_UNIT` for ASCII. Compiling the whole takes 10 ms, a tenth of a warm search.
_NAMES: Final = r"[A-Za-z0-9_]++(?>(?:[.'\-][A-Za-z0-9_]++)*)"
_ASCII_UNIT: Final = re.compile(rf"{_SHARP}|{_NAMES}")
_ASCII_NAMES: Final = re.compile(_NAMES)  # the same where there is no `C#` or `C++`, and faster
_SHARP_SIGN: Final = re.compile(r"\#(?<=[A-Za-z]\#)")
_OF_UNITS: Final = frozenset(f"{ascii_letters}{digits}_.'-")
#: Replace the characters that no unit contains by blanks. To cut a text with it takes half the time
#: of a regular expression (docs/decisions/0094).
_BLANKS: Final = {n: " " for n in range(128) if chr(n) not in _OF_UNITS}
_BLANKS_BUT_SHARPS: Final = {n: " " for n in _BLANKS if chr(n) not in "+#"}
_IGNORED: Final = re.compile("[\u00ad\u200c\u200d]")

# Capitals with an s are one word (URLs); ABCWord is ABC and Word; digits are separate (utf8).
_HUMP: Final = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\WA-Z\d_]+|[A-Z]+|\d+")
_VERSION: Final = re.compile(r"[vV]?(\d+\.\d\w*)((?:\.\w+)*)((?:-\w+)*)")
_CONTRACTION: Final = re.compile(r"['’](?:s|ll|re|ve|d|m)$", re.IGNORECASE)

#: Longer units are data, not words, and are cut. A SHA-256 in hexadecimal has 64.
_UNIT_CHARS: Final = 64
#: Names with more parts than this are hashes or encoded bytes: kept whole, not split.
_PARTS: Final = 12  # guess, unmeasured
#: Distinct pieces remembered; all are forgotten together when it is full. About 10 MB.
_REMEMBERED: Final = 50_000

#: Texts whose distinct terms are cached, and the most characters of one. A search of code
#: analyses about forty passages. About 3 MB.
_TEXTS: Final = 256
_TEXT_CHARS: Final = 8_000

_IDEOGRAPH: Final = late_pattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_UNSPACED_START: Final = late_pattern(f"[{_UNSPACED}]")
_UNIT: Final = late_pattern(rf"{_SHARP}|{_WORD}(?:[.'’\-]{_WORD})*|[{_UNSPACED}]+")


def is_unspaced(unit: str) -> bool:
    """Return whether a unit is a run of a script that puts no spaces between words."""
    return not unit.isascii() and _UNSPACED_START.match(unit) is not None


def _has_sharps(text: str) -> bool:
    return "++" in text or ("#" in text and _SHARP_SIGN.search(text) is not None)


def _pattern_of(text: str) -> re.Pattern[str]:
    """Return the pattern that finds the units of a text; it is compiled in full only if needed."""
    if not text.isascii():
        return _UNIT
    return _ASCII_UNIT if _has_sharps(text) else _ASCII_NAMES


class Analyser:
    """Turn texts of one language into terms. Safe to share between threads."""

    def __init__(self, language: str = "english") -> None:
        self.language = language
        effective = "english" if language in UNSPACED else language
        self._stop = FUNCTION_WORDS.get(effective, frozenset())
        self._english = effective == "english"
        self._known = Remembered(self.terms_of, _REMEMBERED, self.keeps)
        self._stems = Remembered(self._stem, _REMEMBERED)
        self._lock = Lock()
        self._stemmer = None
        if effective in STEMMED:
            import Stemmer

            self._stemmer = Stemmer.Stemmer(effective, 0)

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text in order, with repetitions. Accepts any string."""
        return list(chain.from_iterable(map(self._known.__getitem__, self.split(text))))

    def split(self, text: str) -> list[str]:
        """Return the pieces of a text in order; each gives its terms independently."""
        text = without_escapes(text)
        if not text.isascii():
            return _UNIT.findall(text)
        return text.translate(_BLANKS_BUT_SHARPS if _has_sharps(text) else _BLANKS).split()

    def terms_of(self, piece: str) -> tuple[str, ...]:
        """Return the terms of a piece, for callers that cache them."""
        if is_unspaced(piece):
            return tuple(_pairs(piece))
        if not piece.isalnum() and (units := _inside(piece)) != [piece]:
            return tuple(chain.from_iterable(map(self._known.__getitem__, units)))
        if len(piece) > _UNIT_CHARS:
            return tuple(dict.fromkeys(self._long(piece)))
        return tuple(self._unit(piece))

    def keeps(self, piece: str) -> bool:
        """Return whether a piece is worth caching. Data and runs of unspaced scripts rarely
        recur."""
        return len(piece) <= _UNIT_CHARS and not is_unspaced(piece)

    def units(self, text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Yield the start, the end and the terms of each unit of a text."""
        text = without_escapes(text)
        for match in _pattern_of(text).finditer(text):
            yield match.start(), match.end(), self._known[match[0]]

    def _long(self, unit: str) -> list[str]:
        """Return the terms of a chain of names, each at most `_UNIT_CHARS` long."""
        names = dict.fromkeys(re.split(r"[.'’]", unit))
        return [term for name in names if name for term in self._unit(name[:_UNIT_CHARS])]

    def _unit(self, unit: str) -> list[str]:
        if unit[-1] in "+#":
            return [unit.casefold()]
        if not unit.isascii():
            unit = unicodedata.normalize("NFKC", _IGNORED.sub("", unit))
        if unit.isalpha() and (unit.islower() or unit[1:].islower()):
            return self._word(unit)
        if unit[:2].strip("vV")[:1].isdigit() and (version := _VERSION.fullmatch(unit)):
            first, rest, tail = version.groups()
            number = f"{first}{rest}{tail}".casefold()
            return [number, first] if rest else [number]
        if "'" in unit or "’" in unit:
            return self._apostrophes(unit)
        if "." not in unit:
            return self._name(unit)
        names = [name for name in unit.split(".") if name]
        if len(names) > 1 and len(unit) < 2 * len(names):  # U.S.A, e.g
            return self._word("".join(names))
        terms: list[str] = []
        for name in names:  # most of them were units before
            terms += self._known[name] if name.isascii() else self._name(name)
        if len(names) > 1:
            terms.append(fold_marks(unit.casefold()))
        return terms

    def _apostrophes(self, unit: str) -> list[str]:
        if self._english:
            unit = _CONTRACTION.sub("", unit)
            whole = re.sub("['’]", "", unit)
            return self._unit(whole) if whole else []
        pieces = [piece for piece in re.split("['’]", unit) if len(piece) > 1]
        return [term for piece in pieces for term in self._unit(piece)]

    def _name(self, name: str) -> list[str]:
        """Return the whole name and, if it has several parts, each of its parts."""
        pieces = [piece for piece in name.replace("-", "_").split("_") if piece]
        if not pieces:
            return []
        whole = "".join(pieces)
        parts = pieces
        if not (whole.islower() and whole.isalpha()):
            parts = [part for piece in pieces for part in _humps(piece)]
        names = [whole]
        if 1 < len(parts) <= _PARTS or (len(parts) == 1 and parts != pieces):
            names += parts
        return [stem for name in names if (stem := self._stems[name.casefold()])]

    def _word(self, word: str) -> list[str]:
        stem = self._stems[word.casefold()]
        return [stem] if stem else []

    def _stem(self, word: str) -> str:
        """Return the stem of a word in lower case; "" for a function word."""
        if word in self._stop:
            return ""
        if self._stemmer is not None:
            with self._lock:
                word = self._stemmer.stemWord(word)
            word = fold_marks(word)
        return word


@cache
def informative_terms(language: str) -> Callable[[str], frozenset[str]]:
    """Return a function from a text to its distinct terms in this language. The terms of short
    texts are cached, because several steps of a search analyse the best passages."""
    analyser = Analyser(language)

    def analysed(text: str) -> frozenset[str]:
        return frozenset(analyser.terms(text))

    cached = lru_cache(_TEXTS)(analysed)
    return lambda text: cached(text) if len(text) <= _TEXT_CHARS else analysed(text)


def _inside(piece: str) -> list[str]:
    """Return the units of a piece. Only one of ASCII may be another than its only unit."""
    return _ASCII_UNIT.findall(piece) if piece.isascii() else [piece]


def _humps(piece: str) -> list[str]:
    """Return the words of a piece of a name. Single letters that remain from splitting (OAuth) are
    dropped; a piece of one letter stays (T-cell)."""
    humps: list[str] = _HUMP.findall(piece)
    return [h for h in humps if len(h) > 1 or h.isdigit()] if len(humps) > 1 else [piece]


def _pairs(run: str) -> list[str]:
    """Return pairs of neighbouring characters, and each ideograph: xquad-zh .952 with single
    characters, .961 with pairs, .965 with both, and words of one character can be found."""
    if len(run) <= _UNIT_CHARS:
        run = unicodedata.normalize("NFKC", run)
    if len(run) == 1:
        return [run]
    return ["".join(pair) for pair in pairwise(run)] + _IDEOGRAPH.findall(run)
