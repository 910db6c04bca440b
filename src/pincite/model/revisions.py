"""Names of revisions, and when two names mean the same revision.

A ref is a commit (40 or 64 hexadecimal digits), a version or tag, or `sha256-` with the beginning
of the file's own hash. For a file with uncommitted changes it is the commit, `-dirty-` and the
beginning of that hash. Earlier versions ended it with `-dirty`, which does not identify a content.
"""

from __future__ import annotations

import re

DIRTY = "-dirty"  #: follows the commit in the ref of a file with uncommitted changes
_CONTENT = "sha256-"
CONTENT_DIGITS = 12  #: of a hash in a ref; with fewer, two contents may share a ref
_COMMIT_DIGITS = 40
_LEAST_DIGITS = 4  # the shortest abbreviation of git
_HASH = re.compile(
    rf"(?P<kind>{_CONTENT})?(?P<digits>[0-9a-f]{{{_LEAST_DIGITS},64}})"
    rf"(?P<dirty>{DIRTY}(?:-[0-9a-f]{{{CONTENT_DIGITS}}})?)?"
)
_OF_CONTENT = re.compile(rf"(?:{_CONTENT}|[0-9a-f]+{DIRTY}-)([0-9a-f]{{{_LEAST_DIGITS},64}})")
_OF_NO_CONTENT = re.compile(rf"[0-9a-f]{{{_LEAST_DIGITS},64}}{DIRTY}")


def content_ref(content_hash: str) -> str:
    """Return the ref of a file without a revision. `content_hash` is its SHA-256 in hex."""
    return f"{_CONTENT}{content_hash[:CONTENT_DIGITS]}"


def dirty_ref(commit: str, content_hash: str) -> str:
    """Return the ref of a file that differs from the commit that is checked out. `content_hash` is
    its SHA-256 in hex."""
    return f"{commit}{DIRTY}-{content_hash[:CONTENT_DIGITS]}"


def content_digits(ref: str) -> str:
    """Return the beginning of the SHA-256 of the content that a ref names, "" if it names none."""
    found = _OF_CONTENT.fullmatch(ref)
    return found[1] if found else ""


def names_content(ref: str, content_hash: str) -> bool:
    """Return whether a ref names the content with this SHA-256 in hex."""
    digits = content_digits(ref)
    return bool(digits) and content_hash.startswith(digits)


def is_ambiguous(ref: str) -> bool:
    """Return whether it is a `-dirty` ref of an earlier version, which files with different
    contents share."""
    return _OF_NO_CONTENT.fullmatch(ref) is not None


def is_content_ref(ref: str) -> bool:
    """Return whether it is the ref of a file without a revision."""
    return ref.startswith(_CONTENT)


def is_commit(ref: str) -> bool:
    """Return whether it is the whole name of a commit: 40 or 64 hex digits."""
    return len(ref) in (_COMMIT_DIGITS, 64) and re.fullmatch(r"[0-9a-f]+", ref) is not None


def same_revision(one: str, other: str) -> bool:
    """Return whether two refs name the same revision. Equal refs do, and so do a hash and its
    abbreviation. Versions have no abbreviations: `v1` is not `v1.2`. A `-dirty` ref is not its
    commit. An empty ref and an ambiguous one name no revision.
    """
    if one == other:
        return bool(one) and not is_ambiguous(one)
    hashes = _HASH.fullmatch(one), _HASH.fullmatch(other)
    if hashes[0] is None or hashes[1] is None:
        return False
    if hashes[0].group("kind", "dirty") != hashes[1].group("kind", "dirty"):
        return False
    if is_ambiguous(one):
        return False
    short, long = sorted((hashes[0]["digits"], hashes[1]["digits"]), key=len)
    whole = CONTENT_DIGITS if hashes[0]["kind"] else _COMMIT_DIGITS
    return len(long) >= whole and long.startswith(short)


def short_ref(ref: str) -> str:
    """Return a revision for display: twelve digits of a commit's hash."""
    bare, dash, rest = ref.partition(DIRTY)
    return f"{bare[:12]}{dash}{rest}" if len(bare) >= _COMMIT_DIGITS else ref
