"""Scores by the words that a query and a text share."""

from __future__ import annotations

import math
import re

_WORD = re.compile(r"\w+")
_SAID = re.compile(r"\brelevance=([01]?\.\d+)")


def words(text: str) -> set[str]:
    """Return the distinct words in lower case."""
    return set(_WORD.findall(text.lower()))


def relevance(query: str, text: str) -> float:
    """Return the cosine of the two sets of words, scaled to 0.02 to 0.98. A text with
    `relevance=0.2` in it has this score."""
    if said := _SAID.search(text):
        return float(said[1])
    asked, found = words(query), words(text)
    if not asked or not found:
        return 0.02
    return 0.02 + 0.96 * len(asked & found) / math.sqrt(len(asked) * len(found))


def logit(query: str, text: str) -> float:
    """Return the relevance before a sigmoid, -3.9 to 3.9."""
    share = relevance(query, text)
    return math.log(share / (1 - share))
