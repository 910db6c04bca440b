"""Read the files that a page includes, by the names in the page. Files outside of the source are
never read."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Sequence

from pincite.errors import SourceError
from pincite.readers import text_in
from pincite.sources.entries import OpenSource
from pincite.sources.kinds import reject_content


def read_included(opened: OpenSource, page: str, name: str) -> str | None:
    """Return the text of a file that a page includes. None if it is missing, outside of the source,
    or skipped (hidden, ignored, binary).

    A name is relative to the root of the source or to one of the folders above the page, the
    highest first: a site may be built from any of them.
    """
    raw = _raw(opened, page, name)
    return text_in(raw, opened.source, name)[0] if raw is not None else None


def leads_out(page: str, name: str) -> bool:
    """Return whether this name leads out of the source from every folder above the page."""
    return not any(_candidates(page, name))


def state_of(opened: OpenSource, page: str, names: Sequence[str]) -> str:
    """Return 32 hex digits that change when one of the files changes, appears or disappears."""
    digest = hashlib.blake2b(digest_size=16)
    for name in names:
        raw = _raw(opened, page, name)
        digest.update(b"\0" if raw is None else hashlib.sha256(raw).digest())
    return digest.hexdigest()


def _raw(opened: OpenSource, page: str, name: str) -> bytes | None:
    for path in _candidates(page, name):
        entry = opened.find(path)
        if entry is None:
            continue
        try:
            raw = opened.read(entry)
        except SourceError:
            continue
        return raw if reject_content(path, raw, included=True) is None else None
    return None


def _candidates(page: str, name: str) -> Iterator[str]:
    folders = page.split("/")[:-1]
    seen = set()
    for depth in range(len(folders) + 1):
        path = posixpath.normpath(posixpath.join(*folders[:depth], name))
        if path not in seen and path != ".." and not path.startswith(("../", "/")):
            seen.add(path)
            yield path
