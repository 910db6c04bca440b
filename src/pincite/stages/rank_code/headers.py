"""Headers of C, C++ and Objective-C, and the files that have the bodies of what they declare."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pincite.model import Query
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.files import FileParts, own_value
from pincite.support.late_patterns import late_pattern

_HEADERS: Final = (".h", ".hh", ".hpp", ".hxx")
_BODIES: Final = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")
#: Words for what a header has.
_ASKS_DECLARATIONS: Final = late_pattern(
    r"\b(?:declar\w+|defin\w+|documented|listed|enumerat\w*|enums?|structs?|fields?|members?|flags?"
    r"|bits|types?|kinds?|interfaces?|macros?|templates?|inline|layout|format of|class)\b",
    re.I,
)
_TYPE: Final = late_pattern(
    r"^[ \t]*+(?:typedef[ \t]++)?(?:enum|struct|class|union)\b[^;{]{0,300}+\{", re.M
)


def bodies_first(
    query: Query, files: Sequence[FileParts], config: RankCodeConfig
) -> list[FileParts]:
    """Return the files in their order. A header and the file with its bodies exchange their scores
    if the header's is higher: their `prior` changes by the quotient.

    A header has a prototype for each function, and often its comment, so it may have a higher score
    than the file that does what the question asks. The two files have the same name without its
    end. Of several such files, one in the same folder is meant, else the one with the highest
    score. A header stays if its best passage has a type with its members, if the question is only a
    name, or if it asks for declarations (`which flags`, `where is the interface`). English only."""
    changed = list(files)
    if not config.bodies_first or query.asks == "symbol":
        return changed
    headers = [at for at, one in enumerate(files) if _path_of(one).endswith(_HEADERS)]
    bodies = [at for at, one in enumerate(files) if _path_of(one).endswith(_BODIES)]
    if not headers or not bodies or _ASKS_DECLARATIONS.search(query.text):
        return changed
    scores = [one.score(config) for one in files]
    for header in sorted(headers, key=lambda at: -scores[at]):
        mine = [at for at in bodies if _are_pair(files[header], files[at])]
        folder = _path_of(files[header]).rpartition("/")[0]
        mine.sort(key=lambda at: (_path_of(files[at]).rpartition("/")[0] != folder, -scores[at]))
        if mine and 0 < scores[mine[0]] < scores[header] and not _has_type(files[header], config):
            body, ratio = mine[0], scores[mine[0]] / scores[header]
            bodies.remove(body)
            changed[header] = files[header]._replace(prior=files[header].prior * ratio)
            changed[body] = files[body]._replace(prior=files[body].prior / ratio)
    return changed


def _are_pair(header: FileParts, body: FileParts) -> bool:
    one, other = header.passages[0].candidate, body.passages[0].candidate
    return _stem(header) == _stem(body) and one.file[:2] == other.file[:2]


def _has_type(header: FileParts, config: RankCodeConfig) -> bool:
    """Return whether the best passage of a header has a type with its members."""
    passages = header.passages
    best = max(passages, key=lambda one: own_value(one, config, len(passages)))
    return _TYPE.search(best.candidate.chunk.text) is not None


def _path_of(one: FileParts) -> str:
    return one.passages[0].candidate.chunk.path


def _stem(one: FileParts) -> str:
    return _path_of(one).rpartition("/")[2].rpartition(".")[0]
