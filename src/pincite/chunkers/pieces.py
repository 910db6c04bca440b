"""What a chunker cuts a document into, before neighbours are merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Path = tuple[str, ...]


class Piece(NamedTuple):
    """Lines `first` to `last` (exclusive) that belong together.

    `forward`: means nothing without what follows (a heading, a decorator, `class Foo:`).
    `backward`: means nothing without what precedes (a closing brace, an attribute's docstring).
    `definition`: a whole function, class or the like.
    `wraps`: holds several definitions and is none itself.
    `note`: what a later part must know of the beginning if the piece is split (a table's head).
    """

    first: int
    last: int
    path: Path = ()
    forward: bool = False
    backward: bool = False
    definition: bool = False
    wraps: bool = False
    note: str = ""


@dataclass(slots=True)
class Group:
    """Pieces merged so far. Mutable, and never seen outside of the packing of one document."""

    first: int
    last: int
    path: Path
    definition: bool
    cost: float
    note: str = ""
    head: int = 0  #: lines at the beginning that must not be cut off
    mixed: bool = False  #: holds several children of its path


def common_path(a: Path, b: Path) -> Path:
    """The longest path that both begin with."""
    length = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        length += 1
    return a[:length]


def related(a: Path, b: Path) -> bool:
    """Same place, parent and child, or children of one parent."""
    return len(common_path(a, b)) >= max(len(a), len(b)) - 1
