"""Keys that stay out of messages and logs."""

from __future__ import annotations

SHOWN = "***"


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
        """Return `text` without the key, in case a server repeated it."""
        return text.replace(self._value, SHOWN) if self._value else text

    def __repr__(self) -> str:
        return f"Secret({SHOWN})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a key cannot be pickled")
