"""API keys. A key is made once, shown once, and stored as a salted hash.

A key is `pin_PREFIX_SECRET`. The prefix finds the row. The secret has 256 random bits, so one round
of SHA-256 is as hard to invert as many, and costs a request less time.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Final

KEY_START: Final = "pin_"
#: Stored instead of a hash for rows without a secret, such as a link to a subject of an issuer.
SECRETLESS: Final = "oidc"
_FORM: Final = re.compile(r"pin_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_SALT_BYTES: Final = 16
_KIND: Final = "sha256"


@dataclass(frozen=True, slots=True)
class NewKey:
    """A new key. `text` is given to its owner and not stored; `hash` is stored."""

    text: str
    prefix: str
    hash: str

    def __repr__(self) -> str:
        return f"NewKey(prefix={self.prefix!r})"


def make_key() -> NewKey:
    """Return a new random key."""
    prefix, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    text = f"{KEY_START}{prefix}_{secret}"
    salt = secrets.token_bytes(_SALT_BYTES)
    return NewKey(text, prefix, f"{_KIND}${salt.hex()}${_digest(salt, text)}")


def prefix_of(text: str) -> str | None:
    """Return the prefix of a text in the form of a key, None for other texts."""
    found = _FORM.fullmatch(text)
    return found[1] if found else None


def matches(text: str, hashed: str) -> bool:
    """Return whether the text is the key of this hash. Takes the same time for both results."""
    kind, _, rest = hashed.partition("$")
    salt, _, digest = rest.partition("$")
    try:
        found = _digest(bytes.fromhex(salt), text)
    except ValueError:
        return False
    return hmac.compare_digest(found, digest) and kind == _KIND


def _digest(salt: bytes, text: str) -> str:
    return hashlib.sha256(salt + text.encode("utf-8", "surrogatepass")).hexdigest()
