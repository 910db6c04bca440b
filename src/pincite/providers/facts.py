"""What docs/providers.md says of a vendor, kept beside the code that knows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """In words: what one request may hold, what becomes of text that is too long, and for rerankers
    what kind of number a score is."""

    limits: str
    too_long: str
    scores: str = ""
