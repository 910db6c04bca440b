"""What an index has of the files that a question names."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from pincite.questions.frames import Fit, Frame


class FileKey(NamedTuple):
    """A file in any collection: its `source`, its `path`, and the `ref` of its text. Files of two
    collections are the same if all three are equal, as for the same lines in `dedup`."""

    source: str
    path: str
    ref: str


class FrameFiles(msgspec.Struct, frozen=True):
    """The files of a `collection` that fit a `frame` best, all equally well. `count` is their
    number, and `files` has the first of them. `beside` has the ids of the passages next to the line
    if none has the line itself."""

    collection: str
    frame: Frame
    fit: Fit
    count: int
    files: tuple[FileKey, ...]
    beside: frozenset[str] = frozenset()
