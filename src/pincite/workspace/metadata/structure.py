"""Classify the text of a document: prose, tables, structured data or code, or a mixture.

The first `LOOK` characters are read line by line, so the time is linear in their number.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import Final

import msgspec

from pincite.readers.languages import file_type

LOOK: Final = 100_000  #: characters of a text that rules read; guess, unmeasured

_MAIN: Final = 0.8  # share of one kind that makes it the kind of the text; guess, unmeasured
_LINE: Final = 2_000  # characters of a line that patterns are applied to
_ROWS: Final = 200  # lines that are tested as rows of a table
_FEWEST_ROWS: Final = 3
_EVEN: Final = 0.9  # share of the rows that have the same number of cells
_PAIR_SPACES: Final = (
    3  # in most lines of settings; with 4, speakers in a dialogue were taken for settings
)
_CELL: Final = 100  # characters of a cell between bars, on average; between gaps a third of it
_CODE: Final = 0.3  # share of code from which comments and indented lines count as code; guess
_TABULAR: Final = frozenset({"csv", "tsv", "spreadsheet"})
_FENCE: Final = re.compile(r"[ ]{0,12}(```|~~~)")
_PIPES: Final = re.compile(r"[^|\n]*\|[^|\n]*\|")
_CELLS: Final = re.compile(r"\S[^\n]{0,400}? \| \S")
_GAPS: Final = re.compile(r"\S(?:[ ]{2,80}|\t)\S")
_RULE: Final = re.compile(r"\s*\+[-=+]{3,}|\s*={2,}(?:\s+={2,})+\s*$")
_CODE_START: Final = re.compile(
    r"\s*(?:import\s+[\w.{*]|from\s+[\w.]+\s+import\b|def\s+\w+\s*\(|class\s+\w+\s*[:({]|@\w+|"
    r"#\s*(?:include|define|if|ifdef|ifndef|endif|pragma)\b|//|/\*|\*/|return\b|if\s*\(|for\s*\(|"
    r"while\s*\(|(?:public|private|protected|static|const|let|var|func|fn|package|using|use|local|"
    r"namespace|struct|enum|impl|elif|else|try|except|raise|with|async|await|end|do)\b|#!|<\?php|"
    r"\"\"\"|--\s)"
)
_CODE_END: Final = re.compile(r"[;{}()\[\],:=]\s*$")
_CODE_SIGN: Final = re.compile(r"[\w\])]\s?(?:=|==|\+=|->|=>|::|:=)\s?\S|\w\(|\w\.\w+\(|[{}]")
_PAIR: Final = re.compile(r"\s*(?:- )?[\"']?[\w.\-/$@]{1,80}[\"']?\s?(?::(?:\s|$)|=)")
_SECTION: Final = re.compile(r"\s*\[{1,2}[^\]\n]{1,200}\]{1,2}\s*$")
_ITEM: Final = re.compile(r"\s*(?:- \S[^\n]{0,300}|[\"'][^\n]{1,300}[\"'],?|[\]})],?)\s*(?:#|$)")
_JSON_START: Final = re.compile(r"\s*(?:\{\s*\"|\[\s*[\[{\"\d\-tfn])")
_TAG: Final = re.compile(r"<[^<>]{0,1000}>")
_TAG_LINE: Final = re.compile(r"\s*</?[A-Za-z][^<>]{0,500}>|\s*<[!?]")
_QUOTES: Final = ('"""', "'''")
_REMARK: Final = re.compile(r"#|//|\*|--|;|/\*|%")
_COMMENT: Final = re.compile(r"\s*(?:#|;)")


def data_structure_of(filename: str, text: str) -> tuple[str, str]:
    """Return `prose`, `tabular`, `structured` or `mixed`, and the rule that applied: `suffix` or
    `lines`.

    `tabular` text has rows of cells, `structured` text is input of programs (JSON, XML, settings,
    code), `mixed` text has several kinds, none of which has a share of `_MAIN` of the characters.
    """
    found = file_type(filename)
    language = found.language if found else ""
    if language in _TABULAR:
        return "tabular", "suffix"
    if found is not None and found.source_type in ("code", "data") and language != "text":
        return "structured", "suffix"
    head = text[:LOOK]
    if is_json(head, whole=len(text) <= LOOK):
        return "structured", "lines"
    if language != "markdown" and is_delimited(head):
        return "tabular", "lines"
    if language == "html":
        return _main(_html_shares(head)), "lines"
    if language != "markdown" and (_is_markup(head) or is_settings(head)):
        return "structured", "lines"
    return _main(shares_of(head, plain=language in ("", "text"))), "lines"


def is_json(head: str, *, whole: bool) -> bool:
    """Return whether the text is JSON, or has one line of JSON for each value. The beginning
    decides if the text was cut."""
    if not _JSON_START.match(head[:_LINE]):
        return False
    if whole and _decodes(head):
        return True
    lines = head.strip().splitlines()
    first = lines[: _ROWS if whole or len(lines) == 1 else max(1, min(_ROWS, len(lines) - 1))]
    if all(_decodes(line) for line in first if line.strip()):
        return True
    return not whole and head.count('":') + head.count('" :') >= len(head) / 1_000


