"""Numbers of terms: the indices of sparse vectors."""

from __future__ import annotations

from hashlib import blake2b


def term_id(term: str) -> int:
    """Return an unsigned 32-bit number that is the same in every process and release."""
    raw = term.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=4).digest(), "big")
