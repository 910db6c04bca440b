"""The ids of the indexes that this user has made or accepted: a file for each in the state folder.

An index has its ids in its catalog. So a copied or moved index keeps them, and a catalog that
replaces it, as a checkout may do, does not have them.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pincite.support.capabilities import is_own
from pincite.support.private_file import create_private, require_regular

log = logging.getLogger("pincite")

_ID: Final = re.compile(r"[0-9a-f]{32}")


def fresh_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_hex(16)


def remember_index(root: Path, identity: str) -> bool:
    """Note that this user has made or accepted the index, and return whether that was possible."""
    try:
        place = _place()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = str(root.absolute()).encode(errors="surrogateescape")
        create_private(place / identity, name)
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


def is_known(identities: Iterable[str]) -> bool:
    """Return whether one of the ids was noted."""
    return any(_ID.fullmatch(one) and _is_noted(one) for one in identities)


def _is_noted(identity: str) -> bool:
    try:
        return is_own(require_regular(_place() / identity))
    except OSError:
        return False


def _place() -> Path:
    import platformdirs

    return platformdirs.user_state_path("pincite") / "indexes"
