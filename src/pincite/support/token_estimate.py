"""Estimate an upper bound of the tokens of a text if its model's tokenizer is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import Final

# Tokens counted over the estimate, MiniLM's and Anthropic's tokenizer, the highest of each text:
# this project's code and pages .84 and .79, ADK's documentation .81 and .69, German .86 and .68,
# Chinese below .8; random letters .93, emoji .83, base64 .94 and 1.14. In the middle .66 and .60.
_PART: Final = re.compile(
    r"[A-Z]?[a-z]+|[A-Z]+|\s{2,}|[^ ]", re.DOTALL
)  # a single space has no token
_WORD: Final = 20  # letters; a longer run is not a word
_BY_BYTES: Final = (1, 1, 1, 2, 3)  # tokens of a character by the bytes of its UTF-8
_FORMS: Final = 8_192  # of words that are cached; each takes 100 bytes

_WIDE_SPACE: Final = re.compile(r"[^\S\x00-\x7f]")  # alone and in a run, it counts as a tab does


def _kind(one: str) -> str:
    if one.isalpha():
        return "A" if one.isupper() else "a"
    if one.isspace():
        return " " if one == " " else "n"
    return "."


def _table(kind: Callable[[str], str]) -> bytes:
    return "".join(map(kind, map(chr, range(128)))).encode()


#: The kind of each character of ASCII: a small letter, a capital, a space, other white space (`n`),
#: or anything else.
_KINDS: Final = _table(_kind).ljust(256, b".")
#: By kind: everything but white space is the same, or everything but letters.
_RUNS: Final = _table(lambda one: one if one in " n" else "x").ljust(256, b"x")
_LETTERS: Final = _table(lambda one: one if one in "aA" else " ").ljust(256)


def cut_estimated(text: str, tokens: int) -> str:
    """Return the beginning of a text that has at most `tokens` tokens, by an estimate from above.

    A word has one token for every three letters or part of three; parts of camelCase count
    separately. A longer run of letters than a word has .6 for each letter. A single space between
    words has none; other white space has one, and one for each line. Beyond ASCII a character has 1
    to 3, any other character 1.
    """
    if len(text) * 3 <= tokens:
        return text
    spent = 0
    for found in _PART.finditer(text):
        spent += _tokens(found[0])
        if spent > tokens:
            return text[: found.start()].rstrip()
    return text


def estimate_tokens(text: str) -> int:
    """Return an upper bound of the tokens of a text, by the same estimate. For texts that are
    joined by a blank line it is their sum, and 3 for each blank line, if they neither begin nor end
    with white space."""
    wide = 0
    if not text.isascii():
        text = _WIDE_SPACE.sub("\t", text)
        wide = _beyond_ascii(text)
    # A text begins as if a character stood before it: each run of white space follows one.
    kinds = b"." + text.encode("ascii", "replace").translate(_KINDS)
    runs = kinds.translate(_RUNS)
    lines, others = text.count("\n"), kinds.count(b".") - 1
    spaces = runs.count(b"xn") + runs.count(b"x  ") + runs.count(b"x n")  # all but single spaces
    words = sum(map(_WORDS.__getitem__, kinds.translate(_LETTERS).split()))
    return words + others + lines + spaces + wide


def _beyond_ascii(text: str) -> int:
    """Return how much more than 1 each the characters beyond ASCII count in total."""
    size = len(text.encode("utf-8", "surrogatepass"))
    ascii_only = len(text.encode("ascii", "ignore"))
    return size - ascii_only - 2 * (len(text) - ascii_only)  # 2 bytes count 1, 3 count 2, 4 count 3


class _Words(dict[bytes, int]):
    """The tokens of runs of letters, by their form: `a` for a small letter, `A` for a capital."""

    def __missing__(self, form: bytes) -> int:
        tokens = sum(map(_tokens, _PART.findall(form.decode())))
        if len(form) <= _WORD and len(self) < _FORMS:
            self[form] = tokens
        return tokens


_WORDS: Final = _Words()


@lru_cache(maxsize=8192)  # words repeat: this saves a fifth of the time
def _tokens(part: str) -> int:
    if part.isspace():
        return 1 + part.count("\n")
    if not part.isascii():
        return _BY_BYTES[len(part.encode("utf-8", "surrogatepass"))]
    if not part.isalpha():
        return 1
    return ceil(len(part) / 3) if len(part) <= _WORD else ceil(0.6 * len(part))
