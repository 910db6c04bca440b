"""Cut code by the form and the indentation of its lines, where no grammar is available.

A definition begins at a line of its language's form and ends before the next line that is not
indented further, apart from lines that only close or continue it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pincite.chunkers.code import with_symbols
from pincite.chunkers.definitions import DEEPEST, Definition, Definitions
from pincite.chunkers.line_languages import LINE_LANGUAGES
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
_ENDS: Final = re.compile(
    r"\s*(?:[{})\]|=]|(?:end\w*+|begin|else|elsif|then|rescue|ensure|contains|is|var|const|type)\b)",
    re.IGNORECASE,
)
_CALL: Final = re.compile(r"\s*+((?:[\w<>?\[\],.&*$]++\s++)++)([~$\w]++)?+\(")
#: What stands before a name and a bracket in a statement, and not in a definition.
_STATEMENTS: Final = frozenset(
    """assert await break case catch delete do else emit for foreach goto if in is lock new not of
    out return rethrow super switch synchronized this throw throws try typeof unless until using
    when while with yield""".split()
)


def outlined(language: str) -> bool:
    """Return whether files of this language are cut by `chunk_by_line`."""
    return language in LINE_LANGUAGES


def chunk_by_line(lines: Lines, packer: Packer, language: str) -> tuple[Section, ...]:
    """Return sections with symbol paths as headings and the names that each span defines."""
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
    skipping = False
    last = 0  # the last row with code
    for row, line in enumerate(lines.lines):
        if lines.blank[row] or len(found) >= _DEFINITIONS:
            continue
        head = line[:_CHARS]
        if language.skips:
            opens, closes = language.skips
            if skipping or opens.match(head):
                skipping = closes.match(head) is None
                continue
        if language.scope and (named := language.scope.match(head)):
            _close(open_, last)
            _close_scope(scope, last)
            scope = _Open(row, -1, _name(named), ())
            found.append(scope)
            last = row
            continue
        indent = lines.indent(row)
        name = _defined(language, head)
        again = language.clauses and _is_clause(open_, indent, name)
        closing = not name and _belongs(language, head)
        while open_ and _is_past(open_[-1], indent, closing=closing or again):
            open_.pop().last = last
        if name and not again:
            outer = open_[-1].path if open_ else scope.path if scope else ()
            opened = _Open(row, indent, name, outer)
            found.append(opened)
            open_.append(opened)
        last = row
    _close(open_, last)
    _close_scope(scope, last)
    return [each.closed() for each in found]


class _Open:
    """A definition whose last row is not known yet."""

    __slots__ = ("indent", "last", "name", "path", "row")

    def __init__(self, row: int, indent: int, name: str, outer: Path) -> None:
        self.row, self.last, self.indent, self.name = row, row, indent, name
        self.path = (*outer, name)[:DEEPEST]

    def closed(self) -> Definition:
        row, last = self.row, max(self.row, self.last)
        return Definition(row, last, row, last + 1, self.path, self.name, row)


def _close(open_: list[_Open], last: int) -> None:
    for each in open_:
        each.last = last
    open_.clear()


def _close_scope(scope: _Open | None, last: int) -> None:
    if scope is not None:
        scope.last = last


def _belongs(language: LineLanguage, line: str) -> bool:
    """Return whether a line at the margin of a definition is the end of it, or goes on with it."""
    pattern = _ENDS if language.ends else _CLOSES
    return pattern.match(line) is not None and not line.lstrip().startswith(language.leads)


def _is_clause(open_: Sequence[_Open], indent: int, name: str) -> bool:
    """Return whether this is a further clause of a definition that is still open."""
    return bool(name) and any(each.indent == indent and each.name == name for each in open_)


def _is_past(opened: _Open, indent: int, *, closing: bool) -> bool:
    return indent < opened.indent or (indent == opened.indent and not closing)


def _defined(language: LineLanguage, line: str) -> str:
    """Return the name that a line defines, or ""."""
    if match := language.defines.match(line):
        return _name(match)
    return _function(line) if language.functions else ""


def _name(match: re.Match[str]) -> str:
    words = (match[match.lastindex or 0] or "").split()
    return words[-1][:_NAME_CHARS] if words else ""


def _function(line: str) -> str:
    """Return `name` of `type name(...) {` and `type name(...) =>`, "" otherwise."""
    match = _CALL.match(line)
    words = [*match[1].split(), *filter(None, [match[2]])] if match else []
    if match is None or len(words) < 2 or not _STATEMENTS.isdisjoint(words[:-1]):
        return ""
    rest = line[match.end() :].rstrip()
    if rest.endswith(";") and "=>" not in rest:
        return ""  # a declaration, or a statement
    return (
        words[-1] if words[-1] not in _STATEMENTS and words[-1].lstrip("~$").isidentifier() else ""
    )


def _leading_rows(lines: Lines, language: LineLanguage, found: list[Definition]) -> list[int]:
    """Return the first row of the comments and annotations directly above each definition."""
    rows = []
    floor = 0  # nothing above belongs to another definition
    for each in found:
        first = row = each.first
        indent = lines.indent(row)
        while row > floor and not lines.blank[row - 1]:
            row -= 1
            text = lines.lines[row][:_CHARS].lstrip()
            if text.startswith(language.leads):
                first = row
            elif lines.indent(row) <= indent:
                break
        rows.append(first)
        floor = each.first + 1
    return rows


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
