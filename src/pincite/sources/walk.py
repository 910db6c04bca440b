"""Walk a folder: yield every file once, in the order of paths. Only ignore files are opened."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pincite.sources.entries import (
    NAME_IS_NO_TEXT,
    Entry,
    Selection,
    SkipCode,
    Skipped,
    SourceLimits,
    mtime_of,
)
from pincite.sources.ignore_files import IGNORE_FILES, IgnoreReader, TooManyPatterns
from pincite.sources.judged_names import Names, environment
from pincite.sources.kinds import ENVIRONMENT, reject_name
from pincite.sources.match_time import MatchTime
from pincite.sources.nested_checkouts import DOT_GIT, nested_checkout, rules_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pincite.support.ignore_rules import IgnoreRules

#: To match patterns, on a slow machine: seconds of a walk, and microseconds more for each name. A
#: thousand patterns and paths of 100 characters need 520, 200 patterns need 105. An honest tree is
#: left out if it has more than two thousand patterns for each of its names.
_MOST_S = 20
_NAME_US = 1_000
_SLOW_PATTERNS = (
    "the patterns in force here would take too long to match, so it is not known what they leave"
    " out; shorten the ignore files above, or exclude the folder"
)
_WITH_RULES = (*IGNORE_FILES, DOT_GIT)  # names in a folder that bring rules


class Walk:
    """One walk below `root`, a folder whose path contains no links, with its rules."""

    def __init__(
        self,
        root: Path,
        selection: Selection,
        limits: SourceLimits,
        entering: Callable[[str], None] = lambda _: None,
        excluding: Callable[[Path], None] = lambda _: None,
        git_folders: tuple[Path, ...] = (),
    ) -> None:
        """`git_folders` are those of the checkout with this root; submodules have theirs there."""
        self._root = str(root)
        self._git_folders = git_folders
        self._entering = entering
        self._excluding = excluding
        self._selection = selection
        self._limits = limits
        self._ignore_files = IgnoreReader()
        self._scanned: dict[str, _Scanned | Skipped | None] = {}  # folders of names asked for
        self._names = Names(selection)
        self._time = MatchTime(_MOST_S, _NAME_US)

    def run(
        self, within: str = "", excludes: tuple[IgnoreRules, ...] = ()
    ) -> Iterator[Entry | Skipped]:
        """Yield everything below the folder `within`, a path that ends in a slash ("" for all).
        Ignore files of the folders above it apply, too."""
        try:
            rules = self._rules_above(within, excludes)
        except TooManyPatterns as error:
            yield Skipped(within, "oversize", str(error))
            return
        yield from self._all_of(self._list(within.removesuffix("/"), rules))

    def _rules_above(
        self, within: str, excludes: tuple[IgnoreRules, ...]
    ) -> tuple[IgnoreRules, ...]:
        rules = excludes
        parts = [part for part in within.split("/") if part]
        for depth in range(len(parts)):
            rules = self._rules_in("/".join(parts[:depth]), rules)
        return rules

    def _all_of(self, first: Iterator[Entry | Skipped | _Folder]) -> Iterator[Entry | Skipped]:
        stack = [first]
        while stack:
            found = next(stack[-1], None)
            if found is None:
                stack.pop()
            elif isinstance(found, _Folder):
                stack.append(self._list(found.path, found.rules))
            else:
                yield found

    def find(self, path: str, excludes: tuple[IgnoreRules, ...] = ()) -> Entry | Skipped | None:
        """Return what `run` would yield for one path, or for a folder above it that is left out;
        None if it would yield nothing."""
        folder, rules = "", excludes
        *parents, name = path.split("/")
        for part in parents:
            inner = self._look_up(folder, part, rules)
            if not isinstance(inner, _Folder):
                return inner if isinstance(inner, Skipped) else None
            folder, rules = f"{inner.path}/", inner.rules
        found = self._look_up(folder, name, rules)
        return None if isinstance(found, _Folder) or _is_folder(found, path) else found

    def below(
        self, path: str, excludes: tuple[IgnoreRules, ...] = (), within: str = ""
    ) -> Iterator[Entry | Skipped]:
        """Yield the entries that `run` would yield for one file in `within`, or for one folder and
        its contents. If a folder on the way to it cannot be listed, or is a virtual environment,
        that is yielded as skipped. If a name on the way is skipped, nothing is yielded."""
        if path == within.removesuffix("/"):
            yield from self.run(within, excludes)
            return
        try:
            folder, rules = within, self._rules_above(within, excludes)
        except TooManyPatterns as error:
            yield Skipped(within, "oversize", str(error))
            return
        *parents, name = path[len(within) :].split("/")
        for part in parents:
            inner = self._look_up(folder, part, rules)
            if not isinstance(inner, _Folder):
                if isinstance(inner, Skipped) and inner.path == folder:
                    yield inner
                return
            folder, rules = f"{inner.path}/", inner.rules
        found = self._look_up(folder, name, rules)
        if isinstance(found, _Folder):
            yield from self._all_of(self._list(found.path, found.rules))
        elif found is not None and not _is_folder(found, path):
            yield found

    def _look_up(
        self, folder: str, name: str, rules: tuple[IgnoreRules, ...]
    ) -> Entry | Skipped | _Folder | None:
        """Return what the listing of a folder has for a name, or the reason why it has nothing at
        all. The others of the folder are not judged. A folder's path ends in a slash, or is ""."""
        if folder not in self._scanned:
            self._scanned[folder] = self._scan(folder.removesuffix("/"), rules)
        there = self._scanned[folder]
        if not isinstance(there, _Scanned):
            return there
        path = f"{folder}{name}"
        if path not in there.items:
            path = f"{path}/"
        if path in there.items and path not in there.judged:
            if not self._time.pays(there.rules, (path,), granted=1):
                return Skipped(folder, "oversize", _SLOW_PATTERNS)
            there.judged[path] = self._judge(path, there.items[path], there.rules)
        return there.judged.get(path)

    def _rules_in(self, folder: str, rules: tuple[IgnoreRules, ...]) -> tuple[IgnoreRules, ...]:
        """Return the rules for the names in a folder, of which `rules` are those from above."""
        if not self._selection.ignore_files:
            return ()
        if folder:
            root = Path(self._root)
            nested = nested_checkout(root / folder, root, self._git_folders)
            if nested and nested.exclude_file:
                self._excluding(nested.exclude_file)
            rules = rules_in(folder, nested, rules) if nested else rules
        base = f"{folder}/" if folder else ""
        read = self._ignore_files.read
        found = (read(self._root, f"{base}{name}", folder) for name in IGNORE_FILES)
        return (*rules, *(one for one in found if one))

    def _list(
        self, folder: str, rules: tuple[IgnoreRules, ...]
    ) -> Iterator[Entry | Skipped | _Folder]:
        there = self._scan(folder, rules)
        if not isinstance(there, _Scanned):
            yield from (there,) if there else ()
            return
        items, rules = there.items, there.rules
        if not self._time.pays(rules, items, granted=len(items)):
            yield Skipped(f"{folder}/" if folder else "", "oversize", _SLOW_PATTERNS)
            return
        for path in sorted(items):
            found = self._judge(path, items[path], rules)
            if found is not None:
                yield found

    def _scan(self, folder: str, rules: tuple[IgnoreRules, ...]) -> _Scanned | Skipped | None:
        """Return the names in a folder with their rules, of which `rules` are those from above; the
        reason why it is left out, or None if it is gone."""
        base = f"{folder}/" if folder else ""
        self._entering(folder)
        try:
            with os.scandir(os.path.join(self._root, folder)) as scan:  # noqa: PTH118
                items = {base + _order(item): item for item in scan}
        except OSError as error:
            if folder and error.errno == errno.ENOENT:
                return None  # moved or removed meanwhile: an unmounted disk leaves its folder
            return Skipped(base, "unreadable", error.strerror or str(error))
        names = {item.name for item in items.values()}
        if ENVIRONMENT in names:
            return environment(base)
        if not names.isdisjoint(_WITH_RULES):
            try:
                rules = self._rules_in(folder, rules)
            except TooManyPatterns as error:
                return Skipped(base, "oversize", str(error))
        return _Scanned(items, rules, {})

    def _judge(
        self, path: str, item: os.DirEntry[str], rules: tuple[IgnoreRules, ...]
    ) -> Entry | Skipped | _Folder | None:
        if not path.isascii() and (why := _not_readable(item.name)):
            shown = os.fsencode(path).decode("utf-8", "replace")
            return Skipped(shown, "unreadable", why)
        judged = self._names.judge(path, rules)
        if isinstance(judged, Skipped):
            return judged
        if not judged:
            return None
        if item.is_symlink():
            return self._judge_link(path, item)
        if path.endswith("/"):
            return _Folder(path[:-1], rules)
        return self._judge_file(path, item)

    def _judge_file(self, path: str, item: os.DirEntry[str]) -> Entry | Skipped:
        try:
            status = item.stat(follow_symlinks=False)
        except OSError as error:
            return Skipped(path, "unreadable", error.strerror or str(error))
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, "special")
        file_types = self._selection.file_types
        rejected = reject_name(path, status.st_size, self._limits, file_types)
        return rejected or Entry(path, status.st_size, mtime_of(status), status.st_ctime_ns)

    def _judge_link(self, path: str, item: os.DirEntry[str]) -> Skipped:
        code: SkipCode
        try:
            target = os.path.realpath(item.path, strict=True)
        except OSError as error:
            code = "loop" if error.errno == errno.ELOOP else "unreadable"
            return Skipped(path, code, error.strerror or str(error))
        target = target.replace(os.sep, "/")
        root = self._root.replace(os.sep, "/").rstrip("/") + "/"
        if not f"{target}/".startswith(root):
            return Skipped(path, "outside", "the link points to a place outside of the source")
        if item.path.replace(os.sep, "/").startswith(target.rstrip("/") + "/"):
            return Skipped(path, "loop", "the link points to a folder that contains it")
        return Skipped(path, "link", target[len(root) :])


