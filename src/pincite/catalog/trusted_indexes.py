"""The ids of the indexes that this user has made or accepted: a file for each in the state folder.

The catalog of an index has its ids. So a copied or moved index keeps them, and a catalog that
replaces it, as a checkout may do, does not have them. But copies by others have the ids too, and
someone else may change a part of a catalog. So the file of an id also has signs of 32 digits each,
for the demands that this user's own runs have added or that the user has accepted.
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
    """Return a random id, 32 hexadecimal digits."""
    return secrets.token_hex(16)


def remember_index(root: Path, identity: str, signs: Iterable[str] = ()) -> bool:
    """Note that this user has made or accepted the index, and return whether that was possible. An
    existing note stays unchanged."""
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
    """Create the state folder if it is missing, and return whether it can be written."""
    try:
        place = _place()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(place, os.W_OK | os.X_OK)


def noted_signs(identities: Iterable[str]) -> set[str] | None:
    """Return the noted signs of these ids, None if none of the ids is noted."""
    found = None
    for identity in identities:
        if _ID.fullmatch(identity) and (text := _noted(identity)) is not None:
            found = (found or set()).union(text.split("\n")[1:])
    return found


def note_signs(identities: Iterable[str], signs: Iterable[str]) -> bool:
    """Add signs to the first of these ids that is noted, and return whether that was possible."""
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
