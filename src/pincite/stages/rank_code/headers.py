"""Headers of C, C++ and Objective-C, and the files that have the bodies of what they declare."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
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
_MOST_FOLDERS: Final = 64  # of a path that are compared; a bound for hostile paths


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
    namesakes: dict[_Name, _Bodies] = defaultdict(_Bodies)
    for at, one in enumerate(files):
        if one.chunk.path.endswith(_BODIES) and not place_of(one.chunk.path):
            passages = (names_of(own.chunk.definitions) for _, own in rated[at].own)
            namesakes[_name(one)].add(at, _folder(one), frozenset[str]().union(*passages))
    pairs = []
    for header in headers:
        one, text = files[header], files[header].chunk.text
        if _name(one) not in namesakes or place_of(one.chunk.path):
            continue
        if _has_only_prototypes(text):
            found = namesakes[_name(one)].meant_by(_folder(one), text)
            pairs += [] if found is None else [(header, found)]
    return pairs


class _Bodies:
    """Files with bodies of one name. Each set of them is an integer with a bit for each file, so
    that many headers are compared with many files in little time."""

    def __init__(self) -> None:
        self._beside: dict[str, int] = {}
        self._defining: dict[str, int] = defaultdict(int)
        self._within: dict[str, int] = defaultdict(int)

    def add(self, at: int, folder: str, defined: Iterable[str]) -> None:
        """Add a file by its number, a higher one than before."""
        self._beside.setdefault(folder, at)
        for name in defined:
            self._defining[name] |= 1 << at
        for part in _parts(folder):
            self._within[part] |= 1 << at

    def meant_by(self, folder: str, text: str) -> int | None:
        """Return the number of the first file in the folder. If there is none, return that of the
        nearest file that defines a word of the text: the first of those whose paths have most parts
        of the folder. None if there is no such file either."""
        if folder in self._beside:
            return self._beside[folder]
        defining = 0
        for word in {*_WORDS.findall(text)}:
            defining |= self._defining.get(word, 0)
        sharing = [defining]  # at each place, those that have at least as many parts
        for part in _parts(folder):
            having = self._within.get(part, 0)
            more = [one & having for one in sharing]
            sharing = [one | other for one, other in zip([*sharing, 0], [0, *more], strict=True)]
        nearest = next(filter(None, reversed(sharing)), 0)
        return (nearest & -nearest).bit_length() - 1 if nearest else None


def _has_only_prototypes(text: str) -> bool:
    return bool(_PROTOTYPE.search(text)) and not _HAS_MORE.search(_GUARD.sub("", text))


def _name(one: Candidate) -> _Name:
    """Return the collection, the source, and the name of the file without its end."""
    collection, source, path = one.file
    return collection, source, path.rpartition("/")[2].rpartition(".")[0]


def _folder(one: Candidate) -> str:
    return one.chunk.path.rpartition("/")[0]


def _parts(folder: str) -> set[str]:
    return set(folder.split("/", _MOST_FOLDERS)[:_MOST_FOLDERS])
