"""The pieces into which a chunker cuts a document, before neighbours are merged."""

from __future__ import annotations

import msgspec

Path = tuple[str, ...]


class Piece(msgspec.Struct, frozen=True, gc=False):
    """Lines `first` to `last` (exclusive) that belong together.

    `forward`: must stay with the next piece (a heading, a decorator, `class Foo:`).
    `backward`: must stay with the previous piece (a closing brace, the docstring of an attribute).
    `heads`: begins with the heading of its path. While it is tiny, it stays with what follows below
    that heading.
    `definition`: is a complete function, class or similar.
    `wraps`: contains several definitions and is not one itself.
    `note`: text for the heading path of later parts if the piece is split (a table's header).
    """

    first: int
    last: int
    path: Path = ()
    forward: bool = False
    backward: bool = False
    heads: bool = False
    definition: bool = False
    wraps: bool = False
    note: str = ""


class Group(msgspec.Struct):
    """Pieces merged so far. Mutable, and only used while one document is packed."""

    first: int
    last: int
    path: Path
    definition: bool
    cost: float
    note: str = ""
    head: int = 0  #: number of lines at the beginning that must stay with the next line
    mixed: bool = False  #: contains several children of its path
    heading: int = -1  #: first line of its last heading, -1 if it has none
    goes_on: bool = False  #: its last section goes on in the next group


def below(path: Path, upper: Path) -> bool:
    """Return whether a path is equal to `upper` or begins with it."""
    return path[: len(upper)] == upper


def common_path(a: Path, b: Path) -> Path:
    """Return the longest common beginning of two paths."""
    if a == b:
        return a
    length = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        length += 1
    return a[:length]


def related(a: Path, b: Path) -> bool:
    """Return whether the paths are equal, parent and child, or siblings."""
    return a == b or len(common_path(a, b)) >= max(len(a), len(b)) - 1
