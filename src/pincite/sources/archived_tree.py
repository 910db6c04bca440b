"""The members of an archive as a tree: they are judged as the same files in a folder would be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from pincite.errors import SourceError
from pincite.sources.entries import Entry, Selection, Skipped, SourceLimits
from pincite.sources.ignore_files import IGNORE_FILES, MAX_IGNORE_BYTES, rules_of, too_large
from pincite.sources.judged_names import Names, environment
from pincite.sources.kinds import ENVIRONMENT, reject_name
from pincite.sources.match_time import MatchTime
from pincite.support.fields import replace
from pincite.support.ignore_rules import FOREIGN, IgnoreRules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pincite.sources.members import Members

_LONGEST: Final = 4096  # characters of a path: what Linux takes as one
_EXCLUDE: Final = ".git/info/exclude"
_MOST_S: Final = 5  # to match patterns, on a slow machine
#: Microseconds more for each member: 250 patterns and a path of 100 characters, 130 in a large
#: project (estimated in `match_time`). 200,000 members take 25 s.
_MEMBER_US: Final = 125
_KEPT_FOLDERS: Final = 1_000  # of members that were looked up
_UNPACK: Final = "to index it, unpack the archive, and trust its .pinciteignore"


class ArchivedTree:
    """The members below the folder `top`, "" for all, of the archive at `place`. As many
    folders as members are entered."""

    def __init__(
        self, members: Members, top: str, selection: Selection, limits: SourceLimits, place: Path
    ) -> None:
        self._members, self._top = members, top
        self._place, self._name, self._max_folders = str(place), place.name, limits.max_members
        self._ignore_files = selection.ignore_files
        self._names = Names(selection)
        # without `include`: a page may include a file that is not indexed, but no excluded one
        self._unchosen = Names(replace(selection, include=()))
        self._parsed: dict[str, IgnoreRules | None] = {}
        self._by_path: dict[str, Entry | Skipped] = {}
        self._others: list[Skipped] = []  # notes about the archive, and names that lead out of it
        self._twice: list[Skipped] = []
        for found in members.listing:
            path = found.path.removeprefix(top)
            if isinstance(found, Skipped) and (found.of_archive or found.code == "outside"):
                self._others.append(found)
            elif len(path) > _LONGEST:
                detail = "the name is longer than a path can be"
                self._others.append(Skipped(path[:_LONGEST], "unreadable", detail))
            else:
                rejected = isinstance(found, Entry) and reject_name(
                    path, found.size, limits, selection.file_types
                )
                self._add(path, rejected or _moved(found, path))
        self._with_rules = self._accepted()
        self._entered: dict[str, tuple[IgnoreRules, ...] | Skipped | None] = {}

    def _add(self, path: str, found: Entry | Skipped) -> None:
        """Add a member. Of those with the same name, a link does not hide a file."""
        first = self._by_path.setdefault(path, found)
        if first is found:
            return
        if _weight(found) > _weight(first):
            self._by_path[path], found = found, first
        if isinstance(found, Skipped):
            self._twice.append(found)

    def entries(self) -> Iterator[Entry | Skipped]:
        """Yield the members, in the order of their paths, and the folders that are left out, each
        once."""
        time = MatchTime(_MOST_S, _MEMBER_US)
        root = self._enter("", (), self._names)
        if not isinstance(root, tuple):
            yield from (root,) if root else ()
            return
        stack = [_Folder("", root)]
        entered = 0
        others = {id(one) for one in self._others}
        listed = [*self._by_path.values(), *self._twice, *self._others]
        for found in sorted(listed, key=lambda one: one.path):
            if id(found) in others:
                yield found
                continue
            path = found.path
            while not path.startswith(stack[-1].path):
                stack.pop()
            begin = len(stack[-1].path)
            while stack[-1].rules is not None and (end := path.find("/", begin)) >= 0:
                begin = end + 1
                if (entered := entered + 1) > self._max_folders:
                    yield Skipped(self._name, "oversize", self._too_many(), of_archive=True)
                    return
                if not time.pays(stack[-1].rules, (path[:begin],), granted=0):
                    yield self._too_long()
                    return
                inner = self._enter(path[:begin], stack[-1].rules, self._names)
                if isinstance(inner, Skipped):
                    yield inner
                stack.append(_Folder(path[:begin], inner if isinstance(inner, tuple) else None))
            rules = stack[-1].rules
            if rules is not None and not time.pays(rules, (path,), granted=1):
                yield self._too_long()
                return
            judged = None if rules is None else self._judge(found, rules, self._names)
            if judged is not None:
                yield judged

    def look_up(self, path: str) -> Entry | Skipped | None:
        """Return a member, or the reason why it is left out, also if it is the folder that is; None
        if there is no such member, or if it is never listed. Patterns to include do not count."""
        found = self._by_path.get(path)
        if found is None:
            return None
        time = MatchTime(_MOST_S, _MEMBER_US)
        rules = self._enter("", (), self._unchosen)
        begin = 0
        while isinstance(rules, tuple) and (end := path.find("/", begin)) >= 0:
            begin = end + 1
            folder = path[:begin]
            if folder not in self._entered:
                if not time.pays(rules, (folder,), granted=0):
                    return self._too_long()
                if len(self._entered) >= _KEPT_FOLDERS:
                    self._entered.clear()
                self._entered[folder] = self._enter(folder, rules, self._unchosen)
            rules = self._entered[folder]
        if not isinstance(rules, tuple):
            return rules
        if not time.pays(rules, (path,), granted=1):
            return self._too_long()
        return self._judge(found, rules, self._unchosen)

    def _enter(
        self, folder: str, above: tuple[IgnoreRules, ...], names: Names
    ) -> tuple[IgnoreRules, ...] | Skipped | None:
        """Return the rules for the names in a folder, of which `above` are those of the folders
        above it; the reason to leave it out, or None if it is never listed."""
        judged = names.judge(folder, above) if folder else True
        if isinstance(judged, Skipped):
            return _untrusted_is_ignored(judged)
        if not judged:
            return None
        if f"{folder}{ENVIRONMENT}" in self._by_path:
            return environment(folder)
        if not self._ignore_files:
            return ()
        is_checkout = f"{folder}.git/HEAD" in self._by_path
        # whose checkout it is cannot be told
        rules = (*above, FOREIGN) if is_checkout and folder else above
        for name in (_EXCLUDE, *IGNORE_FILES) if is_checkout else IGNORE_FILES:
            if detail := self._above_limit(f"{folder}{name}"):
                return Skipped(folder, "oversize", detail)
            rules += self._rules(f"{folder}{name}", folder)
        return rules

    def _judge(
        self, found: Entry | Skipped, rules: tuple[IgnoreRules, ...], names: Names
    ) -> Entry | Skipped | None:
        judged = names.judge(found.path, rules)
        if isinstance(judged, Skipped):
            return _untrusted_is_ignored(judged)
        return found if judged else None

    def _above_limit(self, path: str) -> str:
        """Return why the patterns of an ignore file do not apply, "" if they do, or without it."""
        found = self._by_path.get(path)
        if found is None or path in self._with_rules:
            return ""
        if isinstance(found, Entry):
            return too_large(path, together=found.size <= MAX_IGNORE_BYTES)
        return too_large(path) if found.code == "oversize" else ""

    def _accepted(self) -> frozenset[str]:
        """Return the paths of the ignore files whose patterns apply, together at most a megabyte:
        to compile them takes much longer than to unpack them. If one does not apply, its folder is
        left out, so those of outer folders come first."""
        accepted, total = set[str](), 0
        found_ones = [
            (path.removesuffix(_EXCLUDE).count("/"), path, found)
            for path, found in self._by_path.items()
            if path.rpartition("/")[2] in IGNORE_FILES or f"/{path}".endswith(f"/{_EXCLUDE}")
        ]
        for _, path, found in sorted(found_ones, key=lambda one: one[:2]):
            if isinstance(found, Entry) and total + found.size <= MAX_IGNORE_BYTES:
                total += found.size
                accepted.add(path)
        return frozenset(accepted)

    def _rules(self, path: str, folder: str) -> tuple[IgnoreRules, ...]:
        if path not in self._with_rules:
            return ()
        if path not in self._parsed:
            try:
                raw = self._members.read(self._top + path)
            except SourceError:
                raw = b""
            self._parsed[path] = rules_of(raw, f"{self._place}/{path}", folder)
        found = self._parsed[path]
        return (found,) if found else ()

    def _too_long(self) -> Skipped:
        detail = "its patterns would take too long to match; the rest was not read"
        return Skipped(self._name, "oversize", detail, of_archive=True)

    def _too_many(self) -> str:
        return f"contains more than {self._max_folders:,} folders; the rest was not read"


class _Folder(msgspec.Struct, frozen=True):
    path: str  # ends in a slash, "" for the root
    rules: tuple[IgnoreRules, ...] | None  # for the names in it, None if it is left out


def _weight(found: Entry | Skipped) -> int:
    """Return which of two members with the same name counts. What an ignore file above the limit
    leaves out is not known, so it counts more than a link."""
    return 2 if isinstance(found, Entry) else found.code == "oversize"


def _moved(found: Entry | Skipped, path: str) -> Entry | Skipped:
    if isinstance(found, Skipped):
        return Skipped(path, found.code, found.detail)
    return Entry(path, found.size, found.mtime_ns)


def _untrusted_is_ignored(found: Skipped) -> Skipped:
    """Return the reason with a member in mind: nobody can trust a file inside of an archive."""
    return Skipped(found.path, "ignored", _UNPACK) if found.code == "untrusted" else found
