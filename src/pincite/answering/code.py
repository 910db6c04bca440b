"""What code says in words: its comments and docstrings, apart from its lines of code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pincite.answering.sentences import Sentence, split
from pincite.support.fields import replace

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
    """The sentences of comments and docstrings, and each line of code, in order."""
    words, found = words_of_code(text)
    return tuple(Said(_joined(words[one.start : one.end]), code=one.code) for one in found)


def _joined(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())


def words_of_code(text: str) -> tuple[str, tuple[Sentence, ...]]:
    """The text with spaces in place of what marks comments and docstrings, and in order their
    sentences and each line of code. The beginnings of lines decide, in any language; a comment
    behind code belongs to its line. Takes time linear in the text."""
    found: list[Sentence] = []
    kept: list[str] = []  # the lines so far
    run, at = 0, 0  # how many of the last lines are prose, and where this line begins
    until = ""  # what ends the comment that is open
    string = ""  # what ends the string that is open

    def flush() -> None:
        prose = "".join(kept[len(kept) - run :])
        begun = at - len(prose)
        found.extend(
            replace(one, start=begun + one.start, end=begun + one.end) for one in split(prose)
        )

    for line in text.splitlines(keepends=True):
        first, words, rest = 0, None, ""
        if until:
            words, ended, rest = line.partition(until)
            star = _STAR.match(words) if until == "*/" else None
            first = star.end() if star else 0
            until = "" if ended else until
        elif not string and (opened := _OPENS.match(line)):
            ends = _BLOCKS[opened["quotes"] or opened["mark"]]
            first = opened.end()
            words, ended, rest = line[first:].partition(ends)
            words = line[:first] + words
            until = "" if ended else ends
        elif not string and (remark := _LINE.match(line)):
            first, words = remark.end(), line
        if words is not None and not rest.strip(" \t\r\n;,)"):
            run += 1
            said = " " * first + words[first:].rstrip("\r\n")
            end = len(line.rstrip("\r\n"))
            kept.append(said.ljust(end) + line[end:])
        else:
            string = _open_string(line, string)
            flush()
            run = 0
            kept.append(line)
            if line.strip():
                found.append(Sentence(at, at + len(line.rstrip()), code=True))
        at += len(line)
    flush()
    return "".join(kept), tuple(found)


def _open_string(line: str, string: str) -> str:
    """The quotes of the string of several lines that is open behind this line of code."""
    for quotes in (string,) if string else _QUOTES:
        if line.count(quotes) % 2:
            return "" if string else quotes
    return string
