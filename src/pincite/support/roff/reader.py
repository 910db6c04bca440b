"""Parse a manual page (man or mdoc) into displayed lines.

Requests and macros for fonts, headings, paragraphs, lists, tables and code are known by their
names. The arguments of unknown ones are text, so that no word is lost. Nothing is expanded: no
definition, no included file, no number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from pincite.support.finding.unseen import UNSEEN
from pincite.support.possessive import possessive
from pincite.support.roff.escapes import without_roff_escapes
from pincite.support.roff.requests import (
    BREAKS,
    CODE,
    ENCLOSING,
    HIDDEN,
    JOINED,
    MDOC,
    OF_MDOC,
    PARAGRAPHS,
    SECTIONS,
    TABLES,
    Kind,
)
from pincite.support.roff.tables import is_layout

_REQUEST: Final = re.compile(r"[.'][ \t]*(\\\"|\\[{}]|\.|[%A-Za-z@][\w@]*)?[ \t]*")
_CONDITION: Final = re.compile(
    r"!?(?:'[^'\n]*'[^'\n]*'|\"[^\"\n]*\"[^\"\n]*\"|\([^\s]*|[ntoe]"
    r"|[cdFmrS][ \t]+[^\s{]+|[^\s{]+)?[ \t]*"
)
_CONDITIONS: Final = frozenset(("if", "ie", "el", "nop", "do"))
_MOST_WITHIN: Final = 8  # conditions in one line; guess, unmeasured
_BRACE: Final = re.compile(r"\\\{\\?[ \t]*")
_ARGUMENT: Final = re.compile(
    '"' + possessive(r'[^"\n]++|""') + r"\"?|(?:\\[^\n]|[^\\\s\"]|(?<=\S)\")+"
)
_REFERENCE: Final = re.compile(r"([^\s\"\\]+) ([0-9]\w*)(?=\s|\Z)")
_CLOSING: Final = frozenset(".,:;)]?!")
_SEPARATOR: Final = re.compile(r"\btab[ \t]*\((.)\)")
_COMMENT: Final = re.compile(r"(?<!\\)(?:\\\\){0,9}(\\\")")


class Line(NamedTuple):
    """A line: its start in the text, its displayed form in the same length, and its kind."""

    start: int
    words: str
    kind: Kind


def read_roff(text: str) -> list[Line]:
    """Return the lines of a page or a part of one. Each character that is not displayed is
    `UNSEEN`, and requests that end a paragraph are blank. Never fails. Time is linear in the
    text."""
    raw = text.split("\n")
    reader = _Reader(_last_ends(raw))
    found: list[Line] = []
    at = 0
    for number, line in enumerate(raw):
        words, kind = reader.read(number, line)
        found.append(Line(at, words, kind))
        at += len(line) + 1
    return found


def words_of(page: Iterable[Line]) -> str:
    """Return the displayed form of a page, in the same length."""
    return "\n".join(line.words for line in page)


def shown_of(line: Line) -> str:
    """Return the displayed text of a line, without `UNSEEN`."""
    return line.words.replace(UNSEEN, "")


def roff_title(text: str) -> str:
    """Return the name and section that a page declares, as in `TAR(1)`; "" without them."""
    for line in text.split("\n"):
        match = _REQUEST.match(line)
        if match and match[1] in ("TH", "Dt"):
            found = [_without_quotes(one[0]) for one in _ARGUMENT.finditer(line, match.end())]
            name, section = (*found, "", "")[:2]
            return f"{name}({section})" if name and section else name
    return ""


def _without_quotes(argument: str) -> str:
    bare = argument[1:].removesuffix('"') if argument[0] == '"' else argument
    return without_roff_escapes(bare).replace(UNSEEN, "").strip()


def _last_ends(lines: list[str]) -> dict[str, int]:
    r"""Return the last line of each request of one word, and of `\}`: a block without an end is not
    one."""
    ends: dict[str, int] = {}
    for number, line in enumerate(lines):
        if "\\}" in line:
            ends["\\}"] = number
        if line[:1] in (".", "'") and (match := _REQUEST.match(line)) and match[1]:
            ends[match[1]] = number
    return ends


class _Reader:
    """Reads the lines in order."""

    def __init__(self, ends: dict[str, int]) -> None:
        self._ends = ends
        self._until = ""  # the name that ends a definition
        self._depth = 0  # of braces whose text is not displayed
        self._code = False
        self._table: Literal["", "layout", "rows"] = ""
        self._tab = "\t"
        self._next: Kind | None = None  # of the next line of text
        self._braces = 0  # open ones, of displayed text
        self._was_terminal: dict[int, bool] = {}  # by open braces: of the last `ie`

    def read(self, number: int, line: str) -> tuple[str, Kind]:
        if self._until:
            match = _REQUEST.match(line)
            if match and match[1] == self._until:
                self._until = ""
            return UNSEEN * len(line), "hidden"
        opened = line.count("\\{") - line.count("\\}")
        if self._depth:
            left = self._depth + opened
            self._depth, self._braces = max(0, left), max(0, self._braces + min(0, left))
            return UNSEEN * len(line), "hidden"
        found = self._displayed(number, line)
        self._braces = max(0, self._braces + opened - self._depth)
        return found

    def _displayed(self, number: int, line: str) -> tuple[str, Kind]:
        if self._table == "layout" and line[:1] != ".":
            if is_layout(line):
                if line.rstrip().endswith("."):
                    self._table = "rows"
                elif separator := _SEPARATOR.search(line):
                    self._tab = separator[1]
                return " " * len(line), "hidden"
            self._table = "rows"
        return self._line(number, line)

    def _line(self, number: int, line: str) -> tuple[str, Kind]:
        """Read a line after conditions that hold."""
        at, is_done = 0, False  # after `do`, only a request or a macro is valid
        for _ in range(_MOST_WITHIN):
            match = _REQUEST.match(line, at) if line[at : at + 1] in (".", "'") else None
            name = match[1] if match else None
            if match is None or (line[at] == "'" and not _is_known(name)):
                return self._text(line, at)
            end = match.end()
            if not name or name[0] == "\\":
                break
            if name not in _CONDITIONS:
                if is_done and name[0].islower() and not _is_known(name):
                    break
                if at == 0 and name in ("de", "de1", "dei", "am", "am1", "ami", "ig"):
                    self._define(number, name, line[end:])
                return self._request(line, name, at, end)
            if name == "do":  # the name of a request follows, without its mark
                line, at, is_done = f"{line[: end - 1]}.{line[end:]}", end - 1, True
            else:
                at = end if name == "nop" else self._condition(number, line, name, end)
            if not line[at:].strip(" \t\r\\"):
                break
        else:  # too much is better than too little
            return self._text(line, at)
        return UNSEEN * len(line), "hidden"

    def _condition(self, number: int, line: str, name: str, end: int) -> int:
        """Return where the text begins that is displayed if the condition holds; the end of the
        line if it does not."""
        said = ""
        if name != "el" and (match := _CONDITION.match(line, end)):
            said, end = match[0].strip(), match.end()
        within = self._braces + line.count("\\{", 0, end) - line.count("\\}", 0, end)
        hidden = said in ("t", "!n") if name != "el" else self._was_terminal.get(within, False)
        if name == "ie":
            self._was_terminal[within] = said in ("n", "!t")
        brace = _BRACE.match(line, end)
        if not hidden:
            return brace.end() if brace else end
        if brace and self._ends.get("\\}", -1) >= number:
            self._depth = max(0, line.count("\\{", end) - line.count("\\}", end))
        return len(line)

    def _define(self, number: int, name: str, rest: str) -> None:
        """Leave out a definition, or ignored lines, up to its end."""
        names = rest.split()
        wanted = names[0 if name == "ig" else 1 :][:1]
        until = wanted[0] if wanted and not wanted[0].startswith("\\") else "."
        if self._ends.get(until, -1) > number:
            self._until = until

    def _request(self, line: str, name: str, at: int, end: int) -> tuple[str, Kind]:
        if name in TABLES:
            self._table = "" if TABLES[name] == "close" else "layout"
            self._tab = self._tab if name == "T" else "\t"
            return " " * len(line), TABLES[name]
        if name in CODE:
            self._code = CODE[name] and (name != "Bd" or "-literal" in line or "-unfilled" in line)
            return " " * len(line), "break" if CODE[name] else "close"
        if name in SECTIONS:
            self._code, self._table = False, ""
            kind = SECTIONS[name]
            if not line[end:].strip():
                self._next = kind
                return " " * len(line), "break"
            self._next = None
            return self._arguments(line, name, end), kind
        if name in ("TH", "Dt"):
            return UNSEEN * end + without_roff_escapes(line[end:]), "title"
        if name in ("TP", "TQ", "HP"):
            self._next = "term"
            return " " * len(line), "tag"
        if name in ("IP", "It"):
            return self._item(line, name, end)
        if name in ENCLOSING:
            return " " * len(line), ENCLOSING[name]
        if name in BREAKS:
            if name not in ("br", "sp", "ne"):
                self._next = None
            return " " * len(line), "paragraph" if name in PARAGRAPHS else "break"
        if name in HIDDEN:
            return UNSEEN * len(line), "hidden"
        if name[0].islower():  # a name such as .profile, in code
            return self._text(line, at)
        words = self._arguments(line, name, end)
        if not words.replace(UNSEEN, "").strip():
            return UNSEEN * len(line), "hidden"
        return words, "code" if name in ("Dl", "D1") else self._kind()

    def _item(self, line: str, name: str, end: int) -> tuple[str, Kind]:
        self._next = None
        words = self._arguments(line, name, end)
        if name == "IP":  # the second argument is a width
            words = _first_argument(line, words, end)
        said = words.replace(UNSEEN, "").strip()
        if any(map(str.isalnum, said)) or len(said) > 1:
            return words, "term"
        return " " * len(line), "item" if said or name == "It" else "break"

    def _arguments(self, line: str, name: str, end: int) -> str:
        """Return the displayed arguments of a macro; the text before them is `UNSEEN`."""
        comment = _COMMENT.search(line, end)
        stop = comment.start(1) if comment else len(line)
        rest = line[end:stop]
        if name == "Xr" and (match := _REFERENCE.match(line, end)):
            said = f"{UNSEEN * (end - 1)}{match[1]}({match[2]})"
            rest = _read_arguments(line[match.end() : stop], True, False)
            return said + without_roff_escapes(rest) + UNSEEN * (len(line) - stop)
        is_mdoc = name in OF_MDOC
        if is_mdoc or '"' in rest or name in JOINED:
            rest = _read_arguments(rest, is_mdoc, name in JOINED)
        lead = UNSEEN * end
        if is_mdoc and end >= 2:
            sign = {"Fl": f"{UNSEEN * (end - 1)}-", "Nd": f"{UNSEEN * (end - 2)}- "}
            lead = sign.get(name, lead)
        shown = without_roff_escapes(rest)
        return lead + shown + UNSEEN * (len(line) - stop)

    def _text(self, line: str, at: int) -> tuple[str, Kind]:
        words = UNSEEN * at + without_roff_escapes(line[at:])
        if self._table == "rows":
            if self._tab in line:
                return words.replace(self._tab, "|"), "row"
            if line in ("_", "=", "T{"):
                return " " * len(line), "hidden"
        return words, self._kind()

    def _kind(self) -> Kind:
        found, self._next = self._next, None
        return found or ("code" if self._code else "text")


def _is_known(name: str | None) -> bool:
    """Return whether it is the name of a request, also after a quote, with which text may begin
    too."""
    if name is None or name.startswith("\\"):
        return name is not None
    return name in HIDDEN or name in BREAKS or name in CODE or name in ("if", "el", "nop")


def _read_arguments(rest: str, is_mdoc: bool, is_joined: bool) -> str:
    """Return the arguments without quotes, callable macros, and blanks between joined arguments."""
    parts: list[str] = []
    at = 0
    was_macro = False  # text after a macro is not separate from it
    for match in _ARGUMENT.finditer(rest):
        said = match[0]
        between = rest[at : match.start()]
        at = match.end()
        is_macro = is_mdoc and said in MDOC
        closes = is_mdoc and (said in _CLOSING or said == "Ns" or was_macro)
        if closes or (is_joined and parts):
            between = UNSEEN * len(between)
        parts.append(between)
        was_macro = is_macro
        if is_macro:
            parts.append(UNSEEN * len(said))
            if said == "Fl" and at < len(rest):
                parts.append("-")
                at += 1
                was_macro = False
        elif said[0] == '"':
            closed = said.endswith('"') and len(said) > 1
            inner = said[1:-1] if closed else said[1:]
            parts += UNSEEN, inner.replace('""', f'"{UNSEEN}'), UNSEEN if closed else ""
        else:
            parts.append(said)
    parts.append(rest[at:])
    return "".join(parts)


def _first_argument(line: str, words: str, end: int) -> str:
    match = _ARGUMENT.search(line, end)
    stop = match.end() if match else end
    return words[:stop] + UNSEEN * (len(words) - stop)
