"""Messages as a program prints them: what stands before them, and the values that are put in."""

from __future__ import annotations

import re
from typing import Final

#: The beginning of a question or a wish. Without its values, its words fit many passages.
_ASKS: Final = re.compile(
    r"\W*(?:how|what|when|where|which|who|whose|why|i|we|my|please|help|tell|show|give|explain"
    r"|(?:can|could|should|do|does|did|may|must|will|would|is|are|was|were|has|have) (?:i|we|you|it"
    r"|he|she|they|there|the|this|that|these|those|my|our|your))\b(?:'s)?(?!\S)",
    re.IGNORECASE,
)
#: One name that a message has in front: `tornado.options.Error: `, or `ERROR:` of a log.
_BEFORE: Final = re.compile(r"[A-Za-z_][\w.]*(?:\[\w+\])?:\s*(?=[^\s:/\\])")
_MOST_BEFORE: Final = 4  # names before a message
_WORD: Final = re.compile(r"\w+")
_WORDS: Final = 3  # words of a message, without its values
_LONG: Final = 4  # letters
_LONG_WORDS: Final = 2  # of these in a message: "the {} of the {}" has none
#: A literal on several lines, or with a value between its parts.
_SPLIT: Final = re.compile(
    r"([\"'`])[ \t]*+(?:(?:\+|\.\.?|<>|\\)[ \t]*+)?\n[ \t]*+(?:(?:\+|\.\.?|<>)[ \t]*+)?[a-z]{0,2}\1"
)
_ADDED: Final = re.compile(r"([\"'`])[ \t]*+\+[ \t]*+[\w.()\[\]]{1,60}+[ \t]*+\+[ \t]*+\1")
_LITERAL: Final = re.compile(r"([\"'`])((?:\\.|(?!\1)[^\\\n]){5,400})\1")
_PLACE: Final = re.compile(
    r"%(?:\(\w+\))?[-+ #0]*+(?:\d++|\*)?(?:\.\d++)?[a-z](?![a-z])|[#$%]?\{[^{}]{0,80}\}|\$\w+"
    r"|\\\([^()]{1,80}\)"
)
_ESCAPED: Final = re.compile(r"\\([\"'`])")
_LINE_END: Final = re.compile(r"(?:\\[nrt]|\s)+")


def is_question(text: str) -> bool:
    """Return whether a text begins like a question or a wish."""
    return _ASKS.match(text) is not None


def without_names(text: str) -> list[str]:
    """Return what is left of a text without the names before it, one less each time, up to four:
    `HTTPInputError: Body too long` and `Body too long` for `ERROR: HTTPInputError: Body too long`.
    Empty if there is no such name."""
    left: list[str] = []
    while len(left) < _MOST_BEFORE and (found := _BEFORE.match(text)) is not None:
        text = text[found.end() :]
        left.append(text)
    return left


def joined(text: str) -> str:
    """Return a text of code with literals on several lines as one literal, and without the
    backslashes before quotes."""
    return _ESCAPED.sub(r"\1", _SPLIT.sub("", text))


def templates(text: str) -> list[tuple[str, ...]]:
    """Return the literals of code with places for values, in the pieces around these places. The
    code must be `joined`."""
    if not any(sign in text for sign in ("%", "{", "$", "\\(", "+")):
        return []
    found = []
    for literal in _LITERAL.finditer(_ADDED.sub("{}", text)):
        pieces = _PLACE.split(literal[2])
        if len(pieces) > 1:
            one = "\0".join(_LINE_END.sub(" ", piece) for piece in pieces)
            found.append(tuple(one.strip().split("\0")))
    return found


def filled(message: str, pieces: tuple[str, ...]) -> tuple[int, int]:
    """Return how many words of a message are those of a template, and how many are its values. Both
    are 0 if the message does not have all pieces in their order."""
    said = [piece for piece in pieces if _WORD.search(piece)]
    literal = _WORD.findall(" ".join(said))
    if len(literal) < _WORDS or sum(len(word) >= _LONG for word in literal) < _LONG_WORDS:
        return 0, 0
    end, values = 0, 0
    for piece in said:
        at = message.find(piece, end)
        if at < 0:
            return 0, 0
        if end or not _WORD.search(pieces[0]):
            values += len(_WORD.findall(message, end, at))
        end = at + len(piece)
    if not _WORD.search(pieces[-1]):
        values += len(_WORD.findall(message, end))
    return len(literal), values
