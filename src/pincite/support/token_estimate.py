"""Estimate an upper bound of the tokens of a text if its model's tokenizer is unknown."""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil
from typing import Final

# Tokens counted over the estimate, MiniLM's and Anthropic's tokenizer, the highest of each text:
# this project's code and pages .84 and .79, ADK's documentation .81 and .69, German .86 and .68,
# Chinese below .8; random letters .93, emoji .83, base64 .94 and 1.14. In the middle .66 and .60.
_PART: Final = re.compile(
    r"[A-Z]?[a-z]+|[A-Z]+|\s{2,}|[^ ]", re.DOTALL
)  # a single space has no token
_WORD: Final = 20  # letters; a longer run is no word
_BY_BYTES: Final = (1, 1, 1, 2, 3)  # tokens of a character by the bytes of its UTF-8


def cut_estimated(text: str, tokens: int) -> str:
    """Return the beginning of a text that has at most `tokens` tokens, by an estimate from above.

    A word has one token for every three letters or part of three; parts of camelCase count
    separately. A run of letters that is no word has .6 for each letter. A single space between
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
    return sum(map(_tokens, _PART.findall(text)))


@lru_cache(maxsize=8192)  # words repeat: this saves a fifth of the time
def _tokens(part: str) -> int:
    if part.isspace():
        return 1 + part.count("\n")
    if not part.isascii():
        return _BY_BYTES[len(part.encode("utf-8", "surrogatepass"))]
    if not part.isalpha():
        return 1
    return ceil(len(part) / 3) if len(part) <= _WORD else ceil(0.6 * len(part))
