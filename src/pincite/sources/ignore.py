"""Ignore files with the semantics of git: the deepest file decides, its last match wins.

A pattern is held against a path itself, never against the folders above it: whoever walks does
not enter what is ignored. (pathspec also matches what lies below a pattern's folder, which
differs from git as soon as rules from two files meet; the test that asks git found it.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_POSIX = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~",
    "space": "\\s", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_CLASS = re.compile(r"\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*)\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of one folder. `base` is its path with a final slash, "" for the root."""

    base: str
    any_of: re.Pattern[str]
    patterns: tuple[tuple[re.Pattern[str], bool], ...]  #: last line first; True = ignored

    def verdict(self, path: str) -> bool | None:
        """True = ignored, False = explicitly kept, None = no pattern matches. A folder's
        path ends in a slash."""
        relative = path[len(self.base) :]
        if self.any_of.fullmatch(relative) is None:
            return None
        return next(ignored for each, ignored in self.patterns if each.fullmatch(relative))

    def covers(self, path: str) -> bool:
        """Is the path, or a folder above it, matched?"""
        slash = path.find("/")
        while slash >= 0:
            if self.verdict(path[: slash + 1]):
                return True
            slash = path.find("/", slash + 1)
        return bool(self.verdict(path))


def parse_rules(base: str, lines: Iterable[str]) -> IgnoreRules | None:
    """The rules in some lines, or None where there are none. Malformed lines match nothing."""
    found: list[tuple[str, bool]] = []
    for line in lines:
        pattern = _bare(line)
        ignored = not pattern.startswith("!")
        expression = translate(pattern if ignored else pattern[1:])
        if expression is not None:
            found.append((expression, ignored))
    if not found:
        return None
    found.reverse()
    any_of = re.compile("|".join(f"(?:{expression})" for expression, _ in found), re.DOTALL)
    patterns = tuple((re.compile(expression, re.DOTALL), ignored) for expression, ignored in found)
    return IgnoreRules(base, any_of, patterns)


def is_ignored(path: str, rules: tuple[IgnoreRules, ...]) -> bool:
    """`rules` go from the root down; folders above `path` were not ignored themselves."""
    for each in reversed(rules):
        verdict = each.verdict(path)
        if verdict is not None:
            return verdict
    return False


def translate(pattern: str) -> str | None:
    """A line of an ignore file, without its "!", as a regular expression over paths whose
    folders end in a slash. None for what matches nothing."""
    folder_only = pattern.endswith("/")
    body = pattern[:-1] if folder_only else pattern
    anchored = "/" in body
    body = body.removeprefix("/")
    if not body:
        return None
    if anchored and body == "**":
        return ".+" + ("/" if folder_only else "")
    expression = "" if anchored else "(?:.*/)?"
    position = 0
    while position < len(body):
        whole, length = _next(body, position)
        if whole is None:
            return None
        expression += whole
        position += length
    return expression + ("/" if folder_only else "/?")


def _next(body: str, position: int) -> tuple[str | None, int]:
    """The expression for what stands here, and how many characters that is."""
    at_begin = position == 0 or body[position - 1] == "/"
    if at_begin and body.startswith("**/", position):
        return "(?:.*/)?", 3
    if at_begin and position and body[position:] == "**":
        return ".+", 2
    mark = body[position]
    if mark == "*":
        length = len(body) - position - len(body[position:].lstrip("*"))
        whole = at_begin and body[position + length : position + length + 1] in ("", "/")
        return ("[^/]+" if whole else "[^/]*"), length  # "sub/*" is not "sub/" itself
    if mark == "?":
        return "[^/]", 1
    if mark == "\\":
        return (re.escape(body[position + 1]), 2) if position + 1 < len(body) else (None, 1)
    if mark == "[":
        match = _CLASS.match(body, position)
        return (_character_class(match), len(match[0])) if match else (None, 1)
    return re.escape(mark), 1


def _character_class(match: re.Match[str]) -> str | None:
    inner = re.sub(r"\[:([a-z]+):\]", lambda name: _POSIX.get(name[1], ""), match[2])
    inner = re.sub(r"(?<!\\)[\[&~|^]|(?<!\\)(?<=-)-|^\]", r"\\\g<0>", inner)
    expression = f"(?!/)[{'^' if match[1] else ''}{inner}]"
    try:
        re.compile(expression)
    except re.error:
        return None
    return expression


def _bare(line: str) -> str:
    """Without its newline, comment and trailing blanks, unless a backslash keeps the last."""
    bare = line.rstrip("\r\n")
    if bare.startswith("#"):
        return ""
    stripped = bare.rstrip(" ")
    if stripped.endswith("\\") and len(stripped) < len(bare):
        stripped += " "
    return stripped
