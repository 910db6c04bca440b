"""The folder of an index: private to its user, and it remembers where its points are."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

import msgspec

from pincite.catalog.file import holds_index
from pincite.errors import ConfigError, IndexUnavailable, StoreError
from pincite.stores.settings import StoreSettings
from pincite.support.capabilities import is_own, this_user, user_name

REMEMBERED = "store.json"
_SHOWN_CHARS = 300  # of a path in a message


class Remembered(msgspec.Struct, frozen=True):
    """The store of an index folder. Collections on servers carry `owner`."""

    settings: StoreSettings
    owner: str


def remembered(root: Path) -> Remembered:
    """The store of an index folder; one that says nothing has the default one. Raises
    StoreError."""
    try:
        return msgspec.json.decode((root / REMEMBERED).read_bytes(), type=Remembered)
    except FileNotFoundError:
        return Remembered(StoreSettings(), "")
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreError(f"{root / REMEMBERED} cannot be read: {error}") from error


def remember(root: Path, store: StoreSettings) -> None:
    """Settle which store a new index folder has, or check that it still is the one. Raises
    ConfigError."""
    known = remembered(root)
    is_new = not holds_index(root) and not (root / REMEMBERED).exists()
    same = (known.settings.kind, known.settings.url, known.settings.prefix) == (
        *(store.kind, store.url, store.prefix),
    )
    if not same and not is_new:
        raise ConfigError(
            f"the index {root} has its points in another store ({known.settings.place}) than the"
            f" settings say ({store.place})",
            hint=f"pincite {'push' if store.url else 'pull'} to copy them there, or fix [store]",
        )
    if known.settings == store:
        return
    write_remembered(root, Remembered(store, known.owner or fresh_owner()))


def fresh_owner() -> str:
    """A name for an index that no other has."""
    return uuid4().hex


def write_remembered(root: Path, what: Remembered) -> None:
    """Let the folder remember this, at once or not at all."""
    fresh = root / f"{REMEMBERED}.{os.getpid()}.new"
    fresh.write_bytes(msgspec.json.encode(what))
    fresh.replace(root / REMEMBERED)


def make_folder(root: Path) -> None:
    """An index folder that only its user can read and that version control leaves alone. Raises
    IndexUnavailable."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        (root / ".gitignore").write_text("*\n")
    except OSError as error:
        raise _unusable(root, "made", error) from error


def require_own(root: Path) -> None:
    """Raise IndexUnavailable for an index folder of another user; one that is not there is fine.

    Even root keeps out: what it writes there its user could not open any more.
    """
    try:
        status = root.stat()
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise IndexUnavailable(
            f"the index {root} is out of reach for {user_name(this_user())}",
            hint="use an index of your own: see PINCITE_INDEX or --index",
        ) from error
    except OSError as error:
        raise _unusable(root, "reached", error) from error
    if not is_own(status):
        owner = user_name(status.st_uid)
        raise IndexUnavailable(
            f"the index {root} belongs to {owner}, and this is {user_name(this_user())}",
            hint=f"use an index of your own (PINCITE_INDEX or --index), or run as {owner}",
        )


def _unusable(root: Path, verb: str, error: OSError) -> IndexUnavailable:
    """What to say of a path that leads through a file, into a loop, or to a read-only disk."""
    shown = str(root) if len(str(root)) <= _SHOWN_CHARS else f"{str(root)[:_SHOWN_CHARS]}..."
    at = "" if error.filename in (None, str(root)) else f" ({error.filename})"
    dangling = isinstance(error, FileExistsError) and not Path(error.filename).exists()
    why = "a link leads nowhere" if dangling else error.strerror
    return IndexUnavailable(
        f"the index folder {shown} cannot be {verb}: {why}{at[:_SHOWN_CHARS]}",
        hint="name a folder that you may write to with PINCITE_INDEX or --index",
    )
