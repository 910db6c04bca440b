"""Find the index folder, and pack a client's variables for its daemon, which reads the settings
from them. It is quick to import."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from pincite.catalog.place import CATALOG_FILE, catalog_of
from pincite.settings.variables import (
    PLACES,
    PREFIX,
    QDRANT_KEY,
    SEARCH_VARIABLES,
    SERVER_VARIABLES,
)

CONFIG_FILE: Final = "pincite.toml"
INDEX_FOLDER: Final = ".pincite"
#: Where files are that no setting names.
_PLACES: Final = (
    *("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"),
)
#: Variables of other programs that a search depends on. No key is sent to the daemon.
_SHARED: Final = frozenset((*SEARCH_VARIABLES, *SERVER_VARIABLES)) - {QDRANT_KEY}
_SECRET: Final = "_KEY"
_MOST_CHARS: Final = 10_000  # of a file of git
_BARE: Final = re.compile(r"(?mi)^\s*bare\s*=\s*true\s*$")


class Nearest(NamedTuple):
    """The index folder, where the user stands, the variables that settings are read from, and
    `places`."""

    root: Path
    folder: Path
    variables: Mapping[str, str]
    places: tuple[str, ...]


def places(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Where this process has the files that no setting names."""
    return tuple(environ.get(name, "") for name in _PLACES)


def nearest(index: Path | None, environ: Mapping[str, str] | None = None) -> Nearest | None:
    """What a search in the current folder is about, None where that takes a closer look: no index,
    a key for a server, a place that counts from here or from somebody's home."""
    known = os.environ if environ is None else environ
    ours = {
        name: value for name, value in known.items() if name.startswith(PREFIX) or name in _SHARED
    }
    if any(_SECRET in name for name in ours):
        return None
    if any(not Path(ours[name]).is_absolute() for name in PLACES if ours.get(name)):
        return None
    try:
        folder = Path.cwd()
        root = _chosen(index, ours, folder)
        if root is None or str(root).startswith("~"):
            return None
        root = folder / root
        catalog_of(root).stat()
    except OSError:
        return None
    return Nearest(root, folder, ours, places(known))


def index_folder(
    index: Path | None, environ: Mapping[str, str], *, make: bool = False
) -> Path | None:
    """Return the index folder of a command in the current folder, resolved; with `make`, also one
    that is yet to be made. None where there is none, or where finding it takes a closer look."""
    try:
        folder = Path.cwd()
        root = _chosen(index, environ, folder)
        if root is None and make and not is_the_users(folder):
            root = Path(INDEX_FOLDER)
        if root is None or str(root).startswith("~"):
            return None
        root = (folder / root).resolve()
        return root if make or catalog_of(root).exists() else None
    except (OSError, RuntimeError, ValueError):  # RuntimeError: links that go round in circles
        return None


def nearest_index(folder: Path) -> Path | None:
    """Return the nearest index folder here or above, but not above a worktree of git that is inside
    of its own checkout. It may be a link, which no command follows unless it is named."""
    here = str(folder)  # paths would take ten times as long: .6 ms for 13 folders
    while True:
        if os.path.isfile(os.path.join(here, INDEX_FOLDER, CATALOG_FILE)):  # noqa: PTH113, PTH118
            return Path(here, INDEX_FOLDER)
        above = os.path.dirname(here)  # noqa: PTH120
        if above == here or is_inner_worktree(here):
            return None
        here = above


def user_config() -> Path:
    """Return the path of the user's `pincite.toml`, for files outside of projects."""
    import platformdirs

    return platformdirs.user_config_path("pincite") / CONFIG_FILE


def is_the_users(folder: Path) -> bool:
    """Return whether a folder without an index uses that of the user: if `pincite init --user`
    created it, and no `pincite.toml` is here. Files that cannot be reached are none."""
    if os.path.isfile(folder / CONFIG_FILE):  # noqa: PTH113 - never raises, as below
        return False
    return os.path.isfile(user_config())  # noqa: PTH113


def is_inner_worktree(folder: str) -> bool:
    """Return whether a folder is a linked worktree of git inside of the checkout that it belongs
    to, as `.claude/worktrees/NAME` is. An index above it has the files of another branch."""
    pointer = _start_of(f"{folder}/.git")
    if not pointer.startswith("gitdir:"):
        return False
    place = os.path.join(folder, pointer.removeprefix("gitdir:").strip())  # noqa: PTH118
    private = os.path.realpath(place) if "\0" not in place else ""
    worktrees = private.rpartition("/")[0]
    shared, _, name = worktrees.rpartition("/")
    if name != "worktrees" or not shared.endswith("/.git"):  # a submodule, a bare repository
        return False
    if _BARE.search(_start_of(f"{shared}/config")):
        return False
    return os.path.realpath(folder).startswith(f"{shared.removesuffix('.git')}")


def _start_of(file: str) -> str:
    """Return the beginning of a regular file, "" for anything else."""
    if not os.path.isfile(file):  # noqa: PTH113 - never raises
        return ""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:  # noqa: PTH123
            return opened.read(_MOST_CHARS)
    except OSError:
        return ""


def _chosen(index: Path | None, environ: Mapping[str, str], folder: Path) -> Path | None:
    if index is not None:
        return index
    if named := environ.get("PINCITE_INDEX"):
        return Path(named)
    found = nearest_index(folder)
    return None if found is None or found.is_symlink() else found  # the settings refuse a link
