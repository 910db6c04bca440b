"""What an index has of the files that a question names."""

from __future__ import annotations

import msgspec

from pincite.questions.frames import Fit, Frame


class FrameFiles(msgspec.Struct, frozen=True):
    """The files of a `collection` that fit a `frame` best, all equally well. `count` is their
    number, and `files` has the first of them, as (source, path). `beside` has the ids of the
    passages next to the line if none has the line itself."""

    collection: str
    frame: Frame
    fit: Fit
    count: int
    files: tuple[tuple[str, str], ...]
    beside: frozenset[str] = frozenset()
