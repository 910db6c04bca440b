"""The ids of the indexes that this user has made or accepted: a file for each in the state folder.

An index has its ids in its catalog. So a copied or moved index keeps them, and a catalog that
replaces it, as a checkout may do, does not have them. Copies have them, too, and a file of others
may change a part of a catalog. So the file of an id also has signs, 32 digits each, of what this
user's own runs have put into the index, or what the user has accepted.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pincite.support.databases.private_file import create_private, open_private, read_private

log = logging.getLogger("pincite")

_ID: Final = re.compile(r"[0-9a-f]{32}")


def fresh_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_hex(16)


def remember_index(root: Path, identity: str, signs: Iterable[str] = ()) -> bool:
    """Note that this user has made or accepted the index, and return whether that was possible."""
    try:
        place = _place()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        create_private(place / identity, "\n".join([ascii(str(root.absolute())), *signs]).encode())
    except FileExistsError:
        return True
    except OSError as error:
        log.info("the index %s was not noted as yours: %s", root, error)
        return False
    return True


def can_remember() -> bool:
    """Return whether the state folder can be written, and made if it is missing."""
    try:
        place = _place()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(place, os.W_OK | os.X_OK)


def noted_signs(identities: Iterable[str]) -> set[str] | None:
    """Return the signs that are noted for any of the ids, None if none of these was noted."""
    found = None
    for identity in identities:
        if _ID.fullmatch(identity) and (text := _noted(identity)) is not None:
            found = (found or set()).union(text.split("\n")[1:])
    return found


def note_signs(identities: Iterable[str], signs: Iterable[str]) -> bool:
    """Add signs to one of the ids that was noted, and return whether that was possible."""
    known = (one for one in identities if _ID.fullmatch(one) and _noted(one) is not None)
    if (identity := next(known, None)) is None:
        return False
    try:
        with os.fdopen(open_private(_place() / identity, os.O_WRONLY | os.O_APPEND), "wb") as file:
            file.write("".join(f"\n{one}" for one in signs).encode())
    except OSError as error:
        log.info("what is new in an index was not noted as yours: %s", error)
        return False
    return True


def _noted(identity: str) -> str | None:
    try:
        return read_private(_place() / identity).decode(errors="replace")
    except OSError:
        return None


def _place() -> Path:
    import platformdirs

    return platformdirs.user_state_path("pincite") / "indexes"
