"""What code says in words: its comments and docstrings, apart from its lines of code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pincite.answering.sentences import split

#: How a comment over several lines begins, and how it ends.
_BLOCKS: Final = {
    "/*": "*/",
    "<!--": "-->",
    "{-": "-}",
    "(*": "*)",
    "--[[": "]]",
    "=begin": "=end",
    '"""': '"""',
    "'''": "'''",
}
_QUOTES: Final = ('"""', "'''")
#: The beginning of a comment over several lines, where a line begins; Python's letters before
#: quotes, and Elixir's `@doc`.
_OPENS: Final = re.compile(
    r"\s*(?:(?:@\w{1,20}\s{1,4})?[rRuUbB]{0,2}(?P<quotes>\"\"\"|''')"
    r"|(?P<mark>/\*|<!--|\{-|\(\*|--\[\[|=begin))[*!]*"
)
#: Of a line: `#` may also begin what a preprocessor does, or an attribute of Rust.
_LINE: Final = re.compile(
    r"\s*(?://+!?|--+(?!\[\[)|;+|%+|#(?!\[|!\[|!/|\s{0,9}(?:define|undef|include|if|ifdef|ifndef|elif"
    r"|else|endif|pragma|error|line|region|endregion)\b)#*)(?=\s|\w|\Z)"
)
_STAR: Final = re.compile(r"\s*\*+")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, or a line of `code`, which denies nothing: its `not` is an operator."""

    text: str
    code: bool = False


def said_in_code(text: str) -> tuple[Said, ...]:
    """The sentences of comments and docstrings, and each line of code, in order. The beginnings of
    lines decide, in any language; a comment behind code belongs to its line. Takes time linear in
    the text."""
    found: list[Said] = []
    prose: list[str] = []
    until = ""  # what ends the comment that is open
    string = ""  # what ends the string that is open

    def flush() -> None:
        joined = "\n".join(prose)
        prose.clear()
        found.extend(Said(joined[one.start : one.end]) for one in split(joined))

    for line in text.splitlines():
        words, rest = None, ""
        if until:
            words, ended, rest = line.partition(until)
            star = _STAR.match(words) if until == "*/" else None
            words = words[star.end() :] if star else words
            until = "" if ended else until
        elif not string and (opened := _OPENS.match(line)):
            ends = _BLOCKS[opened["quotes"] or opened["mark"]]
            words, ended, rest = line[opened.end() :].partition(ends)
            until = "" if ended else ends
        elif not string and (remark := _LINE.match(line)):
            words = line[remark.end() :]
        if words is not None and not rest.strip(" \t;,)"):
            prose.append(words.strip())
            continue
        string = _open_string(line, string)
        flush()
        if line.strip():
            found.append(Said(line.strip(), code=True))
    flush()
    return tuple(found)


def _open_string(line: str, string: str) -> str:
    """The quotes of the string of several lines that is open behind this line of code."""
    for quotes in (string,) if string else _QUOTES:
        if line.count(quotes) % 2:
            return "" if string else quotes
    return string
