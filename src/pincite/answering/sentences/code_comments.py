"""Comments and docstrings of code, as the sentences of a passage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pincite.answering.sentences.split import Sentence, split
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
class SentenceText:
    """A sentence, or a line of `code`, which denies nothing: its `not` is an operator."""

    text: str
    code: bool = False


def said_in_code(text: str) -> tuple[SentenceText, ...]:
    """The sentences of comments and docstrings, and each line of code, in order."""
    words, found = words_of_code(text)
    return tuple(SentenceText(_joined(words[one.start : one.end]), code=one.code) for one in found)


def _joined(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())


def words_of_code(text: str) -> tuple[str, tuple[Sentence, ...]]:
    """The text with spaces in place of what marks comments and docstrings, and in order their
    sentences and each line of code. The beginnings of lines decide, in any language; a comment
    behind code belongs to its line. Takes time linear in the text."""
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
    """The sentences of the lines that end there in a text."""
    words = "".join(lines)
    begun = end - len(words)
    return [replace(one, start=begun + one.start, end=begun + one.end) for one in split(words)]


@dataclass(slots=True)
class _Reader:
    """Reads one line after the other. `comment` and `string` are what ends those that are open."""

    comment: str = ""
    string: str = ""

    def words_of(self, line: str) -> str | None:
        """The line with spaces in place of what marks a comment or docstring, None for code."""
        first, words, rest = self._comment(line)
        if words is None or rest.strip(" \t\r\n;,)"):
            self.string = _open_string(line, self.string)
            return None
        said = " " * first + words[first:].rstrip("\r\n")
        end = len(line.rstrip("\r\n"))
        return said.ljust(end) + line[end:]

    def _comment(self, line: str) -> tuple[int, str | None, str]:
        """Where the words of a comment begin, the line up to its end, and what follows it."""
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
    """The quotes of the string of several lines that is open behind this line of code."""
    for quotes in (string,) if string else _QUOTES:
        if line.count(quotes) % 2:
            return "" if string else quotes
    return string
