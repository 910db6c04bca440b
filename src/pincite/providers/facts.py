"""The facts about a vendor in docs/providers.md, kept beside the code that depends on them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts in words: the limits of one request, the handling of text that is too long, and for
    rerankers the kind of score."""

    limits: str
    too_long: str
    scores: str = ""
