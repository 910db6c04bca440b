"""Cut code by the form and the indentation of its lines, where no grammar is available.

A definition begins at a line of its language's form and ends before the next line that is not
indented further, apart from lines that only close or continue it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pincite.chunkers.code import with_symbols
from pincite.chunkers.definitions import DEEPEST, Definition, Definitions
from pincite.chunkers.grammars import GRAMMARS
from pincite.chunkers.pieces import Path, Piece
from pincite.chunkers.text import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pincite.chunkers.line_languages import LineLanguage
    from pincite.chunkers.lines import Lines
    from pincite.chunkers.packing import Packer
    from pincite.model import Section

_CHARS: Final = 200  # of a line
_DEFINITIONS: Final = 20_000  # of a file
_NAME_CHARS: Final = 80
#: Lines that are not indented further than their definition, and still belong to it.
_CLOSES: Final = re.compile(r"\s*[{})\]|=]")
_END: Final = re.compile(r"\s*end", re.IGNORECASE)
_CALL: Final = re.compile(r"\s*+((?:[\w<>?\[\],.&*$]++\s++)++)([~$\w]++)?+\(")
#: What stands before a name and a bracket in a statement, and not in a definition.
_STATEMENTS: Final = frozenset(
    """assert await break case catch const delete do else emit for foreach goto if in is lock new
    not of out return rethrow super switch synchronized this throw throws try typeof unless until
    using when while with yield""".split()
)
_CONTROL: Final = frozenset({"catch", "for", "foreach", "if", "switch", "unless", "until", "while"})


def outlined(language: str) -> bool:
    """Return whether files of this language are cut by `chunk_by_line`."""
    if language in GRAMMARS:
        return False
    from pincite.chunkers.line_languages import LINE_LANGUAGES  # late: its patterns take 10 ms

    return language in LINE_LANGUAGES


def chunk_by_line(lines: Lines, packer: Packer, language: str) -> tuple[Section, ...]:
    """Return sections with symbol paths as headings and the names that each span defines."""
    from pincite.chunkers.line_languages import LINE_LANGUAGES

    known = LINE_LANGUAGES[language]
    found = find_by_line(lines, known)
    leading = _leading_rows(lines, known, found)
    pieces = _pieces(lines, packer, found, leading)
    return tuple(with_symbols(lines, packer.pack(pieces), [Definitions(found, len(lines))]))


def find_by_line(lines: Lines, language: LineLanguage) -> list[Definition]:
    """Return the definitions in order of their rows, outer before inner. Rows are used in place of
    bytes."""
    found: list[_Open] = []
    open_: list[_Open] = []
    scope: _Open | None = None
    skipping, margin = False, 0  # within a comment, which is indented as far as this
    last = 0  # the last row with code
    for row, line in enumerate(lines.lines):
        if lines.blank[row]:
            continue
        head, indent = line[:_CHARS], lines.indent(row)
        was_skipping, skipping = skipping, _skips(language, line, skipping=skipping)
        if skipping or was_skipping or head.lstrip().startswith(language.comments):
            margin = margin if was_skipping else indent
            if open_ and margin > open_[-1].indent:
                last = row
            continue
        many = len(found) >= _DEFINITIONS
        if language.scope and not many and (named := language.scope.match(head)):
            _close(open_, scope, last)
            scope = _Open(row, -1, _name(named), ())
            found.append(scope)
            last = row
            continue
        name = "" if many else _defined(language, head, lines.lines[row + 1 : row + 2])
        again = language.clauses and _is_clause(open_, indent, name)
        closing = again or (not name and _belongs(language, head))
        while open_ and open_[-1].is_past(indent, closing=closing):
            open_.pop().last = last
        if open_ and indent == open_[-1].indent and language.ends and _END.match(head):
            open_[-1].ended = True
        if name and not again:
            outer = open_[-1].path if open_ else scope.path if scope else ()
            opened = _Open(row, indent, name, outer)
            found.append(opened)
            open_.append(opened)
        last = row
    _close(open_, scope, last)
    return [each.closed() for each in found]


class _Open:
    """A definition whose last row is not known yet."""

    __slots__ = ("ended", "indent", "last", "name", "path", "row")

    def __init__(self, row: int, indent: int, name: str, outer: Path) -> None:
        self.row, self.last, self.indent, self.name = row, row, indent, name
        self.path = (*outer, name)[:DEEPEST]
        self.ended = False  # its `end` was seen

    def is_past(self, indent: int, *, closing: bool) -> bool:
        """Return whether a line with this indentation is behind the definition."""
        return indent < self.indent or (indent == self.indent and (self.ended or not closing))

    def closed(self) -> Definition:
        row, last = self.row, max(self.row, self.last)
        return Definition(row, last, row, last + 1, self.path, self.name, row)


def _close(open_: list[_Open], scope: _Open | None, last: int) -> None:
    for each in (*open_, *filter(None, [scope])):
        each.last = last
    open_.clear()


def _skips(language: LineLanguage, line: str, *, skipping: bool) -> bool:
    """Return whether the line after this one is within a passage without definitions."""
    if language.skips is None:
        return False
    opens, closes = language.skips
    return closes.match(line) is None if skipping else opens.match(line) is not None


def _belongs(language: LineLanguage, line: str) -> bool:
    """Return whether a line at the margin of a definition is the end of it, or goes on with it."""
    pattern = language.ends or _CLOSES
    return pattern.match(line) is not None and not line.lstrip().startswith(language.leads or "\0")


def _is_clause(open_: Sequence[_Open], indent: int, name: str) -> bool:
    """Return whether this is a further clause of a definition that is still open."""
    return bool(name) and any(each.indent == indent and each.name == name for each in open_)


def _defined(language: LineLanguage, line: str, following: Sequence[str]) -> str:
    """Return the name that a line defines, or ""."""
    if match := language.defines.match(line):
        return _name(match)
    return _function(line, following) if language.functions else ""


def _name(match: re.Match[str]) -> str:
    words = (match[match.lastindex or 0] or "").split()
    return words[-1][:_NAME_CHARS] if words else ""


def _function(line: str, following: Sequence[str]) -> str:
    """Return `name` of `type name(...) {` and `type name(...) =>`, "" otherwise. The bracket may be
    closed, and the brace opened, on a further line."""
    match = _CALL.match(line)
    if match is None:
        return ""
    words = [*match[1].split(), *filter(None, [match[2]])]
    if len(words) < 2 or words[-1] in _CONTROL or not _STATEMENTS.isdisjoint(words[:-1]):
        return ""
    behind = _behind_parameters(line[match.end() :])
    closed = behind is not None and "{" not in behind and "=>" not in behind
    if closed and not any(each.lstrip().startswith("{") for each in following):
        return ""  # a call, or a declaration
    name = words[-1].lstrip("~$")
    return words[-1] if name.isidentifier() and _is_type(words[:-1]) else ""


def _behind_parameters(rest: str) -> str | None:
    """Return what follows the bracket that closes an open one, None if none does."""
    depth = 1
    for place, char in enumerate(rest):
        depth += (char == "(") - (char == ")")
        if not depth:
            return rest[place + 1 :]
    return None


def _is_type(words: Sequence[str]) -> bool:
    """Return whether these may be modifiers and a type, such as `static Map<String, int>`."""
    depth = 0
    for word in words:
        depth += word.count("<") - word.count(">")
        if not any(map(str.isalpha, word)) or (word.endswith(",") and depth < 1):
            return False
    return depth == 0


def _leading_rows(lines: Lines, language: LineLanguage, found: list[Definition]) -> list[int]:
    """Return the first row of the comments and annotations directly above each definition."""
    rows = []
    floor = 0  # nothing above belongs to another definition
    for each in found:
        first = row = each.first
        indent = lines.indent(row)
        while row > floor and not lines.blank[row - 1]:
            row -= 1
            line = lines.lines[row]
            if line[:_CHARS].lstrip().startswith((*language.comments, *language.leads)):
                first = row
            elif language.skips and language.skips[1].match(line):
                opening = _opening(lines, row, floor, language.skips[0])
                if opening is None:
                    break  # looked for once: a text may end many comments that it never opens
                first = row = opening
            elif lines.indent(row) <= indent:
                break
        rows.append(first)
        floor = each.first + 1
    return rows


def _opening(lines: Lines, row: int, floor: int, opens: re.Pattern[str]) -> int | None:
    """Return the first row of a comment that ends on this row, None if it does not begin here."""
    rows = range(row, floor - 1, -1)
    return next((above for above in rows if opens.match(lines.lines[above])), None)


def _pieces(
    lines: Lines, packer: Packer, found: list[Definition], leading: list[int]
) -> Iterator[Piece]:
    """Yield definitions that fit, in order; one that does not fit is replaced by its parts."""
    at, number = 0, 0
    around: list[tuple[int, Path]] = [(len(lines), ())]  # where the open definitions end
    while number < len(found):
        each, first = found[number], max(at, leading[number])
        while around[-1][0] <= first and len(around) > 1:
            end, path = around.pop()
            yield from paragraphs(lines, at, end, path)
            at = max(at, end)
        first = max(at, first)
        yield from paragraphs(lines, at, first, around[-1][1])
        end = min(each.last + 1, around[-1][0])
        if lines.cost(first, end) <= packer.room(each.path):
            yield Piece(first, end, each.path, definition=True)
            at = end
            while number < len(found) and found[number].first < end:
                number += 1
            continue
        number += 1
        at = first
        if number < len(found) and found[number].first < end:  # its head belongs to what follows
            at = max(at, each.first + 1)
            yield Piece(first, at, each.path, forward=True)
        around.append((end, each.path))
    for end, path in reversed(around):
        yield from paragraphs(lines, at, end, path)
        at = max(at, end)
