"""Everything that the form of a question tells, read once for all stages of a search."""

from __future__ import annotations

import msgspec

from pincite.questions.changes import Changes, asked_changes
from pincite.questions.file_kinds import AskedKinds, asked_kinds
from pincite.questions.frames import Frame, frames_of, is_only_frames
from pincite.questions.relations import Relation, relation_of
from pincite.questions.routes import Route, asked_route
from pincite.questions.versions import NO_VERSIONS, AskedVersions, asked_versions


class Asked(msgspec.Struct, frozen=True):
    """What a question asks for.

    `frames` are places of files, such as the frames of a traceback, the one that failed first;
    `only_frames` tells whether there is nothing else in it. `versions` are those of a product.
    `relation` is the relation to a name (`callers of f`), and `route` a route of HTTP. `changes`
    tells whether it asks what changed, and `kinds` which kinds of files it is for."""

    frames: tuple[Frame, ...] = ()
    only_frames: bool = False
    versions: AskedVersions = NO_VERSIONS
    relation: Relation | None = None
    route: Route | None = None
    changes: Changes = "no"
    kinds: AskedKinds = AskedKinds()


def asked_of(question: str) -> Asked:
    """Return what a question asks for."""
    frames = frames_of(question)
    return Asked(
        frames,
        bool(frames) and is_only_frames(question),
        asked_versions(question),
        relation_of(question),
        asked_route(question),
        asked_changes(question),
        asked_kinds(question),
    )
