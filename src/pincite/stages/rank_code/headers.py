"""Headers of C, C++ and Objective-C, and the files that have the bodies of what they declare."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, TypeAlias

from pincite.model import Candidate, Query, Signal
from pincite.stages.rank_code.definitions import names_of
from pincite.stages.rank_code.files import RatedFile
from pincite.stages.rank_code.paths import place_of
from pincite.support.late_patterns import late_pattern

_Name: TypeAlias = tuple[str, str, str]

_HEADERS: Final = (".h", ".hh", ".hpp", ".hxx")
_BODIES: Final = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")
#: Words for what a header has. A header of a message or an image is none.
_ASKS_DECLARATIONS: Final = late_pattern(
    r"\b(?:declar\w+|defin\w+|documented|listed|enumerat\w*|enums?|structs?|fields?|members?|flags?"
    r"|bits|types?|typedefs?|kinds?|interfaces?|macros?|templates?|properties|inline|layout"
    r"|format of|class|public api|header files?|(?:which|what) (?:headers?|constants?)"
    r"|(?:i|we|you)(?: need to| have to| must| should)? (?:include|import)"
    r"|(?:signature|prototype)s? (?:of|for) (?:\w+ing|(?:a |the )?(?:function|method|callback)))\b",
    re.I,
)
#: A macro of the compiler's words, such as one that exports a function, says nothing of the topic.
_ATTRIBUTE: Final = (
    r"(?:\([\w ,.]{0,80}+\))?[ \t\\\n]*+(?:__(?:attribute|declspec|cdecl|stdcall|inline|restrict)"
    r"|_Noreturn\b|\[\[|(?:extern|inline|static)\b)"
)
#: A type with its members, a function with its body, a template, an interface of Objective-C, a
#: macro with a value or parameters, a type of callbacks.
_HAS_MORE: Final = late_pattern(
    r"^[ \t]*+(?:typedef[ \t]++)?(?:(?:enum|struct|class|union)\b[^;{]{0,300}+\{|template\b)"
    r"|^@(?:interface|protocol|property)\b|\)[\w \t\n]{0,60}+\{"
    rf"|^[ \t]*+(?:#[ \t]*+define[ \t]++\w++(?!{_ATTRIBUTE})[ \t(]++\S"
    r"|typedef\b[^;{(]{0,300}+\([\w ]{0,20}+[*^])",
    re.M,
)
#: `#ifndef A_H` and `#define A_H 1`. Other values are those of constants.
_GUARD: Final = late_pattern(
    r"^[ \t]*+#[ \t]*+if(?:ndef|[ \t]++![ \t]*+defined)[ \t(]++(\w++)[ \t)]*+\n"
    r"\s*+#[ \t]*+define[ \t]++\1[ \t]++(?:1(?!\S)|/[*/])",
    re.M,
)
_PROTOTYPE: Final = late_pattern(r"\)[^;{}()]{0,80}+;")
_WORDS: Final = late_pattern(r"\w+")
_MOST_BODIES: Final = 64  # that define one name, the best ones; a bound for the time


def bodies_first(query: Query, files: Sequence[RatedFile]) -> list[RatedFile]:
    """Return the files, best first. Where a header has a higher score than the file with its
    bodies, the two exchange their scores, and get the signal `header`.

    A header has a prototype for each function, and often its comment, so it may have a higher score
    than the file that does what the question asks. The two have the same name without its end. They
    lie in the same folder. If no such file does, a found passage of the file must define a name
    that the header's best passage has; of several such files, the nearest one is meant. Tests and
    examples do not take part. The header's best passage must have a prototype, and nothing more,
    such as a type with its members, or a constant.

    Nothing changes if the question is only a name, or asks for declarations (`which flags`, `where
    is the interface`, `which header do I include`). English only."""
    ordered = sorted(files, key=lambda one: (-one.score, one.own[0][1].chunk.id))
    left = {*range(len(ordered))}
    for header, body in _pairs(query, ordered):
        if header < body and left.issuperset((header, body)):
            left -= {header, body}
            scores = ordered[body].score, ordered[header].score
            for at, score in zip((header, body), scores, strict=True):
                parts = (*ordered[at].parts, Signal("header", "share", 1.0))
                ordered[at] = ordered[at]._replace(score=score, parts=parts)
    return ordered


def _pairs(query: Query, rated: Sequence[RatedFile]) -> list[tuple[int, int]]:
    """Return the numbers of headers, each with that of the file with its bodies."""
    files = [one.own[0][1] for one in rated]
    headers = [at for at, one in enumerate(files) if one.chunk.path.endswith(_HEADERS)]
    if not headers or query.asks == "symbol" or _ASKS_DECLARATIONS.search(query.text):
        return []
    beside: dict[tuple[_Name, str], list[int]] = defaultdict(list)
    defining: dict[tuple[_Name, str], list[int]] = defaultdict(list)
    for at, one in enumerate(files):
        if one.chunk.path.endswith(_BODIES) and not place_of(one.chunk.path):
            beside[_name(one), _folder(one)].append(at)
            passages = (names_of(own.chunk.definitions) for _, own in rated[at].own)
            for defined in frozenset[str]().union(*passages):
                defining[_name(one), defined].append(at)
    pairs = []
    for header in headers:
        one, name = files[header], _name(files[header])
        if place_of(one.chunk.path) or not _has_only_prototypes(one.chunk.text):
            continue
        near = beside.get((name, _folder(one))) or [
            at
            for word in {*_WORDS.findall(one.chunk.text)}
            for at in defining.get((name, word), ())[:_MOST_BODIES]
        ]
        if near:
            _, nearest = min((-_shared(files[at], one), at) for at in near)
            pairs.append((header, nearest))
    return pairs


def _has_only_prototypes(text: str) -> bool:
    return bool(_PROTOTYPE.search(text)) and not _HAS_MORE.search(_GUARD.sub("", text))


def _name(one: Candidate) -> _Name:
    """Return the collection, the source, and the name of the file without its end."""
    collection, source, path = one.file
    return collection, source, path.rpartition("/")[2].rpartition(".")[0]


def _folder(one: Candidate) -> str:
    return one.chunk.path.rpartition("/")[0]


def _shared(one: Candidate, other: Candidate) -> int:
    return len({*_folder(one).split("/")}.intersection(_folder(other).split("/")))
