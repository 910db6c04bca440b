"""Names of revisions, and when two names mean the same revision.

A ref is a commit (40 or 64 hexadecimal digits), a commit with `-dirty` for a file with uncommitted
changes, a version or tag, or `sha256-` with the beginning of the file's own hash.
"""

from __future__ import annotations

import re

DIRTY = "-dirty"  #: ends the ref of a file with uncommitted changes
_CONTENT = "sha256-"
_CONTENT_DIGITS = 12
_COMMIT_DIGITS = 40
_LEAST_DIGITS = 4  # the shortest abbreviation of git
_HASH = re.compile(
    rf"(?P<kind>{_CONTENT})?(?P<digits>[0-9a-f]{{{_LEAST_DIGITS},64}})(?P<dirty>{DIRTY})?"
)


def content_ref(content_hash: str) -> str:
    """The ref of a file without a revision. `content_hash` is its SHA-256 in hex."""
    return f"{_CONTENT}{content_hash[:_CONTENT_DIGITS]}"


def is_content_ref(ref: str) -> bool:
    """Is it the ref of a file without a revision?"""
    return ref.startswith(_CONTENT)


def same_revision(one: str, other: str) -> bool:
    """Do two refs name the same revision? Equal refs do, and so do a hash and its abbreviation.
    Versions have no abbreviations: `v1` is not `v1.2`. A `-dirty` ref is not its commit. An empty
    ref names nothing.

    Two files with the same `-dirty` ref may have different contents.
    """
    if one == other:
        return bool(one)
    hashes = _HASH.fullmatch(one), _HASH.fullmatch(other)
    if hashes[0] is None or hashes[1] is None:
        return False
    if hashes[0].group("kind", "dirty") != hashes[1].group("kind", "dirty"):
        return False
    short, long = sorted((hashes[0]["digits"], hashes[1]["digits"]), key=len)
    whole = _CONTENT_DIGITS if hashes[0]["kind"] else _COMMIT_DIGITS
    return len(long) >= whole and long.startswith(short)


def short_ref(ref: str) -> str:
    """A revision for display: twelve digits of a commit's hash."""
    bare, dash, rest = ref.partition(DIRTY)
    return f"{bare[:12]}{dash}{rest}" if len(bare) >= _COMMIT_DIGITS else ref
