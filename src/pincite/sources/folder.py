"""Sources on disk: a plain folder, a git checkout, or one file of either."""

from __future__ import annotations

import errno
import os
import stat
from functools import cached_property
from typing import TYPE_CHECKING

from pincite.errors import SourceError
from pincite.model.left_out import lies_in, outer_parts
from pincite.model.revisions import DIRTY, content_digits, content_ref, dirty_ref, is_commit
from pincite.sources.entries import (
    Entry,
    OpenSource,
    Selection,
    Skipped,
    SourceLimits,
    UnreadableFile,
    mtime_of,
)
from pincite.sources.ignore_files import read_exclude_file
from pincite.sources.kinds import reject_name
from pincite.sources.named_parts import admits, with_named
from pincite.sources.walk import Walk
from pincite.support.capabilities import open_below
from pincite.support.fields import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from pincite.model import Source
    from pincite.sources.git import Checkout
    from pincite.sources.git_objects import Tree
    from pincite.support.ignore_rules import IgnoreRules


#: Skip codes that do not depend on a file's content.
_BY_NAME = frozenset({"ignored", "untrusted", "hidden", "binary", "dependencies"})
#: Errors for paths that no longer exist, or have become folders or links.
_REPLACED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP})


class FolderSource(OpenSource):
    """Files below `root`, or the one file or folder `within` it. Paths are relative to `root`."""

    def __init__(
        self,
        source: Source,
        *,
        root: Path,
        within: str,
        selection: Selection,
        limits: SourceLimits,
        checkout: Checkout | None = None,
    ) -> None:
        super().__init__(source, within=within)
        self._root = root
        self._location = str(root)
        self._selection = selection
        self._limits = limits
        self._checkout = checkout
        # without `include`: a page may include a file that is not indexed, but no excluded one
        self._finder = self._walk(replace(selection, include=()))

    def _walk(
        self,
        selection: Selection,
        entering: Callable[[str], None] = lambda _: None,
        excluding: Callable[[Path], None] = lambda _: None,
    ) -> Walk:
        folders = self._checkout.git_folders if self._checkout else ()
        return Walk(self._root, selection, self._limits, entering, excluding, folders)

    def entries(self) -> Iterator[Entry | Skipped]:
        """See OpenSource."""
        return self.visit(lambda _: None)

    def visit(
        self,
        entering: Callable[[str], None],
        excluding: Callable[[Path], None] = lambda _: None,
    ) -> Iterator[Entry | Skipped]:
        """Yield entries as `entries` does. `entering` is called with the path of each folder before
        its ignore files and its listing are read. It may raise an error to end the walk.
        `excluding` is called with the path of each `info/exclude` of a nested checkout."""
        if self.within and not self.within.endswith("/"):
            return iter((self._single(self.within),))
        walk = self._walk(self._selection, entering, excluding)
        named = [self._part_below(walk, part, "") for part in self._inner]
        return with_named(walk.run(self.within, self._excludes), named)

    def below(
        self,
        paths: Iterable[str],
        entering: Callable[[str], None] = lambda _: None,
        excluding: Callable[[Path], None] = lambda _: None,
    ) -> Iterator[Entry | Skipped]:
        """Yield entries as `entries` does, for these files and these folders with their contents,
        each once. Paths outside of this part of the source are ignored. For the calls see
        `visit`."""
        ours = self.among(paths)
        if self.within and not self.within.endswith("/"):
            if ours:
                yield self._single(self.within)
            return
        walk = self._walk(self._selection, entering, excluding)
        inner = self._inner
        seen: set[str] = set()
        for path in ours:
            listed = walk.below(path, self._excludes, self.within)
            for found in with_named(listed, [self._part_below(walk, p, path) for p in inner]):
                if found.path not in seen:
                    seen.add(found.path)
                    yield found

    @property
    def _inner(self) -> tuple[str, ...]:
        """Return the named parts inside `within` that exist and are not excluded."""
        return tuple(
            part
            for part in self.parts
            if part != self.within and lies_in(part, self.within) and self._is_there(part)
        )

    def _is_there(self, part: str) -> bool:
        if not admits(self._selection, part):
            return False
        try:
            (self._root / part).lstat()
        except OSError as error:
            return error.errno not in _REPLACED  # an unreadable part may exist
        return self._reaches(part) and (part.endswith("/") or isinstance(self._single(part), Entry))

    def _part_below(self, walk: Walk, part: str, path: str) -> Iterator[Entry | Skipped]:
        """Yield the entries of a part that are at or below a path, "" for all."""
        if not path or part == path or lies_in(part, f"{path}/"):
            whole = part.endswith("/")
            yield from walk.run(part, self._excludes) if whole else (self._single(part),)
        elif lies_in(path, part):
            yield from walk.below(path, self._excludes, part)

    def parts_to_name(self, parts: Collection[str]) -> tuple[str, ...]:
        """See OpenSource."""
        outer = dict.fromkeys(outer_parts(parts))

        def is_needed(part: str) -> bool:
            above = next(one for one in outer if lies_in(part, one))
            listed = self._finder.below(part.removesuffix("/"), self._excludes, above)
            return self._is_there(part) and not any(isinstance(one, Entry) for one in listed)

        return tuple(part for part in sorted(parts) if part in outer or is_needed(part))

    def among(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the paths that are `within`, or inside it, in the given order."""
        whole = self.within.removesuffix("/")
        if self.within == whole:  # one file, or everything
            return tuple(path for path in paths if not whole or path == whole)
        return tuple(path for path in paths if path == whole or path.startswith(self.within))

    def is_left_out(self, path: str) -> bool:
        """Return whether a path is excluded whatever its content: by its name, an ignore file or a
        pattern to exclude."""
        found = self.left_out(path)
        return found is not None and found.code in _BY_NAME

    def left_out(self, path: str) -> Skipped | None:
        """See OpenSource."""
        found = None if self.source.kind == "file" else self._look_up(path)
        return found if isinstance(found, Skipped) else None

    @property
    def git_folder(self) -> Path | None:
        """Return the git folder of this work tree, which contains its HEAD; None without one."""
        return self._checkout.private if self._checkout else None

    @property
    def exclude_file(self) -> Path | None:
        """Return the path of `info/exclude` in the git folder, which need not exist; None without a
        checkout, or if ignore files are not respected."""
        return (
            self._checkout.exclude_file if self._checkout and self._selection.ignore_files else None
        )

    def find(self, path: str) -> Entry | None:
        """See OpenSource."""
        found = self._find(path)
        return found if isinstance(found, Entry) else None

    def has_file(self, path: str) -> bool:
        """Return whether a listing would have a file at this path, be it a skipped one."""
        found = self._find(path)
        return found is not None and found.path == path

    def _find(self, path: str) -> Entry | Skipped | None:
        if self.source.kind == "file":
            return self._single(path) if path == self.within else None
        return self._look_up(path)

    def _look_up(self, path: str) -> Entry | Skipped | None:
        """Return the entry that a listing would yield for a path. A named part is listed even if
        its own name is hidden or ignored."""
        excludes = self._excludes
        for part in self.parts:
            if part and path == part:
                there = self._reaches(path) and os.path.lexists(self._root / path)
                return self._single(path) if there else None
            if part.endswith("/") and path.startswith(part) and self._reaches(f"{part}."):
                below = self._finder.below(path, excludes, part)
                return next((one for one in below if one.path == path), None)
        return self._finder.find(path, excludes)

    def _reaches(self, path: str) -> bool:
        """Return whether all folders above a path exist and are not links."""
        parents = path.split("/")[:-1]
        try:
            return all(
                stat.S_ISDIR(self._root.joinpath(*parents[: depth + 1]).lstat().st_mode)
                for depth in range(len(parents))
            )
        except (OSError, ValueError):
            return False

    @cached_property
    def _excludes(self) -> tuple[IgnoreRules, ...]:
        if self._checkout is None or not self._selection.ignore_files:
            return ()
        return read_exclude_file(self._checkout.exclude_file)

    def _single(self, path: str) -> Entry | Skipped:
        try:
            status = (self._root / path).lstat()
        except OSError as error:
            return Skipped(path, "unreadable", error.strerror or str(error))
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, "special")
        file_types = self._selection.file_types
        rejected = reject_name(path, status.st_size, self._limits, file_types)
        return rejected or Entry(path, status.st_size, mtime_of(status), status.st_ctime_ns)

    def read(self, entry: Entry) -> bytes:
        """See OpenSource. Only a regular file within the limits is read, even if the file or a
        folder above it has been replaced since the listing."""
        try:
            handle = open_below(self._location, entry.path)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise SourceError(f"{entry.path} has become a link; index again.") from error
            if error.errno in _REPLACED:
                raise SourceError(f"{entry.path} cannot be read: {error.strerror}.") from error
            raise UnreadableFile(entry.path, error.strerror or str(error)) from error
        limit = self._limits.most_bytes(entry.path)
        with os.fdopen(handle, "rb") as opened:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise SourceError(f"{entry.path} is no longer a regular file; index again.")
            expected = min(status.st_size, limit) + 1
            try:
                raw = opened.read(expected)  # room for the limit takes longer than small files
                if len(raw) == expected <= limit:  # it has grown
                    raw += opened.read(limit + 1 - expected)
            except OSError as error:
                raise UnreadableFile(entry.path, error.strerror or str(error)) from error
        if len(raw) > limit:
            raise SourceError(f"{entry.path} has grown above the limit of {limit:,} bytes.")
        return raw

    def can_read(self, entry: Entry) -> bool:
        """See OpenSource."""
        try:
            os.close(open_below(self._location, entry.path))
        except OSError:
            return False
        return True

    def read_at(self, ref: str, path: str) -> bytes | None:
        """See OpenSource. Only commits that are available in the checkout can be read."""
        return self._checkout.read_at(ref, path) if self._checkout else None

    def contradicts(self, entry: Entry, raw: bytes | None = None) -> bool:
        """See OpenSource. A checkout knows the content of its tags, branches and commits."""
        if self._given is None:
            return False
        try:
            return self._given.has(entry.path, self.read(entry) if raw is None else raw) is False
        except SourceError:
            return False  # indexing reports the reason

    def own_ref(self, entry: Entry, content_hash: str, raw: bytes | None = None) -> str:
        """See OpenSource. In a checkout: HEAD for a file that equals the committed one, apart from
        line endings; HEAD with the content hash for a changed one."""
        head = self._checkout.head if self._checkout else None
        if head is None or self._committed is None:
            return content_ref(content_hash)
        try:
            committed = self._committed.has(entry.path, self.read(entry) if raw is None else raw)
        except SourceError:
            committed = None  # unreadable by now: only the hash of its earlier content is known
        if committed is None:
            return content_ref(content_hash)
        return head if committed else dirty_ref(head, content_hash)

    def keeps(self, ref: str) -> bool:
        """See OpenSource. A file keeps its revision if the checkout is still at that commit, or if
        the commit of the checkout cannot be read now: the earlier commit has the same content."""
        head = self._checkout.head if self._checkout else None
        if head is None:
            return False
        commit, dirty, _ = ref.partition(DIRTY)
        if dirty and not content_digits(ref):  # of an earlier version
            return False
        if head == self.source.ref and commit == head:
            return True
        return not self.source.pinned and is_commit(commit) and self._committed is None

    @property
    def unread_commit(self) -> str | None:
        """See OpenSource."""
        asked = "_committed" in self.__dict__  # the cached property has been used
        head = self._checkout.head if self._checkout else None
        return head if asked and self._committed is None else None

    def read_commit(self) -> None:
        """See OpenSource."""
        _ = self._committed

    @cached_property
    def _given(self) -> Tree | None:
        """Return the content of the revision that was given for a checkout; None if the checkout
        does not have that revision."""
        ref, checkout = self.source.ref, self._checkout
        return checkout.content_of(ref, self.within) if ref and checkout else None

    @cached_property
    def _committed(self) -> Tree | None:
        return self._checkout.committed(self.within) if self._checkout else None
