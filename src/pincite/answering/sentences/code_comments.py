"""Comments and docstrings of code as sentences of a passage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pincite.answering.sentences.split import Sentence, split
from pincite.support.fields import replace

#: The beginnings and ends of comments over several lines.
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
#: The beginning of a comment over several lines, at the beginning of a line. Python has letters
#: before quotes, and Elixir `@doc`.
_OPENS: Final = re.compile(
    r"\s*(?:(?:@\w{1,20}\s{1,4})?[rRuUbB]{0,2}(?P<quotes>\"\"\"|''')"
    r"|(?P<mark>/\*|<!--|\{-|\(\*|--\[\[|=begin))[*!]*"
)
#: A comment of one line, also `#: ` of Sphinx and `#' ` of roxygen. `#` may also begin a line for a
#: preprocessor, an attribute of Rust, or a name of Lisp (`#:name`, `#'name`).
_LINE: Final = re.compile(
    r"\s*(?://+!?|--+(?!\[\[)|;+|%+|#(?!\[|!\[|!/|\s{0,9}(?:define|undef|include|if|ifdef|ifndef|elif"
    r"|else|endif|pragma|error|line|region|endregion)\b)#*(?:[:'](?=\s|\Z))?)(?=\s|\w|\Z)"
)
_STAR: Final = re.compile(r"\s*\*+")


@dataclass(frozen=True, slots=True)
class SentenceText:
    """A sentence, or a line of `code`, which denies nothing: its `not` is an operator."""

    text: str
    code: bool = False


def said_in_code(text: str) -> tuple[SentenceText, ...]:
    """Return the sentences of comments and docstrings, and each line of code, in order."""
    words, found = words_of_code(text)
    return tuple(SentenceText(_joined(words[one.start : one.end]), code=one.code) for one in found)


def _joined(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())


def words_of_code(text: str) -> tuple[str, tuple[Sentence, ...]]:
    """Return the text with spaces in place of the marks of comments and docstrings, and their
    sentences and each line of code, in order. The beginnings of lines decide, in any language; a
    comment after code belongs to its line. Takes time linear in the text."""
    found: list[Sentence] = []
    kept: list[str] = []  # the lines so far
    run: list[str] = []  # those of them that are words, since the last line of code
    at, reader = 0, _Reader()
    for line in text.splitlines(keepends=True):
        words = reader.words_of(line)
        if words is not None:
            run.append(words)
            kept.append(words)
        else:
            found += _sentences(run, at)
            run.clear()
            kept.append(line)
            if line.strip():
                found.append(Sentence(at, at + len(line.rstrip()), code=True))
        at += len(line)
    return "".join(kept), (*found, *_sentences(run, at))


def _sentences(lines: Sequence[str], end: int) -> list[Sentence]:
    """Return the sentences of lines that end at the position `end` of a text."""
    words = "".join(lines)
    begun = end - len(words)
    return [replace(one, start=begun + one.start, end=begun + one.end) for one in split(words)]


@dataclass(slots=True)
class _Reader:
    """Reads lines one after the other. `comment` and `string` are the ends of an open comment and
    string."""

    comment: str = ""
    string: str = ""

    def words_of(self, line: str) -> str | None:
        """Return the line with spaces in place of the marks of a comment or docstring; None for
        code."""
        first, words, rest = self._comment(line)
        if words is None or rest.strip(" \t\r\n;,)"):
            self.string = _open_string(line, self.string)
            return None
        said = " " * first + words[first:].rstrip("\r\n")
        end = len(line.rstrip("\r\n"))
        return said.ljust(end) + line[end:]

    def _comment(self, line: str) -> tuple[int, str | None, str]:
        """Return the start of the words of a comment, the line up to its end, and the text after
        it."""
        if self.comment:
            words, ended, rest = line.partition(self.comment)
            star = _STAR.match(words) if self.comment == "*/" else None
            self.comment = "" if ended else self.comment
            return star.end() if star else 0, words, rest
        if self.string:
            return 0, None, ""
        if opened := _OPENS.match(line):
            ends = _BLOCKS[opened["quotes"] or opened["mark"]]
            words, ended, rest = line[opened.end() :].partition(ends)
            self.comment = "" if ended else ends
            return opened.end(), opened[0] + words, rest
        remark = _LINE.match(line)
        return (remark.end(), line, "") if remark else (0, None, "")


def _open_string(line: str, string: str) -> str:
    """Return the quotes of the string over several lines that is open after this line of code."""
    for quotes in (string,) if string else _QUOTES:
        if line.count(quotes) % 2:
            return "" if string else quotes
    return string
