"""How many tokens a text has at most, where its model's tokenizer is not known."""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil
from typing import Final

# Tokens counted over the estimate, MiniLM's and Anthropic's tokenizer, the highest of each text:
# this project's code and pages .84 and .79, ADK's documentation .81 and .69, German .86 and .68,
# Chinese below .8; random letters .93, emoji .83, base64 .94 and 1.14. In the middle .66 and .60.
_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\s{2,}|[^ ]", re.DOTALL)  # one space has none
_WORD: Final = 20  # letters; what is longer is no word
_BY_BYTES: Final = (1, 1, 1, 2, 3)  # tokens of a sign by the bytes of its UTF-8


def cut_estimated(text: str, tokens: int) -> str:
    """The beginning of a text that has at most so many tokens, by an estimate from above.

    A word has one for every three letters begun, parts of camelCase counting by themselves; a run
    of letters that is no word .6 each. White space between words has none, other white space one
    and one for each line. Beyond ASCII a sign has 1 to 3, any other sign 1.
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
    """How many tokens a text has at most, by the same estimate. Texts that are put together with a
    blank line between them have the sum, and 3 for each blank line, where they neither begin nor
    end with white space."""
    return sum(map(_tokens, _PART.findall(text)))


@lru_cache(maxsize=8192)  # words come again and again: a fifth of the time
def _tokens(part: str) -> int:
    if part.isspace():
        return 1 + part.count("\n")
    if not part.isascii():
        return _BY_BYTES[len(part.encode("utf-8", "surrogatepass"))]
    if not part.isalpha():
        return 1
    return ceil(len(part) / 3) if len(part) <= _WORD else ceil(0.6 * len(part))
