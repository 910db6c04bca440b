"""Guess the encoding of a text that is not Unicode: Chinese, Japanese, Korean or Cyrillic.

All of these texts are also valid Windows-1252, and most Western texts are valid in some of these
encodings. A guess is made only if the bytes are hardly a Western text, in which accented letters
are single; those of other scripts are in rows. Lists of accented letters in programs do not count.

Measured on translations: Debian's programs, tldr pages, pdf.js. None of 26,971 Western texts, a
third of them single lines, was taken for another script; `charset-normalizer` 3.5 changed 396 of
832 of them. Of 13,442 pages in the seven encodings 4 were not recognised. Of 12,308 single lines in
them, 24 % were not and .4 % got another of these encodings. In this measurement, Cyrillic letters
did not yet have to be in words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise
from typing import Final

_MOST_BYTES: Final = 200_000  # that are counted; guess, unmeasured
_RUNS: Final = re.compile(rb"[\x80-\xff]{3,}")
_NO_ASCII: Final = re.compile(rb"[\x00-\x7f]+")
_IN_RUNS: Final = 0.4  # of the bytes above 127 are three or more in a row
_FEWEST: Final = 6  # letters that are not ASCII
_DIFFERENT: Final = 5  # of them
_KNOWN: Final = 0.9  # of these are frequent ones
_SAME: Final = 0.25  # at most this share is one letter; drawings of lines have more
#: Letters that have this share of Russian, Ukrainian, Bulgarian and Serbian text, of Japanese, and
#: of Korean. Cyrillic text in a wrong encoding has capitals within words.
_CYRILLIC: Final = "оеаинтсрвл", 0.45
_CYRILLIC_ALL: Final = frozenset((*map(chr, range(0x400, 0x460)), *"ҐґЎў«»–—…“”„’№\xa0"))
_KANA: Final = frozenset(map(chr, range(0x3041, 0x30FF))), 0.2
_HANGUL: Final = "이다의는에을를하고지로가사도한은기어대자인리나시아일정보서그니습세요해", 0.1
_CAPITAL_WITHIN: Final = re.compile(r"[а-яё][А-ЯЁ]")
#: Western programs list accented letters, in classes of patterns and in tables.
_CLASS: Final = re.compile(r"\[[^\]\n]{1,200}\]")
_WORD: Final = re.compile(r"[^\W\d_]{1,100}")
_IN_WORDS: Final = 20  # letters of Cyrillic words, at least
_OF_WORDS: Final = 0.6  # of all letters are in words; the others may be prepositions


def guessed_encoding(raw: bytes) -> str:
    """Return the encoding of such a text, "" if it has another one or cannot be guessed. The text
    encodes to the same bytes again."""
    head = raw[:_MOST_BYTES]
    bare = _NO_ASCII.sub(b"", head)
    if sum(map(len, _RUNS.findall(head))) < _IN_RUNS * len(bare) or not bare:
        return ""
    for encoding in ("cp1251", "koi8_r", "cp949", "euc_jp", "cp932", "cp950", "gb18030"):
        try:
            text = raw.decode(encoding)
            if _is_likely(text[:_MOST_BYTES], encoding) and text.encode(encoding) == raw:
                return encoding
        except UnicodeError:
            continue
    return ""


def _is_likely(text: str, encoding: str) -> bool:
    counts = Counter(letter for letter in text if letter > "\x7f")
    total = counts.total()
    if total < _FEWEST or len(counts) < _DIFFERENT:
        return False
    if max(counts.values()) > max(2, _SAME * total):
        return False
    if encoding in ("cp1251", "koi8_r"):
        if len(_CAPITAL_WITHIN.findall(text)) > 0.02 * total:
            return False
        known = _has(counts, *_CYRILLIC) and _has(counts, _CYRILLIC_ALL, _KNOWN)
        return known and _has_words(text, encoding)
    if encoding == "cp949" and not _has(counts, *_HANGUL):
        return False
    if encoding in ("euc_jp", "cp932") and not _has(counts, *_KANA):
        return False
    return _has(counts, _frequent(encoding), _KNOWN)


def _has_words(text: str, encoding: str) -> bool:
    """Return whether the Cyrillic letters are in words. A Western text read as Cyrillic has lists
    of letters in the order of their bytes, letters in brackets, and words with letters of both
    alphabets."""
    within = 0
    for word in _WORD.findall(_CLASS.sub(" ", text)):
        if len(word) > 2 and not word.isascii() and all(letter > "\x7f" for letter in word):
            raw = word.encode(encoding)
            if any(one >= other for one, other in pairwise(raw)):
                within += len(word)
    letters = sum(letter.isalpha() for letter in text if letter > "\x7f")
    return within >= max(_IN_WORDS, _OF_WORDS * letters)


def _has(counts: Counter[str], letters: Collection[str], share: float) -> bool:
    known = sum(count for letter, count in counts.items() if letter in letters)
    return known >= share * counts.total()


@lru_cache(maxsize=8)
def _frequent(encoding: str) -> frozenset[str]:
    """Return the punctuation of an encoding, and the letters that its authors considered frequent;
    these are in a part of their own."""
    firsts, seconds = {
        "cp949": ((0xA1, 0xA3, 0xB0, 0xC8), (0xA1, 0xFE)),  # Hangul
        "euc_jp": ((0xA1, 0xA1, 0xA3, 0xA5, 0xB0, 0xCF), (0xA1, 0xFE)),  # kana, level 1
        "cp932": ((0x81, 0x83, 0x88, 0x98), (0x40, 0xFC)),  # kana, level 1
        "cp950": ((0xA1, 0xA2, 0xA4, 0xC6), (0x40, 0xFE)),  # level 1
        "gb18030": ((0xA1, 0xA3, 0xB0, 0xD7), (0xA1, 0xFE)),  # level 1
    }[encoding]
    found = set()
    for begin, end in zip(firsts[::2], firsts[1::2], strict=True):
        for first in range(begin, end + 1):
            for second in range(seconds[0], seconds[1] + 1):
                found.add(bytes((first, second)).decode(encoding, "ignore"))
    return frozenset(one for one in found if len(one) == 1 and one > "\x7f")
