"""Find the index folder, and pack a client's variables for its daemon, which reads the settings
from them. It is quick to import."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

CONFIG_FILE: Final = "pincite.toml"
_FOLDER: Final = ".pincite"
_CATALOG: Final = "catalog.db"
#: Where files are that no setting names.
_PLACES: Final = (
    *("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"),
)
_PREFIX: Final = "PINCITE_"
_OURS: Final = (
    *("QDRANT_COLLECTION", "SEARCH_MODE", "SEARCH_VECTOR_WEIGHT"),
    *("QDRANT_URL", "RERANK_ENABLED", "RERANK_PROVIDER", "RERANK_MODEL", "RERANK_BASE_URL"),
    *("CHAT_MODE", "RETRIEVAL_STRATEGY", "RETRIEVAL_SCORE_THRESHOLD", "QUERY_REWRITE_ENABLED"),
)
#: Those that name a place, which counts from the folder that the client is in.
_PATHS: Final = (
    "PINCITE_INDEX",
    "PINCITE_MODELS",
    "PINCITE_CONFIG",
    "PINCITE_CACHE",
    "PINCITE_RATES",
)
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
        name: value for name, value in known.items() if name.startswith(_PREFIX) or name in _OURS
    }
    if any(_SECRET in name for name in ours):
        return None
    if any(not Path(ours[name]).is_absolute() for name in _PATHS if ours.get(name)):
        return None
    try:
        folder = Path.cwd()
        root = _chosen(index, ours, folder)
        if root is None or str(root).startswith("~"):
            return None
        root = folder / root
        (root / _CATALOG).stat()
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
            root = Path(_FOLDER)
        if root is None or str(root).startswith("~"):
            return None
        root = (folder / root).resolve()
        return root if make or (root / _CATALOG).exists() else None
    except (OSError, RuntimeError, ValueError):  # RuntimeError: links that go round in circles
        return None


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
    named = environ.get("PINCITE_INDEX")
    return index or (Path(named) if named else _found(folder))


def _found(folder: Path) -> Path | None:
    here = str(folder)
    while True:
        if os.path.isfile(f"{here}/{_FOLDER}/{_CATALOG}"):  # noqa: PTH113 - for each folder above
            place = Path(here, _FOLDER)
            return None if place.is_symlink() else place  # the settings refuse it
        above = here.rpartition("/")[0]
        if above == here or is_inner_worktree(here):
            return None
        here = above
