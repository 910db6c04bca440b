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
_AGAIN_S = 60.0  # guess, unmeasured: until git is asked again for a commit that could not be read


@dataclass(frozen=True, slots=True)
class GitFile:
    """A file of a checkout with its content hash. `ref` is the revision at which it was indexed,
    empty if it had another content then."""

    path: str
    content_hash: str
    ref: str = ""


class Checkouts:
    """What is known of commits: their blobs, and the revisions of files, by the root of the work
    tree."""

    def __init__(self) -> None:
        self._refs: dict[tuple[str, str, str, str], str] = {}
        self._blobs: dict[tuple[str, str, str], str | None] = {}
        self._unread_until_s: dict[tuple[str, str], float] = {}

    def head(self, root: str) -> str | None:
        """Return the commit that is checked out. Reads two small files."""
        return head_of(Path(root))

    def known(self, root: str, head: str | None, file: GitFile) -> str | None:
        """Return the revision of a file, None if git may have to be asked."""
        if head is None:
            return content_ref(file.content_hash)
        if file.ref in (head, dirty_ref(head, file.content_hash)):
            return file.ref
        if time.monotonic() < self._unread_until_s.get((root, head), 0.0):
            return _as_before(file)
        return self._refs.get((root, head, file.path, file.content_hash))

    def ask(self, root: str, head: str, paths: Iterable[str]) -> None:
        """Look up the blobs of these paths in a commit. For paths that are not known yet, git is
        asked, which takes 10 ms and more."""
        new = [path for path in paths if (root, head, path) not in self._blobs]
        checkout = find_checkout(Path(root)) if new else None
        if checkout is None or str(checkout.top) != root or checkout.head != head:
            return  # the checkout has just changed
        tree = checkout.committed_at(new)
        if tree is None:
            _make_room(self._unread_until_s)
            self._unread_until_s[root, head] = time.monotonic() + _AGAIN_S
            return
        _make_room(self._blobs)
        for path in new:
            self._blobs[root, head, path] = tree.blob_at(path)

    def ref(self, root: str, head: str, file: GitFile, raw: bytes) -> str:
        """Return the revision of a file with these bytes: the commit if the file is as committed,
        apart from line ends, else the `-dirty` ref of the commit. If the blob in the commit is
        unknown, return the revision at which the file was indexed, else a ref of its content."""
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
