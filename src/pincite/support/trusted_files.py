"""The files of others that a person has trusted: their digests, in the user's state folder.

Such a file is a `pincite.toml`, or a `.pinciteignore` with lines that begin with `!`.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from pincite.errors import ConfigError
from pincite.support.capabilities import FILE_MODES, is_own, open_to_read
from pincite.support.terminal import one_line

_MOST_BYTES: Final = 4_000_000  # of the file with trust: 20,000 folders, or 5,000 with prompts
_ON: Final = frozenset({"1", "true", "on"})


def is_trusted_text(place: str, raw: bytes) -> bool:
    """Return whether the file at this place is trusted with this content. With `PINCITE_TRUST=1`
    every file is. A damaged list trusts nothing. `place` has no links above the file."""
    # Walks of sources have no settings, so they cannot be told the value of the variable.
    if os.environ.get("PINCITE_TRUST", "").strip().lower() in _ON:
        return True
    with suppress(ConfigError):
        return _read().get(place) == digest_of_text(raw)
    return False


def digest_of_text(raw: bytes) -> str:
    """Return the digest that is stored for a trusted file without references to other files."""
    return hashlib.sha256(raw).hexdigest()


def trusted_digest(file: Path) -> str | None:
    """Return the digest with which a file is trusted, None if it is not trusted. Raises ConfigError
    if the list is damaged."""
    return _read().get(_name(file))


def remember_trust(config: Path, digest: str) -> None:
    """Store that the file is trusted as long as it has this digest; an empty one ends the trust.
    Raises ConfigError if this cannot be written."""
    known = dict(_read())
    known[_name(config)] = digest
    if not digest:
        del known[_name(config)]
    place = trust_file()
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, beside = tempfile.mkstemp(dir=place.parent, prefix=".trust-")
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(known, order="sorted"))
        Path(beside).replace(place)
    except OSError as error:
        raise ConfigError(
            f"{place} cannot be written, so nothing was trusted: {error.strerror}",
            hint=f"PINCITE_CONFIG={one_line(str(config))} selects the file for one command",
        ) from error


def trusted_files() -> tuple[str, ...]:
    """Return the paths of trusted files, sorted."""
    return tuple(sorted(_read()))


def trust_file() -> Path:
    """Return the path of the file with trust: `trust.json` in the user's state folder."""
    import platformdirs

    return platformdirs.user_state_path("pincite") / "trust.json"


def _name(config: Path) -> str:
    """Return the path of a file in its resolved folder. A link to a file has its own name."""
    return str(config.parent.resolve() / config.name)


def _read() -> Mapping[str, str]:
    """Return the digests of trusted files by path. Empty if the file is missing, or does not belong
    to the user, or others may write to it. Raises ConfigError if it is damaged."""
    place = trust_file()
    try:
        handle = open_to_read(place)
    except OSError:
        return {}
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or not is_own(state):
            return {}
        if FILE_MODES and state.st_mode & 0o022:  # others may write to it
            return {}
        raw = file.read(_MOST_BYTES + 1)
    try:
        if len(raw) > _MOST_BYTES:
            raise ValueError("it is too large")
        return msgspec.json.decode(raw, type=dict[str, str])
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{place} is damaged: {error}", hint="remove it, then trust your files again"
        ) from error
