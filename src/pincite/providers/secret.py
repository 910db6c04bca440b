"""Keys that stay out of messages and logs."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

SHOWN = "***"
#: A shorter key may be a word such as `ollama` or `embedding`, which JSON may have for other
#: reasons. vLLM's documentation has `token-abc123`, services have 40 characters and more.
_UNMISTAKABLE: Final = 12


class Secret:
    """A key. Only `reveal` returns it: `repr`, `str`, formats, pickles and JSON do not contain
    it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the key itself, only for the header of a request."""
        return self._value

    def redact(self, text: str) -> str:
        """Return `text` without the key, in case a server repeated it, also as JSON escapes it."""
        if not self._value:
            return text
        text = text.replace(self._value, SHOWN)
        return _escaped(self._value).sub(SHOWN, text) if "\\" in text else text

    def redact_answer(self, raw: bytes) -> bytes:
        """Return the bytes of an answer without the key. A key of fewer than 12 characters is not
        removed, as it may be an ordinary word."""
        if self._may_be_a_word() or not (self._value.encode() in raw or b"\\" in raw):
            return raw
        text = raw.decode("utf-8", "surrogateescape")
        return self.redact(text).encode("utf-8", "surrogateescape")

    def in_pieces(self) -> PiecewiseRedaction:
        """Return an object that removes the key from an answer that arrives in pieces. A key of
        fewer than 12 characters is not removed, as it may be an ordinary word."""
        return PiecewiseRedaction("" if self._may_be_a_word() else self._value)

    def _may_be_a_word(self) -> bool:
        return len(self._value) < _UNMISTAKABLE

    def __repr__(self) -> str:
        return f"Secret({SHOWN})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a key cannot be pickled")


class PiecewiseRedaction:
    """Removes a key from a text that arrives in pieces. The end of a piece that may begin the key
    is held back until more is known. Takes time linear in the text."""

    __slots__ = ("_held", "_key")

    def __init__(self, key: str = "") -> None:
        self._key = key
        self._held = ""

    def without(self, piece: str) -> str:
        """Return the text held back before and this piece, without the key and without an end that
        may begin the key."""
        if not self._key:
            return piece
        text = (self._held + piece).replace(self._key, SHOWN)
        end = self._may_begin_at(text)
        self._held = text[end:]
        return text[:end]

    def rest(self) -> str:
        """Return the text held back, at the end of the answer: it did not become the key."""
        held, self._held = self._held, ""
        return held

    def _may_begin_at(self, text: str) -> int:
        """Return the start of the longest suffix of the text that is a prefix of the key, or the
        length of the text if there is none."""
        at = text.find(self._key[0], max(0, len(text) - len(self._key) + 1))
        while at >= 0 and not self._key.startswith(text[at:]):
            at = text.find(self._key[0], at + 1)
        return len(text) if at < 0 else at


@cache
def _escaped(value: str) -> re.Pattern[str]:
    """Return a pattern for the key in a JSON string: characters other than letters and digits may
    have a backslash, and all may be written as their number."""
    ways = []
    for one in value:
        plain = re.escape(one) if one.isalnum() else rf"\\?{re.escape(one)}"
        ways.append(rf"(?:{plain}|\\u(?i:{ord(one):04x}))")
    return re.compile("".join(ways))