class _Folder(msgspec.Struct, frozen=True):
    path: str
    rules: tuple[IgnoreRules, ...]


class _Scanned(NamedTuple):
    """The names in a folder by path, with their rules. `judged` are those asked for so far."""

    items: dict[str, os.DirEntry[str]]  # the path of a folder ends in a slash
    rules: tuple[IgnoreRules, ...]
    judged: dict[str, Entry | Skipped | _Folder | None]


def _is_folder(found: Entry | Skipped | None, path: str) -> bool:
    """Return whether this is a folder that is left out itself, of which the path is asked for."""
    return found is not None and found.path == f"{path}/"


def _order(item: os.DirEntry[str]) -> str:
    """Return the sort key: the name, with a slash for a folder, so that whole paths are sorted."""
    return f"{item.name}/" if item.is_dir(follow_symlinks=False) else item.name


def _not_readable(name: str) -> str:
    """Return why a name is not the UTF-8 text of its bytes on disk, "" if it is. In a locale that
    is not UTF-8, Python decodes these bytes as other letters."""
    raw = os.fsencode(name)
    try:
        is_same = raw.decode("utf-8") == name
    except UnicodeDecodeError:
        return NAME_IS_NO_TEXT
    return "" if is_same else "the locale of this process is not UTF-8: set PYTHONUTF8=1"
