"""Find the index folder, and collect the variables from which the daemon reads a client's settings.
This module is quick to import."""

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
#: Variables for the folders of files that no setting names.
_PLACES: Final = (
    *("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"),
)
#: Variables of other programs that a search depends on. No key is sent to the daemon.
_SHARED: Final = frozenset((*SEARCH_VARIABLES, *SERVER_VARIABLES)) - {QDRANT_KEY}
_SECRET: Final = "_KEY"
_MOST_CHARS: Final = 10_000  # read of a file of git
_BARE: Final = re.compile(r"(?mi)^\s*bare\s*=\s*true\s*$")


class Nearest(NamedTuple):
    """The index folder, the current folder, the variables from which settings are read, and
    `places`."""

    root: Path
    folder: Path
    variables: Mapping[str, str]
    places: tuple[str, ...]


def places(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of the variables for folders of files that no setting names."""
    return tuple(environ.get(name, "") for name in _PLACES)


def nearest(index: Path | None, environ: Mapping[str, str] | None = None) -> Nearest | None:
    """Return the index for a search in the current folder. None if there is no index, or if the
    full settings are needed: there is a key of a server, or a relative path, or one with `~`."""
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
    """Return the resolved index folder of a command in the current folder; with `make`, also one
    that does not exist yet. None if there is none, or if the full settings are needed to find
    it."""
    try:
        folder = Path.cwd()
        root = _chosen(index, environ, folder)
        if root is None and make and not is_the_users(folder):
            root = Path(INDEX_FOLDER)
        if root is None or str(root).startswith("~"):
            return None
        root = (folder / root).resolve()
        return root if make or catalog_of(root).exists() else None
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a loop of links
        return None


def nearest_index(folder: Path) -> Path | None:
    """Return the nearest index folder here or above, None if there is none. The search ends at a
    git worktree inside of its own checkout. The folder may be a link; commands do not follow it
    unless it is named."""
    here = str(folder)  # `Path` takes ten times as long: 0.6 ms for 13 folders
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
    """Return whether a folder without an index uses the user's index: `pincite init --user` has
    created that, and there is no `pincite.toml` here. Unreachable files count as missing."""
    if os.path.isfile(folder / CONFIG_FILE):  # noqa: PTH113 - never raises, as below
        return False
    return os.path.isfile(user_config())  # noqa: PTH113


def is_inner_worktree(folder: str) -> bool:
    """Return whether a folder is a linked git worktree inside of the checkout that it belongs to,
    such as `.claude/worktrees/NAME`. An index above it has the files of another branch."""
    pointer = _start_of(f"{folder}/.git")
    if not pointer.startswith("gitdir:"):
        return False
    place = os.path.join(folder, pointer.removeprefix("gitdir:").strip())  # noqa: PTH118
    private = os.path.realpath(place) if "\0" not in place else ""
    worktrees = private.rpartition("/")[0]
    shared, _, name = worktrees.rpartition("/")
    if name != "worktrees" or not shared.endswith("/.git"):  # a submodule or a bare repository
        return False
    if _BARE.search(_start_of(f"{shared}/config")):
        return False
    return os.path.realpath(folder).startswith(f"{shared.removesuffix('.git')}")


def _start_of(file: str) -> str:
    """Return the first 10,000 characters of a regular file, "" for anything else."""
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
    return None if found is None or found.is_symlink() else found  # settings raise for a link
