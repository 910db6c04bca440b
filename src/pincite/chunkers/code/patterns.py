"""Find definitions that have no node in the tree: on lines with syntax errors, and within macros.

Only lines in such regions are searched. Each line is matched by patterns without nested
repetition, up to its 200th character. Such a definition has a line, but no known end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHARS = 200  # of a line
_ROWS = 20_000  # of a file


class Patterns(msgspec.Struct, frozen=True):
    """`lines` is a pattern with one group, the name. `regions` is a query for nodes whose lines are
    searched besides those of error nodes. With `calls`, lines such as `type name(` (functions of
    C) and typedefs define the name, too. With `gaps`, lines on which the parser misses a `;` are
    searched. `keywords` are no names: a parser takes them for some behind unknown macros."""

    lines: re.Pattern[str]
    regions: str = ""
    calls: bool = False
    gaps: bool = False
    keywords: frozenset[str] = frozenset()


def names_in(patterns: Patterns, rows: Iterable[int], lines: list[str]) -> list[tuple[int, str]]:
    """Return (row, name) of the definitions on these rows, in order."""
    found = []
    for row in sorted(rows)[:_ROWS]:
        line = lines[row][:_CHARS]
        if (name := _name_on(line, patterns)) and name not in patterns.keywords:
            found.append((row, name))
    return found


def _name_on(line: str, patterns: Patterns) -> str:
    if patterns.calls and (typed := _TYPEDEF.match(line)):
        return typed[typed.lastindex or 0]
    match = patterns.lines.match(line)
    if match and not (patterns.calls and line.rstrip().endswith(",")):  # not a parameter
        return match[1]
    return _called(line) if patterns.calls else ""


#: `typedef int (*name)(`, `typedef NS_ENUM(Type, name)`, `typedef type *name MACRO;`,
#: `typedef type name;`, and `} name;` at the start of a line, where a type ends.
_TYPEDEF = re.compile(
    r"\s*typedef\s[^(){};]*\(\s*(?:\w+\s+)?[*^]\s*(\w+)\s*[()\[]"
    r"|\s*typedef\s+\w+\(\s*\w+\s*,\s*(\w+)\s*\)"
    r"|\s*typedef\s[^(){};]*\*\s*(?!const\b)(\w+)\s+[A-Z]+_[A-Z_]+\s*;"
    r"|\s*typedef\s[^(){};]*[\s*](\w+)\s*(?:\[[^\]]*\]\s*)*;"
    r"|\}\s*\**(?!else\b)([A-Za-z_]\w*)\s*;"
)
_NO_NAME = re.compile(r"(?:if|for|while|switch|return|else|case|defined|sizeof|do|new|throw)\b")
_HEAD = re.compile(r"[A-Za-z_][\w\s:*&<>,]*[\s*&](~?\w+)\s*")


def _called(line: str) -> str:
    """Return `name` of `type name(...) {`, "" otherwise. There must be a word before the name at
    the start of the line, and the line must not be a declaration or a statement."""
    head, bracket, rest = line.partition("(")
    if not bracket or rest.rstrip().endswith(";") or _NO_NAME.match(head):
        return ""
    found = _HEAD.fullmatch(head)
    return found[1] if found and not found[1].isupper() else ""


_C_LINES = re.compile(
    r"\s*(?:template\s*<[^{;]{0,100}>\s*)?(?:class|struct|union|enum|enum class|namespace)\s+"
    r"(?:[A-Z][A-Z0-9_]+(?:\([^()]{0,40}\))?\s+)?([A-Za-z_]\w*)(?!\w)[^;()=*&]*$"
)
_KEYWORDS = frozenset(
    "if for while switch return else do case default goto sizeof typeof defined alignof"
    " static_assert _Static_assert".split()
)
# a quote within a name in quotes is doubled
_SQL_NAME = (
    r'(?:\w+|"(?:[^"]|""){1,100}"(?!")|\[(?:[^\]]|\]\]){1,100}\](?!\])|`(?:[^`]|``){1,100}`(?!`))'
)
_PART = re.compile(
    r""""((?:[^"]|"")*)(?:"|\Z)|\[((?:[^\]]|\]\])*)(?:\]|\Z)|`((?:[^`]|``)*)(?:`|\Z)"""
    r"""|([^\s"`\[\]]+)"""
)
_CLOSING = {'"': '"', "[": "]", "`": "`"}


def unquoted(name: str) -> str:
    """Return a name of SQL without its quotes, and without text after a blank. The first and the
    last quote may be missing, because the parser leaves out brackets, and long names are
    shortened."""
    if "]" in name.partition("[")[0]:
        name = "[" + name
    parts: list[str] = []
    end = 0
    while part := _PART.match(name, end):
        text = part[part.lastindex or 0]
        if quote := _CLOSING.get(part[0][0]):
            text = text.replace(quote * 2, quote)
        parts.append(text)
        end = part.end()
    return "".join(parts) or name


PATTERNS = {
    "c": Patterns(_C_LINES, calls=True, gaps=True, keywords=_KEYWORDS),
    "cpp": Patterns(
        _C_LINES,
        calls=True,
        gaps=True,
        keywords=_KEYWORDS | {"catch", "throw", "try", "new", "delete"},
    ),
    "kotlin": Patterns(
        re.compile(
            r"\s*(?:[a-z]+\s+){0,6}?(?:class|interface|object|fun|typealias)\s+"
            r"(?:<[^>]{0,100}>\s*)?(?:\w+(?:<[^<>]{0,100}>)?\??\.){0,4}(\w+)"
        )
    ),
    "rust": Patterns(
        re.compile(
            r"\s*(?:pub(?:\([^()]{0,40}\))?\s+)?(?:default\s+)?(?:const\s+)?(?:async\s+)?"
            r"(?:unsafe\s+)?(?:fn|struct|enum|union|trait|mod)\s+([A-Za-z_]\w*)"
        ),
        regions="(macro_invocation (token_tree) @region) (macro_rule (token_tree) @region)",
    ),
    "javascript": Patterns(
        re.compile(
            r"(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\s*\*?|class)\s+([A-Za-z_$][\w$]*)"
        )
    ),
    "sql": Patterns(
        re.compile(
            r"\s*create\s+(?:or\s+\w+\s+)?(?:temp\w*\s+|unique\s+|materialized\s+)?"
            r"(?:table|view|function|procedure|proc|trigger|type|index|sequence|package)\s+"
            rf"(?:if\s+not\s+exists\s+)?({_SQL_NAME}(?:\.{_SQL_NAME}){{0,3}})",
            re.IGNORECASE,
        )
    ),
}
