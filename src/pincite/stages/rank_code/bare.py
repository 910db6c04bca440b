"""Passages that only introduce others: nothing but comments and imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

_REMEMBERED = 2_000  # texts that are cached, about 3 MB; the store caches most of them, too
_LONGEST = 8_000  # characters of a text that is cached
_COMMENT = ("//", "#!", "--", ";;", "%%", "*")
#: The beginnings and ends of comments that may span several lines.
_BLOCKS = (
    *(("/*", "*/"), ("<!--", "-->"), ("{-", "-}"), ("(*", "*)"), ("--[[", "]]")),
    *(('"""', '"""'), ("'''", "'''"), ("=begin", "=end")),
)
_BEGINS = tuple(begin for begin, _ in _BLOCKS)
#: Documentation of Perl begins with a line like `=head2 NAME`, and ends with this one.
_POD = re.compile(r"=(?:head[1-6]|pod|item|over|back|encoding|for)\b")
_POD_ENDS = "=cut"
#: `#` begins a comment or a preprocessor directive; only including directives count as imports.
_HASH = re.compile(
    r"#(?!\[|!\[|\s*(?:define|undef|if|ifdef|ifndef|elif|else|endif|pragma|error)\b)"
)
_INCLUDES = re.compile(r"#\s*(?:include|import|require)\b")
_STRINGS = ('"""', "'''")
LineKind = Literal["code", "comment", "import"]
_IMPORT = re.compile(
    r"(?:pub(?:\([a-z]+\))?\s+)?(?:(?P<lists>import|from|use|require|export\s+\*)|package|include"
    r"|using(?!\s*\(|\s+var\b)|require_relative|require_once|include_once|mod|alias|load|source"
    r"|autoload|namespace|extern\s+crate|open(?=\s+[A-Z][\w.]*\Z))\b(?!\s*=)"
)
_BOUND = re.compile(
    r"(?:const|local|let|var)\b[^=;()]*=\s*(?:require\b|@import\b|await\s+import\b)"
)
#: Lines that end a Perl module before its documentation.
_NOTHING = frozenset({"1;", "__END__", "__DATA__", _POD_ENDS})
_BODY = re.compile(r"\)\s*\{|\bdo\s*$|=>\s*\{")
_CLOSING = {"(": ")", "{": "}", "[": "]"}


def is_bare(text: str) -> bool:
    """Return whether this code consists of comments and imports only. The beginnings of lines
    decide, in any language. If the text begins inside a comment, that comment is not recognised."""
    return _is_bare(text) if len(text) > _LONGEST else known_bare(text)


@lru_cache(_REMEMBERED)
def known_bare(text: str) -> bool:
    """Return the same as `is_bare`, cached."""
    return _is_bare(text)


def _is_bare(text: str) -> bool:
    return all(kind != "code" for _, kind in lines_of(text))


def lines_of(text: str) -> Iterator[tuple[str, LineKind]]:
    """Yield the lines of code that are not blank, and what each one is. If the text begins inside a
    comment, that comment is not recognised. Lines of a string with three quotes are code."""
    until = ""  # the end of the open comment, string or list of imports, if any
    kind: LineKind = "code"
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped:
            continue
        if until:
            until = "" if until in stripped else until
            yield line, kind
            continue
        opened = _opens(stripped)
        kind = "code" if opened is None else "import" if _imports(stripped) else "comment"
        yield line, kind
        until = next((one for one in _STRINGS if stripped.count(one) % 2), "")
        until = until if opened is None else opened


def _imports(line: str) -> bool:
    return bool(_IMPORT.match(line) or _BOUND.match(line) or _INCLUDES.match(line))


def _opens(line: str) -> str | None:
    """Return what closes the comment or import list that this line opens: "" if it closes on this
    line, None for code."""
    if line.startswith(_BEGINS):
        begin, end = next(block for block in _BLOCKS if line.startswith(block[0]))
        behind = line[len(begin) :].partition(end)
        if not behind[1]:
            return end
        return "" if not behind[2].strip() else None
    if line.startswith(_COMMENT) or line in _NOTHING or _HASH.match(line):
        return ""
    if _POD.match(line):
        return _POD_ENDS
    found = _IMPORT.match(line) or _BOUND.match(line)
    if not found or _BODY.search(line):
        return None
    if line[-1] in _CLOSING:
        return _CLOSING[line[-1]] if found.groupdict().get("lists") else None
    return ""
