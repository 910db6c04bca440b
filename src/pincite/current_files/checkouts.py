"""The current revision of a file in a checkout, for its citation."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.model.revisions import content_ref, dirty_ref
from pincite.sources.git import find_checkout, head_of
from pincite.sources.git_objects import is_blob

_REMEMBERED = 20_000  # files; each takes 300 bytes
_AGAIN_S = 60.0  # guess, unmeasured: until a commit that could not be read is asked for again


@dataclass(frozen=True, slots=True)
class GitFile:
    """A file of a checkout with its content, and the revision that it was indexed at, empty where
    it had another content then."""

    path: str
    content_hash: str
    ref: str = ""


class Checkouts:
    """Work trees by their root, and what their commits have been found to hold."""

    def __init__(self) -> None:
        self._refs: dict[tuple[str, str, str, str], str] = {}
        self._blobs: dict[tuple[str, str, str], str | None] = {}
        self._unread_until_s: dict[tuple[str, str], float] = {}

    def head(self, root: str) -> str | None:
        """The commit that is checked out. Reads two small files."""
        return head_of(Path(root))

    def known(self, root: str, head: str | None, file: GitFile) -> str | None:
        """The revision of a file, None where git may have to be asked."""
        if head is None:
            return content_ref(file.content_hash)
        if file.ref in (head, dirty_ref(head, file.content_hash)):
            return file.ref
        if time.monotonic() < self._unread_until_s.get((root, head), 0.0):
            return _as_before(file)
        return self._refs.get((root, head, file.path, file.content_hash))

    def ask(self, root: str, head: str, paths: Iterable[str]) -> None:
        """Learn what a commit has under these paths. Where that is not known yet, git is asked,
        which takes 10 ms and more."""
        new = [path for path in paths if (root, head, path) not in self._blobs]
        checkout = find_checkout(Path(root)) if new else None
        if checkout is None or str(checkout.top) != root or checkout.head != head:
            return  # it moves on while it is looked at
        tree = checkout.committed_at(new)
        if tree is None:
            _make_room(self._unread_until_s)
            self._unread_until_s[root, head] = time.monotonic() + _AGAIN_S
            return
        _make_room(self._blobs)
        for path in new:
            self._blobs[root, head, path] = tree.blob_at(path)

    def ref(self, root: str, head: str, file: GitFile, raw: bytes) -> str:
        """The commit if the file with these bytes is as committed, line ends aside, else the commit
        with a mark; the revision that it was indexed at, else its own content, where what the
        commit has is not known."""
        if (root, head, file.path) not in self._blobs:
            return _as_before(file)
        blob = self._blobs[root, head, file.path]
        if blob is None:  # of a submodule
            ref = content_ref(file.content_hash)
        else:
            ref = head if is_blob(blob, raw) else dirty_ref(head, file.content_hash)
        _make_room(self._refs)
        self._refs[root, head, file.path, file.content_hash] = ref
        return ref


def _as_before(file: GitFile) -> str:
    return file.ref or content_ref(file.content_hash)


def _make_room(known: dict[Any, Any]) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
