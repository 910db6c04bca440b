"""Checkouts below the root of a source: submodules, linked worktrees, and checkouts of others.

In a submodule or a linked worktree of the checkout around it, git applies the rules of that one
only. Its git folder is in the one of the outer checkout, and names the work tree. So git has made
it on this machine.

Any other `.git` may have come with the files of somebody else. If the outer rules did not apply
there, that `.git` would make files readable that the user has hidden. So a file stays left out if
the rules of either checkout leave it out.

Nothing is run. No link is followed, and no place is touched outside of the source and of the git
folders of the checkout around it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from pincite.sources.git import is_head, work_tree_in
from pincite.sources.ignore_files import read_rules
from pincite.support.capabilities import open_below
from pincite.support.ignore_rules import FOREIGN, IgnoreRules

DOT_GIT: Final = ".git"
_MAX_BYTES: Final = 100_000  # of `.git`, HEAD and the configuration: guess, unmeasured
_POINTER: Final = "gitdir:"


class Nested(msgspec.Struct, frozen=True):
    """A nested checkout. `exclude_file` is the path of its `info/exclude`, which need not exist.
    `known`: the checkout around it has it as a submodule or a linked worktree."""

    exclude_file: Path | None
    known: bool


def nested_checkout(top: Path, root: Path, git_folders: Sequence[Path]) -> Nested | None:
    """Return the checkout whose work tree begins at `top`, a folder below `root` without links on
    the way. `git_folders` are those of the checkout with this root, if it is one. None if there is
    no checkout, or if its git folder is not in these places."""
    dot_git = top / DOT_GIT
    allowed = (root, *git_folders)
    private = _plain(dot_git, allowed)
    if private is None:
        text = _text(dot_git)
        if not text.startswith(_POINTER):
            return None
        private = _plain(_joined(top, text.removeprefix(_POINTER)), allowed)
    if private is None or not is_head(_text(private / "HEAD")):
        return None
    common = _text(private / "commondir")
    shared = _plain(_joined(private, common), allowed) if common.strip() else private
    if shared is None or not all(_is_folder(shared / one) for one in ("objects", "refs")):
        return None
    ours = any(private.is_relative_to(one) for one in git_folders)
    info = shared / "info"
    exclude_file = info / "exclude" if _is_folder(info) else None
    return Nested(exclude_file, known=ours and _names(private, top))


def rules_in(top: str, nested: Nested, rules: tuple[IgnoreRules, ...]) -> tuple[IgnoreRules, ...]:
    """Return the rules that apply at the root of a nested checkout, before its ignore files.
    `rules` are those around it, and `top` is its path in the source."""
    file = nested.exclude_file
    exclude = read_rules(str(file.parent), file.name, top) if file else None
    # git does not know a `.pinciteignore`: it applies in all folders below
    outer = tuple(one for one in rules if not one.of_git) if nested.known else (*rules, FOREIGN)
    return (*outer, exclude) if exclude else outer


def _names(private: Path, top: Path) -> bool:
    """Return whether the git folder of a worktree or of a submodule names this work tree."""
    back = _text(private / "gitdir")
    if back.strip():
        return _joined(private, back) == top / DOT_GIT
    tree = work_tree_in(_text(private / "config"))
    return bool(tree) and _joined(private, tree) == top


def _plain(place: Path, allowed: Sequence[Path]) -> Path | None:
    """Return a folder in one of these places, None if it is elsewhere, no folder or behind a
    link. Places elsewhere are not touched: a look at one may mount a disk."""
    for root in allowed:
        if place.is_relative_to(root):
            parts = place.relative_to(root).parts
            steps = (root.joinpath(*parts[: end + 1]) for end in range(len(parts)))
            return place if all(map(_is_folder, steps)) else None
    return None


def _joined(folder: Path, name: str) -> Path:
    return Path(os.path.normpath(folder / name.strip()))


def _is_folder(place: Path) -> bool:
    try:
        return stat.S_ISDIR(place.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _text(file: Path) -> str:
    """Return the text of a small regular file, "" for anything else; never blocks."""
    try:
        with os.fdopen(open_below(str(file.parent), file.name), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
                return ""
            return opened.read(_MAX_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""
