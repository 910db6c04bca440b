"""A part of a pattern that repeats without going back, right in each version of Python 3.11."""

from __future__ import annotations

from typing import Final

#: Repeats within one group. Each needs about 110 bytes until the group ends: 0.1 MB.
_AT_ONCE: Final = 1_000


def possessive(part: str) -> str:
    """Return a pattern for `(?:part)*+`: the part as often as it follows, and none of it is given
    back. Memory for a text of n repeats grows with n / 1,000. `part` is a pattern with balanced
    brackets that does not match the empty text; alternatives need no brackets.

    Python 3.11.0 to 3.11.4 match `(?:part)*+` wrongly (docs/decisions/0100). Where a text is short,
    `(?>(?:part)*)` is the same, at about 110 bytes for each repeat."""
    return f"(?>(?:(?>(?:{part}){{1,{_AT_ONCE}}}))*)"
