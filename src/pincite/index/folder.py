"""The folder of an index: private to its user, with the settings of its store."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import msgspec

from pincite.catalog.file import holds_collections, holds_index
from pincite.errors import ConfigError, IndexUnavailable, StoreError
from pincite.stores.settings import StoreSettings
from pincite.support.capabilities import is_own, this_user, user_name
from pincite.support.databases.private_file import (
    UNLINK,
    create_private,
    odd_kind,
    read_private,
    replace_private,
)
from pincite.support.time_limits import decode_settings

REMEMBERED = "store.json"
_STORES = ("collections", "chroma")  # folders whose files other libraries open
_SHOWN_CHARS = 300  # of a path in a message


class Remembered(msgspec.Struct, frozen=True):
    """The store of an index folder. Collections on servers are tagged with `owner`."""

    settings: StoreSettings
    owner: str


def remembered(root: Path) -> Remembered:
    """Read the store of an index folder, by default the embedded one. Raises StoreError."""
    try:
        return decode_settings(read_private(root / REMEMBERED), Remembered)
    except FileNotFoundError:
        return Remembered(StoreSettings(), "")
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreError(f"{root / REMEMBERED} cannot be read: {error}") from error


def remember(
    root: Path, store: StoreSettings, in_use: Callable[[Path], bool] = lambda _: False
) -> None:
    """Record the store of an index, or check that the index still uses it. A folder without a
    collection has no points, so its store may change, unless a process has the index `in_use`: that
    process may be writing the first points. Raises ConfigError."""
    known = remembered(root)
    same = (known.settings.kind, known.settings.url, known.settings.prefix) == (
        *(store.kind, store.url, store.prefix),
    )
    if not same and holds_index(root):
        is_open = in_use(root)  # asked first: a process that ends later has written its points
        if holds_collections(root):
            raise ConfigError(
                f"the index {root} has its points in {known.settings.place}, but the settings name"
                f" {store.place}",
                hint=f"pincite {'push' if store.url else 'pull'} to copy them, or fix [store]",
            )
        if is_open:
            raise ConfigError(
                f"the store of the index {root} cannot change while a process has it open",
                hint="pincite stop",
            )
    if known.settings == store:
        return
    write_remembered(root, Remembered(store, known.owner or fresh_owner()))


def fresh_owner() -> str:
    """Return a unique name for an index."""
    return uuid4().hex


def write_remembered(root: Path, what: Remembered) -> None:
    """Write the store of an index into its folder, atomically."""
    replace_private(root / REMEMBERED, msgspec.json.encode(what))


def make_folder(root: Path) -> None:
    """Make an index folder that only its user can read and that version control ignores. Raises
    IndexUnavailable."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            create_private(root / ".gitignore", b"*\n")
    except OSError as error:
        raise _unusable(root, "made", error) from error


def require_own(root: Path) -> None:
    """Raise IndexUnavailable for an index folder of another user, and for one with links or pipes
    instead of files; a missing folder is allowed. Root is refused as well, because the owner could
    not open files that root writes there."""
    try:
        status = root.stat()
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise IndexUnavailable(
            f"{user_name(this_user())} cannot access the index {root}",
            hint="use your own index: see PINCITE_INDEX or --index",
        ) from error
    except OSError as error:
        raise _unusable(root, "reached", error) from error
    if not is_own(status):
        owner = user_name(status.st_uid)
        raise IndexUnavailable(
            f"the index {root} belongs to {owner}, but you are {user_name(this_user())}",
            hint=f"use your own index (PINCITE_INDEX or --index), or run this as {owner}",
        )
    _require_plain(root)


def require_plain_stores(root: Path) -> None:
    """Raise IndexUnavailable for links and pipes anywhere in the folders of embedded stores, whose
    libraries write to what they find there and remove it."""
    for name in _STORES:
        waiting = [root / name]
        while waiting:
            waiting += _require_plain(waiting.pop(), linked=False)


def _require_plain(folder: Path, *, linked: bool = True) -> list[Path]:
    """Return the folders in a folder, which may be missing. Raises IndexUnavailable for a link or a
    pipe in it; a socket is allowed, because the daemon has one. Unless `linked` is set, files with
    a second name (a hard link) are refused as well."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    found.append(Path(entry.path))
                elif not linked or not entry.is_file(follow_symlinks=False):
                    _require_plain_file(entry, linked=linked)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unusable(folder, "read", error) from error
    return found


def _require_plain_file(entry: os.DirEntry[str], *, linked: bool) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # another process has just removed it
        return
    kind = odd_kind(status.st_mode)
    if stat.S_ISSOCK(status.st_mode) or not (kind or (status.st_nlink > 1 and not linked)):
        return
    if not kind:
        raise IndexUnavailable(
            f"{entry.path} has another name, a hard link, as in a backup by cp -al, and writing to"
            " it would change both",
            hint=f"{UNLINK}: the folder of the index",
        )
    raise IndexUnavailable(
        f"{entry.path} is {kind}, and an index folder has none",
        hint="remove it if you did not make it: an index folder that comes with files of others may"
        " harm you",
    )


def _unusable(root: Path, verb: str, error: OSError) -> IndexUnavailable:
    """Return the error for a path through a file, into a loop of links, or on a read-only disk."""
    shown = str(root) if len(str(root)) <= _SHOWN_CHARS else f"{str(root)[:_SHOWN_CHARS]}..."
    at = "" if error.filename in (None, str(root)) else f" ({error.filename})"
    dangling = isinstance(error, FileExistsError) and not Path(error.filename).exists()
    why = "a link in it has no target" if dangling else error.strerror
    return IndexUnavailable(
        f"the index folder {shown} cannot be {verb}: {why}{at[:_SHOWN_CHARS]}",
        hint="choose a folder that you can write to with PINCITE_INDEX or --index",
    )
