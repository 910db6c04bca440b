"""Cut code by the form and the indentation of its lines, for languages without a grammar.

A definition begins at a line that matches a pattern of its language. It ends before the next line
that is not indented further, except lines that only close or continue it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from pincite.chunkers.code.chunker import with_symbols
from pincite.chunkers.code.definitions import DEEPEST, Definition, Definitions
from pincite.chunkers.code.grammars import GRAMMARS
from pincite.chunkers.code.line_forms import Named, defined, members_in, name_of
from pincite.chunkers.pieces import Path, Piece
from pincite.chunkers.text import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pincite.chunkers.code.line_languages import LineLanguage
    from pincite.chunkers.lines import Lines
    from pincite.chunkers.packing import Packer
    from pincite.model import Section
from pincite.support.fields import replace

_CHARS: Final = 200  # of a line
_DEFINITIONS: Final = 20_000  # of a file
#: Lines that are not indented further than their definition, and still belong to it.
_CLOSES: Final = re.compile(r"\s*[{})\]|=]")
_END: Final = re.compile(r"\s*end", re.IGNORECASE)


def outlined(language: str) -> bool:
    """Return whether files of this language are cut by `chunk_by_line`."""
    if language in GRAMMARS:
        return False
    from pincite.chunkers.code.line_languages import LINE_LANGUAGES  # late: its patterns take 10 ms

    return language in LINE_LANGUAGES


def line_revision(language: str) -> int:
    """Return the revision of the rules that find the definitions of an `outlined` language."""
    from pincite.chunkers.code.line_languages import LINE_LANGUAGES

    return LINE_LANGUAGES[language].revision


def chunk_by_line(lines: Lines, packer: Packer, language: str) -> tuple[Section, ...]:
    """Return sections with symbol paths as headings and the names that each span defines."""
    from pincite.chunkers.code.line_languages import LINE_LANGUAGES

    known = LINE_LANGUAGES[language]
    outline = find_by_line(lines, known)
    found = outline.definitions
    leading = _leading_rows(lines, known, found)
    pieces = _pieces(lines, packer, found, leading, known)
    definitions = Definitions(found, len(lines), outline.further, outline.values)
    return tuple(with_symbols(lines, packer.pack(pieces), [definitions]))


class Outline(NamedTuple):
    """The definitions and values of a file. `definitions` are in the order of their rows, outer
    before inner, and have rows instead of byte offsets. `further` are other names of definitions
    and `values` names of values, each with its row."""

    definitions: list[Definition]
    further: list[tuple[int, str]]
    values: list[tuple[int, str]]


def find_by_line(lines: Lines, language: LineLanguage) -> Outline:
    """Return the definitions and values of a file, up to 20,000 of each."""
    found: list[_Open] = []
    further: list[tuple[int, str]] = []
    values: list[tuple[int, str]] = []
    open_: list[_Open] = []
    scope: _Open | None = None
    skipping, margin = False, 0  # whether in a comment, and its indentation
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
        if language.scope and not many and (around := language.scope.match(head)):
            _close(open_, scope, last)
            scope = _Open(row, -1, Named(name_of(around)), ())
            found.append(scope)
            last = row
            continue
        within = _goes_on(language, open_, indent, head)
        known = not (many or within)
        named = defined(language, head, lines.lines[row + 1 : row + 2]) if known else None
        again = _is_clause(language, open_, indent, named, head)
        closing = again or within or (named is None and _belongs(language, head))
        while open_ and open_[-1].is_past(indent, closing=closing):
            open_.pop().last = last
        if open_ and indent == open_[-1].indent and language.ends and _END.match(head):
            open_[-1].ended = True
        if named is None and len(values) < _DEFINITIONS:
            values += [(row, name) for name in _values(language, open_, head, indent)]
        if named is not None and not again:
            outer = open_[-1].path if open_ else scope.path if scope else ()
            opened = _Open(row, indent, named, outer)
            found.append(opened)
            open_.append(opened)
            further += [(row, name) for name in named.further]
            if opened.lists and (behind := head.partition("{")[2]):
                values += [(row, name) for name in _members(opened, behind, -1)]
        if open_ and language.code:
            open_[-1].sees(language, line)
        last = row
    _close(open_, scope, last)
    return Outline([each.closed() for each in found], further, values)


class _Open:
    """A definition whose last row is not known yet."""

    __slots__ = (
        *("column", "ended", "goes_on", "indent", "last", "lists", "name", "path", "row"),
        "symbol",
    )

    def __init__(self, row: int, indent: int, named: Named, outer: Path) -> None:
        self.row, self.last, self.indent, self.name = row, row, indent, named.name
        self.path = (*outer, named.name)[:DEEPEST]
        self.symbol = "" if named.holds else named.name
        self.ended = False  # a line that ends it was read
        self.goes_on = False  # its last line continues on the next one
        self.lists = named.lists  # members of an enumeration may follow
        self.column = -1  # the indentation of these members, -1 before the first

    def is_past(self, indent: int, *, closing: bool) -> bool:
        """Return whether a line with this indentation is after the definition. `closing`: it may
        close or continue a definition of the same indentation."""
        return indent < self.indent or (indent == self.indent and (self.ended or not closing))

    def sees(self, language: LineLanguage, line: str) -> None:
        """Store how this line of the definition ends."""
        code = language.code.match(line) if language.code else None
        end = code[0].rstrip() if code else ""
        self.ended = end.endswith(language.full_stop or "\0")
        self.goes_on = end.endswith(language.goes_on)

    def closed(self) -> Definition:
        row, last = self.row, max(self.row, self.last)
        return Definition(row, last, row, last + 1, self.path, self.symbol, row)


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
    """Return whether a line with the indentation of a definition closes or continues it."""
    pattern = language.ends or _CLOSES
    return pattern.match(line) is not None and not line.lstrip().startswith(language.leads or "\0")


def _goes_on(language: LineLanguage, open_: Sequence[_Open], indent: int, line: str) -> bool:
    """Return whether this line continues the one above it."""
    if not open_ or not open_[-1].goes_on or indent != open_[-1].indent:
        return False
    return language.clauses is not None and language.clauses.match(line) is not None


def _is_clause(
    language: LineLanguage, open_: Sequence[_Open], indent: int, named: Named | None, line: str
) -> bool:
    """Return whether this line is a further clause of an open definition."""
    if named is None or language.clauses is None or not language.clauses.match(line):
        return False
    return any(
        each.indent == indent and each.name == named.name and not each.ended for each in open_
    )


def _values(
    language: LineLanguage, open_: Sequence[_Open], line: str, indent: int
) -> Sequence[str]:
    """Return the names of the values on a line without a definition."""
    if open_ and open_[-1].lists and indent > open_[-1].indent:
        return _members(open_[-1], line, indent)
    match = language.values.match(line) if language.values else None
    name = name_of(match) if match else ""
    return (name,) if name.isidentifier() else ()


def _members(of: _Open, line: str, column: int) -> list[str]:
    """Return the members of an enumeration on a line. All have the same indentation; a `;` ends
    them."""
    if of.column not in (-1, column):
        return []
    line = line.partition("//")[0].rstrip()
    of.lists = not line.endswith(";")
    if members := members_in(line):
        of.column = column
    return members


def _leading_rows(lines: Lines, language: LineLanguage, found: list[Definition]) -> list[int]:
    """Return the first row of the comments and annotations directly above each definition."""
    rows = []
    floor = 0  # rows above belong to earlier definitions
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
                    break  # search only once: there may be many ends of comments without a start
                first = row = opening
            elif lines.indent(row) <= indent:
                break
        rows.append(first)
        floor = each.first + 1
    return rows


def _opening(lines: Lines, row: int, floor: int, opens: re.Pattern[str]) -> int | None:
    """Return the first row of the comment that ends on this row, None if it begins above
    `floor`."""
    rows = range(row, floor - 1, -1)
    return next((above for above in rows if opens.match(lines.lines[above])), None)


def _pieces(
    lines: Lines,
    packer: Packer,
    found: list[Definition],
    leading: list[int],
    language: LineLanguage,
) -> Iterator[Piece]:
    """Yield definitions that fit, and the lines between them, in order. A definition that does not
    fit is replaced by its parts."""
    at, number = 0, 0
    around: list[tuple[int, Path]] = [(len(lines), ())]  # ends and paths of open definitions
    while number < len(found):
        each, first = found[number], max(at, leading[number])
        while around[-1][0] <= first and len(around) > 1:
            end, path = around.pop()
            yield from _passages(lines, at, end, path, language)
            at = max(at, end)
        first = max(at, first)
        yield from _passages(lines, at, first, around[-1][1], language)
        end = min(each.last + 1, around[-1][0])
        if lines.cost(first, end) <= packer.room(each.path):
            yield Piece(first, end, each.path, definition=True)
            at = end
            while number < len(found) and found[number].first < end:
                number += 1
            continue
        number += 1
        at = first
        if number < len(found) and found[number].first < end:  # its first line stays with the next
            at = max(at, each.first + 1)
            yield Piece(first, at, each.path, forward=True)
        around.append((end, each.path))
    for end, path in reversed(around):
        yield from _passages(lines, at, end, path, language)
        at = max(at, end)


def _passages(
    lines: Lines, first: int, last: int, path: Path, language: LineLanguage
) -> Iterator[Piece]:
    """Yield paragraphs. The paragraphs of one entry of documentation are one piece."""
    entry: Piece | None = None
    for piece in paragraphs(lines, first, last, path):
        top, end = lines.trim(piece.first, piece.last)
        if top < end and language.entries and language.entries.match(lines.lines[top]):
            if entry is not None:
                yield entry
            entry = piece
        elif entry is not None:
            entry = replace(entry, last=piece.last)
        else:
            yield piece
        if entry is not None and language.skips and language.skips[1].match(lines.lines[end - 1]):
            yield entry
            entry = None
    if entry is not None:
        yield entry
