"""API keys: made once, shown once, kept as a salted hash.

A key is `pin_PREFIX_SECRET`. The prefix finds it; the secret has 256 random bits, so that one round
of SHA-256 is as hard to undo as many, and a request does not pay for them.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Final

_FORM: Final = re.compile(r"pin_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_SALT_BYTES: Final = 16
_KIND: Final = "sha256"


@dataclass(frozen=True, slots=True)
class NewKey:
    """`text` is what its owner gets and nobody keeps; `hash` is what is kept."""

    text: str
    prefix: str
    hash: str

    def __repr__(self) -> str:
        return f"NewKey(prefix={self.prefix!r})"


def make_key() -> NewKey:
    """A key that nobody has."""
    prefix, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    text = f"pin_{prefix}_{secret}"
    salt = secrets.token_bytes(_SALT_BYTES)
    return NewKey(text, prefix, f"{_KIND}${salt.hex()}${_digest(salt, text)}")


def prefix_of(text: str) -> str | None:
    """The prefix of a text that has the form of a key."""
    found = _FORM.fullmatch(text)
    return found[1] if found else None


def matches(text: str, hashed: str) -> bool:
    """Is it the key of this hash? Takes as long for one that is not."""
    kind, _, rest = hashed.partition("$")
    salt, _, digest = rest.partition("$")
    try:
        found = _digest(bytes.fromhex(salt), text)
    except ValueError:
        return False
    return hmac.compare_digest(found, digest) and kind == _KIND


def _digest(salt: bytes, text: str) -> str:
    return hashlib.sha256(salt + text.encode("utf-8", "surrogatepass")).hexdigest()
