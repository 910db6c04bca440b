"""Find what tells that a question is on topic, whatever its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pincite.model import Candidate, Query
from pincite.model.retrieval import defined, defines
from pincite.questions.frames import MOST_ASKED, MOST_FILES
from pincite.questions.paths import named_files
from pincite.questions.relations import Kind
from pincite.stages.cover import only_word
from pincite.stages.gate import OnTopic
from pincite.stages.placed import Place, Placed
from pincite.support.names import bare_words, owner_of, undeclared

_SHOWN: Final = 120  # characters of a path, from its end
#: What a passage does with a name, for the relations that are not uses.
_DOES: Final[Mapping[Kind, str]] = {
    "heirs": "extends or implements",
    "implemented": "extends or implements",
    "overrides": "overrides",
}


def on_topic(
    query: Query,
    candidates: Sequence[Candidate],
    placed: Placed,
    terms: Callable[[str], frozenset[str]],
    best: int,
) -> Iterator[OnTopic]:
    """Yield what tells that the question is on topic, `grounded` before `weak`: it is only a name
    that the first candidate defines at its path, or only places of files and the first candidate is
    at one. Then: a candidate defines a name, one of the `best` has the single word of the question
    or the relation to a name, or one is at a place or of a file that the question names.

    The cosine of a single word and a passage says little, and so do the words of a traceback.
    `terms` as in `cover`.
    """
    if not candidates:
        return
    first = candidates[0]
    name, place = only_name(query), placed.of(first)
    if name is not None and defines(first, name):
        yield OnTopic(
            "grounded", f"{first.chunk.path} defines {name}, the name that was asked for."
        )
    if place is not None and place.is_certain and query.asked.only_frames:
        said = f"{first.chunk.path}:{place.frame.line} is the place that was asked for."
        yield OnTopic("grounded", said)
    if found := defined(candidates, names_sought(query)):
        yield OnTopic("weak", f"{found[0]} is defined in {found[1]}.")
    if path := only_word(query.text, candidates[:best], terms):
        yield OnTopic("weak", f"{path} has the word.")
    having = next((one for one in candidates[:best] if one.signal("relation")), None)
    if (relation := query.asked.relation) and having is not None:
        does = _DOES.get(relation.kind, "uses")
        yield OnTopic("weak", f"{having.chunk.path} {does} {relation.written}.")
    for one in candidates:
        if (place := placed.of(one)) is not None:
            lines = f"{one.chunk.start_line}-{one.chunk.end_line}"
            beside = f", next to lines {lines}" if place.beside else ""
            said = f"the question names {one.chunk.path}:{place.frame.line}{beside}."
            yield OnTopic("weak", said)
    for path in named_files(query.text, (one.chunk.path for one in candidates)):
        yield OnTopic("weak", f"the question names {path}.")


def only_name(query: Query) -> str | None:
    """Return the name, written like code, that is the whole question or whose place it asks for.
    None for a plain word, which may be a topic, and for other questions."""
    words = bare_words(undeclared(query.text))
    is_name = len(words) == 1 and words[0] in query.symbols
    like_code = is_name and (words[0] in query.identifiers or owner_of(words[0]) is not None)
    return words[0] if like_code else None


def names_sought(query: Query) -> tuple[str, ...]:
    """Return the names whose definitions tell that the question is on topic: also that whose
    callers or heirs it asks for, which may be a plain word (`subclasses of Matcher`)."""
    relation = query.asked.relation
    if relation is None or relation.owner:
        return query.sought
    return (*query.sought, relation.name)


def lacking_place(placed: Placed, candidates: Sequence[Candidate], *, known: bool) -> str | None:
    """Return the reason why a question that is only places has no certain answer: no candidate is
    at one, or the first that is, is next to the line, or in one of several files, or in a file of
    which only the name fits. None if there is no such reason. `known`: all documents that may be
    searched were compared with the places."""
    at = ((one.chunk, place) for one in candidates if (place := placed.of(one)) is not None)
    chunk, place = next(at, (None, placed.places[0]))
    if chunk is None:
        return _missing(place, known=known)
    if place.beside:
        where, lines = f"{chunk.path}:{place.frame.line}", f"{chunk.start_line}-{chunk.end_line}"
        return f"{where} is in no passage, only next to lines {lines}."
    if place.count > 1:
        return _several(place)
    if place.is_certain:
        return None
    return f"Only the name of the file is that of {place.frame.path[-_SHOWN:]}."


def lacking_other(placed: Placed, *, known: bool) -> str | None:
    """Return the reason why one place of several has no passage, None if all have some. Files of
    installed libraries are seldom indexed, so they do not count, nor do places that were not
    searched. `known` as in `lacking_place`."""
    asked = (one for one in placed.places[:MOST_ASKED] if not one.frame.is_library)
    lacking = next((one for one in asked if not one.passages), None)
    return None if lacking is None else _missing(lacking, known=known)


def _missing(place: Place, *, known: bool) -> str:
    path, line = place.frame.path[-_SHOWN:], place.frame.line
    if place.count > MOST_FILES:
        return _several(place)
    if place.files:
        return f"{min(place.files).path} has no line {line} in the index."
    if known:
        return f"No file that was searched is {path}."
    return f"No passage that was found is at {path}:{line}."


def _several(place: Place) -> str:
    paths = {one.path for one in place.files}
    ending = "/".join(place.frame.path.split("/")[-(place.fit.parts if place.fit else 1) :])
    told = "choose its source or collection" if len(paths) == 1 else "add its folders"
    return f"{place.count} files that were searched end in {ending[-_SHOWN:]}: {told}."
