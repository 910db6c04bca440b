"""Judge files and folders by their names, the same way in folders and in archives."""

from __future__ import annotations

import shlex

from pincite.sources.entries import Selection, Skipped
from pincite.sources.ignore_files import IGNORE_FILES
from pincite.sources.kinds import DEPENDENCY_FOLDERS, SHOWN_HIDDEN_FOLDERS, SKIPPED_FOLDERS
from pincite.support.ignore_rules import IgnoreRules, left_out_by, parse_rules


class Names:
    """What the names of a source decide, with the patterns of a selection."""

    def __init__(self, selection: Selection) -> None:
        self._hidden = selection.hidden
        self._include = parse_rules("", selection.include)
        self._exclude = parse_rules("", selection.exclude)

    def judge(self, path: str, rules: tuple[IgnoreRules, ...]) -> Skipped | bool:
        """Return the reason to leave a file or a folder out, False if it is never listed, else
        True. The path of a folder ends in a slash. `rules` are those of the folders above it, the
        root first; none of these folders may be left out itself."""
        name = path.removesuffix("/").rpartition("/")[2]
        if path.endswith("/"):
            if name in SKIPPED_FOLDERS:
                return False
            if name in DEPENDENCY_FOLDERS:
                return Skipped(path, "dependencies")
        if name[0] == "." and not self._hidden and name not in SHOWN_HIDDEN_FOLDERS:
            listed = name not in IGNORE_FILES and name != ".git"
            return Skipped(path, "hidden") if listed else False
        by = left_out_by(path, rules) if rules else None
        if not self._admits(path) or (by is not None and not _is_readmitted(path, by)):
            return Skipped(path, "ignored")
        if by is not None:
            return Skipped(path, "untrusted", f"pincite trust {shlex.quote(by.untrusted)}")
        return True

    def _admits(self, path: str) -> bool:
        if self._exclude and self._exclude.verdict(path):
            return False
        return not self._include or path.endswith("/") or self._include.covers(path)


def environment(folder: str) -> Skipped:
    """Return why a virtual environment is left out. Its path ends in a slash, "" for the root."""
    return Skipped(folder, "dependencies", "a virtual environment of Python")


def _is_readmitted(path: str, by: IgnoreRules) -> bool:
    """Return whether rules that leave a path out would include it if they were trusted."""
    return bool(by.untrusted) and by.verdict(path) is False
