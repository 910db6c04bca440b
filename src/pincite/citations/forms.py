"""Parse the forms in which people, programs and models write places in files.

Citations of Pincite are parsed first, by `pincite.model.citation`. This is for other forms:
`a.py:12-20`, `a.py#L12-L20`, `a.py:L12`, `a.py(12)`, `a.py, lines 12-20`, `a.pdf#page=3`, `a.pdf,
page 3`, a line of a traceback, a permalink, `file:///…`. Each may have the name of a source, a
revision, and the punctuation of the surrounding prose.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from pincite.asking import within_sources
from pincite.citations.lines_and_columns import WHOLE, Columns
from pincite.model import PageUnit, Source
from pincite.model.citation import Citation
from pincite.model.documents import PAGE_UNITS, Rows
from pincite.sources.git import find_checkout
from pincite.support.drives import has_drive, of_address
from pincite.support.quoting import unquoted

#: Longer texts are only tried unchanged: a path has at most 4,096 characters.
MOST_CHARS = 8_192
#: Number of lines shown for `PATH:LINE`.
LINES = 20
_N = r"[0-9]{1,9}"
_TO = rf"(?:\s*[-\u2013\u2014]\s*L?(?P<last>{_N})(?:C(?P<last_column>{_N}))?)?"
#: Endings that name lines. They are searched only in the last 80 characters.
_ENDS = tuple(
    re.compile(rf"{end}\Z")
    for end in (
        rf":(?P<first>{_N}):(?P<count>{_N})",
        rf"(?P<sign>[#:])(?P<l>L?)(?P<first>{_N})(?:C(?P<column>{_N}))?{_TO}",
        rf"(?:,\s*|\s+|\s*\(\s*)(?:at |on )?lines?\s+(?P<first>{_N})"
        rf"(?:\s*(?:[-\u2013\u2014]|to)\s*(?P<last>{_N}))?\s*\)?",
        rf"\((?P<first>{_N})(?:,{_N})?\)",
    )
)
_MISREAD = re.compile(rf"[:#]L?(?P<first>{_N})\s*(?P<sign>[-\u2013\u2014,])\s*L?(?P<last>{_N})\Z")
#: Endings that name a page of a file with pages.
_PAGES = re.compile(
    rf"(?:#|,\s*|\s+|\s*\(\s*)(?P<unit>{'|'.join(PAGE_UNITS)}|p\.|pg\.)\s*=?\s*(?P<page>{_N})"
    rf"(?:&row=(?P<row>{_N})(?:-(?P<last_row>{_N}))?)?"
    rf"(?:&char=(?P<start>{_N}),(?P<end>{_N})|\s*\))?\Z",
    re.I,
)
_LONGEST_END = 80
#: The limit of removed signs around a citation; for each, the whole text is searched.
_MOST_SIGNS = 32
_TRACE = re.compile(rf'\s*File "(?P<name>[^"\n]+)", line (?P<first>{_N})(?:, in .*)?')
_LINK = re.compile(r"!?\[[^\]\n]*\]\((?P<name>[^()\n]+|<[^<>\n]+>)\)")  # with spaces, too
_PERMALINK = re.compile(
    r"https?://(?:raw\.githubusercontent\.com/(?P<raw>[^/]+/[^/]+)"
    r"|[^/]+/(?P<repository>[^?#]{1,200}?)/(?:-/)?(?:blob|blame|raw|src))/(?P<rest>[^?#]+)(?:\?[^#]*)?"
)
_FILE = re.compile(r"file://(?:localhost)?(?P<path>/.*)", re.DOTALL)
#: Escapes for characters of names, as written by `pincite.support.terminal.one_line`.
_ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(000[0-9a-f]{5}))")
_CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}
_QUOTES = "`'\"*\u201c\u201d\u2018\u2019"
_PROSE = ".,;:!?\u2026"


@dataclass(frozen=True, slots=True)
class Span:
    """A possible meaning of a text: a name, and its lines, or a page. Without `first`, it is the
    whole file; with `first` and without `last`, it is that line and some lines after it. Lines and
    columns count from 1; a column is None if the line is whole."""

    name: str
    first: int | None = None
    last: int | None = None
    ref: str = ""
    page: int | None = None
    page_unit: PageUnit | None = None
    chars: tuple[int, int] | None = None
    rows: Rows | None = None
    columns: Columns = WHOLE

    def citation(self, ref: str, last: int | None) -> Citation:
        """Return the place as a citation of this revision, without source and path. `last` is its
        last line, None without lines."""
        start, end = self.chars or (None, None)
        return Citation(
            source="",
            ref=ref,
            place="",
            start_line=self.first,
            end_line=last,
            start_column=self.columns[0],
            end_column=self.columns[1],
            start_char=start,
            end_char=end,
            page=self.page,
            page_unit=self.page_unit,
            rows=self.rows,
        )


def forms(text: str) -> tuple[str, ...]:
    """Return the forms of a text in which it may be a locator, each once: unchanged, stripped, with
    a quoted name unquoted, without the prose around it, the target of a Markdown link, and with
    escaped characters decoded."""
    if len(text) > MOST_CHARS:
        return (text,)
    bare, stripped = trimmed(text), text.strip()
    link = _LINK.fullmatch(bare)
    named = trimmed(link["name"]) if link else ""
    written = _ESCAPED.sub(_meant, bare)
    found = (text, stripped, unquoted(stripped), bare, named, written)
    return tuple(one for one in dict.fromkeys(found) if one) or (text,)


def _meant(escaped: re.Match[str]) -> str:
    code = int(escaped[1] or escaped[2] or escaped[3], 16)
    return escaped[0] if 0xD800 <= code < 0xE000 else chr(code)


def spans(text: str) -> tuple[Span, ...]:
    """Return the places that a text may mean, the most likely first."""
    if len(text) > MOST_CHARS:
        return ()
    if trace := _TRACE.fullmatch(text):
        return (Span(trace["name"], int(trace["first"])),)
    found = [Span(text, ref=_ref_of(text))] if text else []
    start = max(0, len(text) - _LONGEST_END)
    paged = _PAGES.search(text, start)
    if paged and paged.start():
        said = paged["unit"].lower()
        unit: PageUnit = next((one for one in PAGE_UNITS if one == said), "page")
        name = text[: paged.start()]
        chars = (int(paged["start"]), int(paged["end"])) if paged["start"] else None
        row = int(paged["row"]) if paged["row"] else None
        rows = None if row is None else (row, int(paged["last_row"] or row))
        found.append(Span(name, None, None, _ref_of(name), int(paged["page"]), unit, chars, rows))
    for end in _ENDS:
        match = end.search(text, start)
        if match is None or match.start() == 0:
            continue
        first, groups = int(match["first"]), match.groupdict()
        last = int(match["last"]) if groups.get("last") else first
        if groups.get("count"):
            last = first + int(match["count"]) - 1
        if last < first:
            continue  # `misread` returns the reason
        name = text[: match.start()]
        column, last_column = _number(groups.get("column")), _number(groups.get("last_column"))
        columns = column, last_column if groups.get("last") else column
        one_line = groups.get("sign") == ":" and not (groups["last"] or groups["l"] or column)
        stop = None if one_line else last
        found.append(Span(name, first, stop, _ref_of(name), columns=columns))
    return tuple(found)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def misread(text: str) -> tuple[str, str] | None:
    """Return the reason why lines at the end of a text cannot be parsed, and the correct form; None
    if there are no such lines."""
    found = (
        _MISREAD.search(text, max(0, len(text) - _LONGEST_END)) if len(text) <= MOST_CHARS else None
    )
    if found is None or not found.start():
        return None
    name = text[: found.start()]
    first, last = sorted((int(found["first"]), int(found["last"])))
    if found["sign"] == ",":
        return (
            "it may mean a range of lines, or a line and a column",
            f"{name}:{first}-{last}, or {name}:{first}",
        )
    if int(found["first"]) > int(found["last"]):
        return "its last line comes before its first", f"{name}:{first}-{last}"
    return None


def trimmed(text: str) -> str:
    """Return a text without the quotes, brackets and punctuation of the surrounding prose. Brackets
    that belong to the text are kept."""
    text = text.strip()
    for _ in range(_MOST_SIGNS):
        if len(text) < 2:
            break
        first, last = text[0], text[-1]
        if last in _PROSE:
            text = text[:-1]
        elif first in _QUOTES and last in _QUOTES:
            text = text[1:-1]
        elif last in _QUOTES or _is_left_open(text, last):
            text = text[:-1]
        elif last in _CLOSING and first == _CLOSING[last] and _is_around(text):
            text = text[1:-1]
        elif first in _CLOSING.values() and last not in _CLOSING:
            closing = next(sign for sign, opening in _CLOSING.items() if opening == first)
            if text.count(first) <= text.count(closing):
                break
            text = text[1:]
        elif first in _QUOTES:
            text = text[1:]
        else:
            break
        text = text.strip()
    return text


def _is_around(text: str) -> bool:
    """Return whether the first bracket of the text is closed by its last character."""
    depth = 0
    for sign in text[:-1]:
        depth += (sign == text[0]) - (sign == text[-1])
        if depth == 0:
            return False
    return True


def _is_left_open(text: str, closing: str) -> bool:
    """Return whether the closing bracket has no opening one in the text."""
    return closing in _CLOSING and text.count(closing) > text.count(_CLOSING[closing])


def places(path: str, sources: Sequence[Source]) -> tuple[tuple[Source | None, str], ...]:
    """Return other places that a path may mean, as (source, path); None for any source. Absolute
    paths are resolved in the folders of the sources, permalinks in their checkouts."""
    if len(path) > MOST_CHARS:
        return ()
    found: dict[tuple[Source | None, str], None] = {}
    if link := _PERMALINK.fullmatch(path):
        meant = _of_repository(link["raw"] or link["repository"], sources)
        parts = unquote(link["rest"]).split("/")
        for at in range(1, min(len(parts), 6)):  # a branch may have slashes in its name
            found |= dict.fromkeys((source, "/".join(parts[at:])) for source in meant)
        return tuple(found)
    file = _FILE.fullmatch(path)
    absolute = of_address(unquote(file["path"])) if file else path
    if absolute.startswith("/") or has_drive(absolute):
        found |= dict.fromkeys(within_sources(absolute, sources))
    elif "://" not in path:
        slashes = path.replace("\\", "/")
        found[None, posixpath.normpath(slashes)] = None
    return tuple(found)


def _of_repository(name: str, sources: Sequence[Source]) -> tuple[Source, ...]:
    """Return the sources with this name, else those that are checkouts of this repository."""
    if called := tuple(one for one in sources if one.name == name):
        return called
    checkouts = ((one, find_checkout(Path(one.location))) for one in sources if _git(one))
    return tuple(one for one, found in checkouts if found and found.name == name)


def _git(source: Source) -> bool:
    return source.kind == "git" and source.location.startswith("/")


def _ref_of(name: str) -> str:
    """Return the revision in a permalink, "" for any other text."""
    link = _PERMALINK.fullmatch(name) if name.startswith("http") else None
    return unquote(link["rest"].partition("/")[0]) if link else ""
