"""Headers of C, C++ and Objective-C, and the files that have the bodies of what they declare."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from pincite.model import Candidate, Query, Signal
from pincite.stages.rank_code.files import RatedFile
from pincite.stages.rank_code.paths import place_of
from pincite.support.late_patterns import late_pattern

_HEADERS: Final = (".h", ".hh", ".hpp", ".hxx")
_BODIES: Final = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")
#: Words for what a header has.
_ASKS_DECLARATIONS: Final = late_pattern(
    r"\b(?:declar\w+|defin\w+|documented|listed|enumerat\w*|enums?|structs?|fields?|members?|flags?"
    r"|bits|types?|kinds?|interfaces?|macros?|templates?|properties|inline|layout|format of|class)"
    r"\b",
    re.I,
)
#: A type with its members, a function with its body, a template, an interface of Objective-C.
_HAS_MORE: Final = late_pattern(
    r"^[ \t]*+(?:typedef[ \t]++)?(?:(?:enum|struct|class|union)\b[^;{]{0,300}+\{|template\b)"
    r"|^@(?:interface|protocol|property)\b|\)[\w \t\n]{0,60}+\{",
    re.M,
)
#: Folders in which only one of the two lies.
_OF_KIND: Final = frozenset(("include", "inc", "headers", "public", "src", "source", "sources", ""))


def bodies_first(query: Query, files: Sequence[RatedFile]) -> list[RatedFile]:
    """Return the files, best first. Where a header has a higher score than the file with its
    bodies, the two exchange their scores, and get the signal `header`.

    A header has a prototype for each function, and often its comment, so it may have a higher score
    than the file that does what the question asks. The two have the same name without its end. They
    lie in the same folder, or are the only ones of that name among these files, in folders that
    have a part in common or are called `include`, `src` or the like. Tests and examples do not take
    part. Neither does a header whose best passage has more than prototypes, such as a type with its
    members.

    Nothing changes if the question is only a name, or asks for declarations (`which flags`, `where
    is the interface`). English only."""
    ordered = sorted(files, key=lambda one: (-one.score, one.own[0][1].chunk.id))
    left = {*range(len(ordered))}
    for header, body in _pairs(query, [one.own[0][1] for one in ordered]):
        if header < body and left.issuperset((header, body)):
            left -= {header, body}
            scores = ordered[body].score, ordered[header].score
            for at, score in zip((header, body), scores, strict=True):
                parts = (*ordered[at].parts, Signal("header", "share", 1.0))
                ordered[at] = ordered[at]._replace(score=score, parts=parts)
    return ordered


def _pairs(query: Query, files: Sequence[Candidate]) -> list[tuple[int, int]]:
    """Return the numbers of headers, each with that of the file with its bodies. `files` has the
    best passage of each."""
    headers = [at for at, one in enumerate(files) if one.chunk.path.endswith(_HEADERS)]
    if not headers or query.asks == "symbol" or _ASKS_DECLARATIONS.search(query.text):
        return []
    bodies: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for at, one in enumerate(files):
        if one.chunk.path.endswith(_BODIES) and not place_of(one.chunk.path):
            bodies[_name(one)].append(at)
    alike = Counter(_name(files[at]) for at in headers)
    pairs = []
    for header in headers:
        one = files[header]
        found = bodies.get(_name(one), [])
        near = [at for at in found if _folder(files[at]) == _folder(one)]
        if not near and len(found) == alike[_name(one)] == 1 and _fit(one, files[found[0]]):
            near = found
        if near and not place_of(one.chunk.path) and not _HAS_MORE.search(one.chunk.text):
            pairs.append((header, near[0]))
    return pairs


def _name(one: Candidate) -> tuple[str, str, str]:
    """Return the collection, the source, and the name of the file without its end."""
    collection, source, path = one.file
    return collection, source, path.rpartition("/")[2].rpartition(".")[0]


def _folder(one: Candidate) -> str:
    return one.chunk.path.rpartition("/")[0]


def _fit(header: Candidate, body: Candidate) -> bool:
    one, other = ({*_folder(each).split("/")} - _OF_KIND for each in (header, body))
    return not one or not other or not one.isdisjoint(other)