def _decodes(text: str) -> bool:
    """Return whether the text is JSON. Untrusted text that nests too deeply is not."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return False
    return text.lstrip()[:1] in ("{", "[")


def is_delimited(head: str) -> bool:
    """Return whether the lines have the same number of cells, separated by commas, semicolons, tabs
    or bars. Prose differs: a space follows a comma, and lines have few cells."""
    lines = [line[:_LINE] for line in head.splitlines()[: _ROWS + 1] if line.strip()]
    if len(lines) > _ROWS:
        lines = lines[:_ROWS]
    if len(lines) < _FEWEST_ROWS:
        return False
    for mark in ",\t;|":
        if sum(mark in line for line in lines) < _EVEN * len(lines):
            continue
        try:
            widths = Counter(len(row) for row in csv.reader(lines, delimiter=mark) if row)
        except csv.Error:
            continue
        width, times = max(widths.items(), key=lambda item: (item[1], item[0]))
        tight = sum(line.count(mark) - line.count(f"{mark} ") for line in lines)
        all_marks = sum(line.count(mark) for line in lines)
        enough = width >= 2 if mark in "\t|" else width >= 3 or (width == 2 and tight == all_marks)
        short = sum(map(len, lines)) <= 20 * (all_marks + len(lines)) and len(lines) >= 5
        enough = enough or (short and width >= 2 and tight == 0)
        loose = mark in ",;" and tight < 0.5 * all_marks and not short
        if enough and not loose and times >= _EVEN * sum(widths.values()):
            return not _looks_like_code(lines)
    return False


def _looks_like_code(lines: list[str], share: float = _CODE) -> bool:
    return sum(bool(_CODE_START.match(line)) for line in lines) > share * len(lines)


def _is_markup(head: str) -> bool:
    if head.lstrip("\ufeff \n\r\t")[:5] == "<?xml":
        return True
    lines = [line[:_LINE] for line in head.splitlines() if line.strip()]
    return len(lines) > 1 and sum(bool(_TAG_LINE.match(one)) for one in lines) >= _MAIN * len(lines)


def is_settings(head: str) -> bool:
    """Return whether the text is YAML, TOML or INI: names with values, sections, items, and
    indented lines below them."""
    lines = [line[:_LINE] for line in head.splitlines() if line.strip()]
    lines = [line for line in lines if not _COMMENT.match(line)]
    pairs = [line.strip() for line in lines if _PAIR.match(line)]
    if len(pairs) < _FEWEST_ROWS or len(pairs) < 0.2 * len(lines) or _looks_like_code(lines, 0.1):
        return False
    short = sum(one.count(" ") <= _PAIR_SPACES for one in pairs)
    others = sum(
        bool(_SECTION.match(one) or _ITEM.match(one)) or one.startswith("  ")
        for one in lines
        if not _PAIR.match(one)
    )
    # Lines of a dialogue have a colon, too, but are longer than settings.
    return short >= 0.5 * len(pairs) and len(pairs) + others >= 0.9 * len(lines)


def shares_of(head: str, *, plain: bool) -> dict[str, float]:
    """Return the share of the characters in prose, tables and structured lines. In `plain` text,
    indented lines and signs of code count as structured; in other text, fenced blocks do."""
    chars: Counter[str] = Counter()
    fence = quoted = ""
    for line in head.splitlines():
        size, seen = len(line.strip()), line[:_LINE]
        if not size:
            continue
        found = _FENCE.match(seen)
        if found and (not fence or found[1] == fence):
            fence = "" if fence else found[1]
            chars["structured"] += size
        elif fence:
            chars["structured"] += size
        elif _is_row(seen):
            chars["tabular"] += size
        elif plain and (quoted or _is_code(seen)):
            chars["structured"] += size
        elif plain and (seen[0] in " \t" or _REMARK.match(seen)):
            chars["aside"] += size
        else:
            chars["prose"] += size
        if plain and not fence and sum(map(seen.count, _QUOTES)) % 2:
            quoted = "" if quoted else '"'
    aside = chars.pop("aside", 0)
    code = chars["structured"] >= _CODE * (chars["structured"] + chars["prose"] + aside)
    chars["structured" if code else "prose"] += aside
    total = sum(chars.values()) or 1
    return {kind: amount / total for kind, amount in chars.items()}


def _is_row(line: str) -> bool:
    bare = line.strip()
    if bare[:1] == "|" and _PIPES.match(bare):
        return True
    if _RULE.match(line):
        return True
    if _CELLS.match(bare):
        return len(bare) <= _CELL * (bare.count(" | ") + 1)
    gaps = len(_GAPS.findall(bare))
    return gaps >= 2 and 3 * len(bare) <= _CELL * (gaps + 1)


def _is_code(line: str) -> bool:
    signs = bool(_CODE_SIGN.search(line)) + bool(_CODE_END.search(line[-40:]))
    return signs + 2 * bool(_CODE_START.match(line)) + line.startswith(("    ", "\t")) >= 2


def _html_shares(head: str) -> dict[str, float]:
    chars: Counter[str] = Counter()
    depth = 0
    for part in re.split(r"(?i)(<table\b|</table\b)", head):
        lower = part[:8].lower()
        if lower == "<table":
            depth += 1
        elif lower == "</table":
            depth = max(0, depth - 1)
        else:
            chars["tabular" if depth else "prose"] += len(_TAG.sub("", part).strip())
    total = sum(chars.values()) or 1
    return {kind: amount / total for kind, amount in chars.items()}


def _main(shares: dict[str, float]) -> str:
    kind, share = max(shares.items(), key=lambda item: (item[1], item[0]), default=("prose", 1.0))
    return kind if share >= _MAIN else "mixed"
