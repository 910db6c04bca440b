"""Tell whether git ignores a file or folder, without a walk, for files of others.

Only `.gitignore` files and `info/exclude` count, in nested checkouts those that apply in a walk.
Whoever wrote them cannot make this slow: of an ignore file, only the lines that may match a name
are compiled, each name is judged once, and all questions together have a limit.
"""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pincite.sources.git import git_folders_of
from pincite.sources.ignore_files import MAX_IGNORE_BYTES, read_ignore_file
from pincite.sources.nested_checkouts import Nested, nested_checkout
from pincite.support.ignore_rules import parse_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    #: Ignore files, the one that decides first at the end, each after its folder. None stands
    #: before those of a tree of somebody else, which include nothing again.
    _Rules = list[tuple[str, "_IgnoreFile"] | None]

_GIT_IGNORE: Final = ".gitignore"
#: Estimated microseconds, on a slow machine: of all questions, for a folder and a byte of its path,
#: to read a byte, to compile a byte of a pattern, and to match it with a byte of a path.
_MOST_US: Final = 1_000_000
_FOLDER_US: Final = 50
_NAME_US: Final = 0.05
_READ_US: Final = 1
_COMPILE_US: Final = 10
_MATCH_US: Final = 0.02


class GitIgnored:
    """What git ignores below `folder`, an existing folder whose path contains no links."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._top: Path | None = None
        self._git_folders: tuple[Path, ...] = ()
        self._files: dict[str, _IgnoreFile | None] = {}
        self._nested: dict[str, Nested | None] = {}
        self._judged: dict[str, bool] = {}
        self._left_us = float(_MOST_US)

    def has(self, place: Path) -> bool | None:
        """Return whether git ignores a place, or a folder between it and `folder`. False for a
        place that does not exist, or that is not below `folder`. `place` has no links. Return None
        if an ignore file has more than a megabyte, or if the questions so far take too long."""
        if place == self._folder or not place.is_relative_to(self._folder):
            return False
        try:
            self._spend(_FOLDER_US)
            return os.path.lexists(place) and self._is_ignored(place)
        except _TooMuch:
            self._left_us = -1
            return None

    def _is_ignored(self, place: Path) -> bool:
        if self._top is None:
            self._top = self._find_top()
        here = top = str(self._top)
        rules: _Rules = []
        if self._git_folders:
            self._add(self._git_folders[-1] / "info" / "exclude", top, rules)
        outer = len(self._folder.parts) - len(self._top.parts)
        for depth, name in enumerate(place.relative_to(self._top).parts):
            if here != top and (nested := self._nested_at(here)):
                rules = [] if nested.known else [*rules, None]
                if nested.exclude_file:
                    self._add(nested.exclude_file, here, rules)
            self._add(Path(here, _GIT_IGNORE), here, rules)
            here = os.path.join(here, name)  # noqa: PTH118
            if depth < outer:  # the folder itself, or one above
                continue
            if here not in self._judged:
                self._judged[here] = self._judge(here, name, rules)
            if self._judged[here]:
                return True
        return False

    def _find_top(self) -> Path:
        """Return the root of the innermost checkout around the folder, else the folder."""
        for one in (self._folder, *self._folder.parents):
            self._spend(_FOLDER_US + len(str(one)) * _NAME_US)
            if found := git_folders_of(one):
                self._git_folders = found
                return one
        return self._folder

    def _judge(self, place: str, name: str, rules: _Rules) -> bool:
        end = "/" if os.path.isdir(place) else ""  # noqa: PTH112
        kept = False  # by a rule of this tree
        for each in reversed(rules):
            if each is None or kept:
                kept = kept and each is not None
                continue
            folder, file = each
            path = place[len(folder) :].replace(os.sep, "/").lstrip("/") + end
            lines = file.lines_for(os.fsencode(name))
            size = sum(map(len, lines))
            self._spend(_FOLDER_US + size * (_COMPILE_US + len(path) * _MATCH_US))
            found = parse_rules("", lines)
            verdict = found.verdict(path) if found is not None else None
            if verdict:
                return True
            kept = verdict is False
        return False

    def _add(self, place: Path, base: str, rules: _Rules) -> None:
        file = str(place)
        if file not in self._files:
            self._files[file] = self._read(file)
        found = self._files[file]
        if found is not None:
            rules.append((base, found))

    def _read(self, file: str) -> _IgnoreFile | None:
        """Return the lines of an ignore file, None without any; git follows no link, either."""
        self._spend(_FOLDER_US + len(file) * _NAME_US)
        try:
            status = os.lstat(file)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > MAX_IGNORE_BYTES:
            raise _TooMuch
        self._spend(status.st_size * _READ_US)
        raw = read_ignore_file(*os.path.split(file))
        return _IgnoreFile(raw) if raw else None

    def _nested_at(self, folder: str) -> Nested | None:
        if folder not in self._nested:
            self._spend(_FOLDER_US + len(folder) * _NAME_US)
            top = self._top or self._folder
            found = nested_checkout(Path(folder), top, self._git_folders)
            self._nested[folder] = found
        return self._nested[folder]

    def _spend(self, us: float) -> None:
        self._left_us -= us
        if self._left_us < 0:
            raise _TooMuch


class _TooMuch(Exception):  # it never leaves this file
    """The questions take too long."""


class _IgnoreFile:
    """The lines of an ignore file by the letters with which a name must end that they match."""

    def __init__(self, raw: bytes) -> None:
        self._by_end: defaultdict[bytes, list[tuple[int, bytes]]] = defaultdict(list)
        for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")):
            if line and not line.startswith(b"#"):
                self._by_end[_end_of(line)].append((number, line))

    def lines_for(self, name: bytes) -> list[str]:
        """Return the lines that may match a path with this name, in their order."""
        return [line.decode("utf-8", "surrogateescape") for _, line in sorted(self._found(name))]

    def _found(self, name: bytes) -> Iterator[tuple[int, bytes]]:
        for begin in range(len(name) + 1):
            yield from self._by_end.get(name[begin:], ())


def _end_of(line: bytes) -> bytes:
    """Return the plain letters at the end of a pattern, at most those after the last slash."""
    body = line.removeprefix(b"!").rstrip(b"\r").rstrip(b" ").removesuffix(b"/")
    return body[max(map(body.rfind, (b"/", b"*", b"?", b"[", b"]", b"\\"))) + 1 :]
