"""Remove the names of unshown collections from errors.

Messages of Pincite have the name of a collection only in few places. It is replaced only there,
because a name may also be an ordinary word (`docs`), a provider (`openai`) or a part of a command
(`pincite`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeVar
from urllib.parse import unquote

from pincite.errors import PinciteError
from pincite.model import Scope

_E = TypeVar("_E", bound=PinciteError)
_GENERAL_HINT: Final = "pincite status"
#: A member's name that would be too long is cut to this many characters, and a hash follows.
_CUT_AT: Final = 55
_QUOTE = r"['\"`]"
#: The verbs of stores' errors, before the name of a collection.
_VERBS = (
    r"(?:search|read|count|write to|look for|look at|create|drop|open|update"
    r"|(?:index|add) [^:\n]{1,80} (?:of|to))"
)
#: The verbs of Pincite's own messages, after the name of a collection.
_PREDICATES = r"(?:gave|was|is|has|belongs|ranks|requires)"
_COMMANDS = r"(?:(?<![\w-])(?:-c|--collections?)|\bpincite (?:collections [a-z]+|reembed))[ =]"
#: After these words, quotes contain the name of something else, even if a collection shares it.
_OF_OTHERS = "".join(
    rf"(?<!\b{one} )(?<!\b{one} is named )" for one in ("attribute", "kind", "source", "tag")
)
_KNOWN = re.compile(r"; known collections: [^\n;]*")
_OF_ADDRESSES = re.compile(r"(?<=\bcollections/)[^\s/?#'\"`:,;()]+")


def without_names(text: str, scope: Scope) -> str:
    """Return the text with `a collection` instead of the name of each unshown collection of the
    scope and of each of its members. Names are replaced only where messages have them: in quotes,
    unless after "attribute", "kind", "source" or "tag"; after the words "collection" and "member"
    of Pincite or of a store (`Collection [x]`); before the verb of a sentence; after the verb of a
    store; after `collections/` in an address; and in a command. If the collections may be shown,
    the text is unchanged."""
    names = tuple(filter(None, scope.collections))
    if "collections" not in scope.unshown or not names:
        return text
    called = scope.called("")
    stored, places = _places(names)

    def segment(found: re.Match[str]) -> str:
        return called if stored.fullmatch(unquote(found[0])) else found[0]

    text = _OF_ADDRESSES.sub(segment, _KNOWN.sub("", text))
    for place in places:
        text = place.sub(rf"\g<kept>{called}", text)
    return text


def unnamed(error: _E, scope: Scope) -> _E:
    """Return the error itself, or a copy of it without unshown names. A hint with such a name
    becomes `pincite status`."""
    message, hint = (without_names(one, scope) for one in (error.message, error.hint))
    if (message, hint) == (error.message, error.hint):
        return error
    told = type(error).__new__(type(error))  # its constructor may need more than a message
    told.__dict__.update(error.__dict__)
    told.message, told.args = message, (message,)
    told.hint = hint if hint == error.hint else _GENERAL_HINT
    return told


@lru_cache(100)
def _places(names: tuple[str, ...]) -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    """Return a pattern of the names as a store has them, with its prefix, and patterns of the
    places where messages have names."""
    name = rf"(?:{'|'.join(_forms(names))})"
    stored = rf"(?:[\w-]*[_-])?{name}(?:\.\d+)?"
    end = r"(?![\w-])"
    return re.compile(stored), tuple(
        re.compile(place)
        for place in (
            rf"(?P<kept>)(?:\b[Tt]he |\b[Aa] )?\b(?:[Cc]ollection|[Mm]ember):?"
            rf" (?:(?P<quote>{_QUOTE}){stored}(?P=quote)|\[{stored}\]|{stored}{end})",
            rf"(?P<kept>){_OF_OTHERS}(?P<quote>{_QUOTE}){name}(?P=quote)",
            rf"(?P<kept>^|[:;] ){name}(?= {_PREDICATES}\b)",
            rf"(?P<kept>\b(?:vectors|points) of ){name}{end}",
            rf"(?P<kept>\bcould not {_VERBS} ){stored}(?=:)",
            rf"(?P<kept>\[collections\.){name}(?=[\].])",
            rf"(?P<kept>{_COMMANDS}){name}{end}",
        )
    )


def _forms(names: Iterable[str]) -> Iterable[str]:
    """Yield patterns for the names and for the names of their members, longest first."""
    for one in sorted(names, key=len, reverse=True):
        yield rf"{re.escape(one)}(?:__\w+)?"
        if len(one) >= _CUT_AT:
            yield rf"{re.escape(one[:_CUT_AT])}_[0-9a-f]{{8}}"
