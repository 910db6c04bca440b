"""Which revision a file of a checkout is cited at now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.model.revisions import DIRTY, content_ref
from pincite.sources.git import find_checkout, head_of
from pincite.sources.git_objects import is_blob

_REMEMBERED = 20_000  # files; each takes 300 bytes


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
        self._blobs: dict[tuple[str, str, str], str] = {}

    def head(self, root: str) -> str | None:
        """The commit that is checked out. Reads two small files."""
        return head_of(Path(root))

    def known(self, root: str, head: str | None, file: GitFile) -> str | None:
        """The revision of a file, None where git may have to be asked."""
        if head is None or file.ref == content_ref(file.content_hash):
            return content_ref(file.content_hash)
        if file.ref in (head, f"{head}{DIRTY}"):
            return file.ref
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
            return
        _make_room(self._blobs)
        for path in new:
            blob = tree.blob_at(path)
            if blob is not None:
                self._blobs[root, head, path] = blob

    def ref(self, root: str, head: str, file: GitFile, raw: bytes) -> str:
        """The commit if the file with these bytes is as committed, line ends aside, else the commit
        with a mark; its own content where what the commit has was not learned."""
        blob = self._blobs.get((root, head, file.path))
        if blob is None:
            return content_ref(file.content_hash)
        ref = head if is_blob(blob, raw) else f"{head}{DIRTY}"
        _make_room(self._refs)
        self._refs[root, head, file.path, file.content_hash] = ref
        return ref


def _make_room(known: dict[Any, str]) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
