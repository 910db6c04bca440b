"""Leave out branches of the preprocessor of C that a parser cannot read.

A parser reads all branches of `#if` as one text. If a branch opens a brace that another one closes,
or is the middle of an expression, most of the file may become one error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pincite.support.late_patterns import late_pattern

_LINE: Final = late_pattern(rb"[^\n]+")
_BLANKS: Final = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))
_QUOTES: Final = _BLANKS.replace(b" ", b'"')
#: Comments and literals behind their first character, which is looked back at: a search for one of
#: a few characters is fast. One without an end takes the rest, so that no text is read twice.
NO_CODE: Final = (
    rb"(?<=/)(?:/[^\n]*|\*(?s:.*?\*/|.*))"
    rb'|(?<=R)"(?P<mark>[^()\\\s]{0,16})\((?s:.*?\)(?P=mark)"|.*)'
    rb'|(?<=")(?:[^"\\\n]+|\\(?s:.))*"?'
    rb"|(?<=')(?:[^'\\\n]|\\[^\n]){1,12}'"
)
#: The rest of a directive, with the lines on which it goes on. A comment ends it, because it may
#: have several lines.
REST: Final = rb"(?:[^\\/\n]+|\\(?s:.)|/(?![*/]))*"
_CONDITION: Final = rb"(?:if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b"
#: The same, and other directives than conditions.
_NO_CODE: Final = late_pattern(
    rb"[/R\"'\n](?:" + NO_CODE + rb"|(?<=\n)[ \t]*#(?![ \t]*" + _CONDITION + rb")" + REST + rb")"
)
_CONDITIONS: Final = late_pattern(
    rb"\n[ \t]*#[ \t]*(?P<word>" + _CONDITION + rb")(?P<never>[ \t]+0[ \t\r]*(?=\n))?"
    rb"(?:[^\\\n]+|\\(?s:.))*"
)
_OPENS: Final = (b"if", b"ifdef", b"ifndef")
_BRACES: Final = late_pattern(rb"[{}]")
#: The beginning of code that continues a statement or an expression. `::`, `++` and `--` do not.
_CONTINUES: Final = late_pattern(rb"else\b|&&|\|\||:(?!:)|\+(?!\+)|-(?!-)|[,?.<>=/|^)\]}]")
_BETWEEN: Final = b";{}:"  # ends of the code in front of a complete statement or declaration
_ENDS: Final = b";}"
#: Stands at the beginning of a row that is left out.
COMMENT: Final = b"//"


class _Code(NamedTuple):
    """A piece of code: whether it `continues` the code in front of it; its `last` character, empty
    if it has none; the braces and parentheses that it opens and does not close, below 0 if it
    closes more; `lowest`, the smallest number of open braces in it, at most 0."""

    continues: bool = False
    last: bytes = b""
    braces: int = 0
    parentheses: int = 0
    lowest: int = 0

    def then(self, other: _Code) -> _Code:
        """Return both pieces as one."""
        return _Code(
            self.continues if self.last else other.continues,
            other.last or self.last,
            self.braces + other.braces,
            self.parentheses + other.parentheses,
            min(self.lowest, self.braces + other.lowest),
        )

    def is_complete(self) -> bool:
        """Return whether a parser can read it alone."""
        closed = not (self.braces or self.parentheses or self.lowest)
        return closed and self.last in _ENDS and not self.continues


def _code(text: bytes) -> _Code:
    text = text.strip()
    braces = lowest = 0
    for brace in _BRACES.findall(text):
        braces += 1 if brace == b"{" else -1
        lowest = min(lowest, braces)
    parentheses = text.count(b"(") - text.count(b")")
    return _Code(bool(_CONTINUES.match(text)), text[-1:], braces, parentheses, lowest)


class _Group:
    """The branches from `#if` to `#endif`. A directive is given by its first and its last byte
    (exclusive)."""

    def __init__(self, directive: tuple[int, int], before: bytes, *, never: bool) -> None:
        """`before` is the last character of code in front of the group. `never`: it is `#if 0`."""
        self.before = before
        self.branches = [_Code()]
        self._directives = [directive]
        self._never = never

    def divide(self, directive: tuple[int, int]) -> None:
        """Begin the next branch."""
        self._directives.append(directive)
        self.branches.append(_Code())

    def add(self, code: _Code) -> None:
        """Add code to the last branch."""
        self.branches[-1] = self.branches[-1].then(code)

    @property
    def taken(self) -> int:
        """Return the number of the branch that stays."""
        return int(self._never and len(self.branches) > 1)

    def dropped(self, last: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the first and the last byte (exclusive) of each part to leave out, with `#endif`
        as the `last` directive. Empty if each branch can be read alone."""
        if self.before in _BETWEEN and all(each.is_complete() for each in self.branches):
            return []
        parts = [last]
        following = [*self._directives[1:], last]
        for number, (start, end) in enumerate(self._directives):
            parts.append((start, end if number == self.taken else following[number][0]))
        return parts


def drop_branches(source: bytes) -> bytes:
    """Return C or C++ with empty comments instead of the directives, and of the branches behind
    `#else`, of each `#if` with a branch that cannot be read alone. Of `#if 0`, the next branch
    stays. The text keeps its length and its newlines. Takes time linear in the length."""
    kept: list[bytes] = []
    done = 0
    for start, end in sorted(_parts(only_code(source))):
        if end > done:
            kept.append(source[done : max(start, done)])
            kept.append(_LINE.sub(_comment, source[max(start, done) : end]))
            done = end
    return b"".join((*kept, source[done:]))


def _parts(code: bytes) -> Iterator[tuple[int, int]]:
    """Yield the first and the last byte (exclusive) of each part to leave out of the text behind a
    first newline, without comments. A part may lie in another one."""
    groups: list[_Group] = []
    last = b""  # character of the code so far
    done = 0
    for directive in _CONDITIONS.finditer(code):
        start, end = directive.start(), directive.end() - 1
        between = _code(code[done:start])
        done = directive.end()
        last = between.last or last
        if groups:
            groups[-1].add(between)
        word = directive["word"]
        if word in _OPENS:
            never = word == b"if" and directive["never"] is not None
            groups.append(_Group((start, end), last, never=never))
        elif groups and word == b"endif":
            group = groups.pop()
            yield from group.dropped((start, end))
            kept = group.branches[group.taken]
            last = kept.last or group.before
            if groups:
                groups[-1].add(kept)
        elif groups:
            last = groups[-1].before
            groups[-1].divide((start, end))


def only_code(source: bytes) -> bytes:
    """Return C or C++ behind a first newline, with blanks instead of comments and of directives
    that are no conditions, and with quotes instead of literals."""
    return _NO_CODE.sub(_hidden, b"\n" + source)


def _hidden(found: re.Match[bytes]) -> bytes:
    """Return quotes for a literal, which is code, and blanks for a comment or directive."""
    return found[0].translate(_BLANKS if found[0][:1] in b"/\n" else _QUOTES)


def _comment(line: re.Match[bytes]) -> bytes:
    size = len(line[0])
    return COMMENT.ljust(size) if size > 1 else b" "


def blank(text: bytes) -> bytes:
    """Return blanks for all characters but newlines."""
    return text.translate(_BLANKS)


def hidden_rows(source: bytes, repaired: bytes) -> set[int]:
    """Return the rows whose code the repaired text does not have."""
    rows = zip(source.split(b"\n"), repaired.split(b"\n"), strict=True)
    return {
        row for row, (old, new) in enumerate(rows) if old != new and new.strip() in (b"", COMMENT)
    }
