"""Ignore files with the semantics of git: the deepest file decides, its last match wins.

A pattern is held against a path itself, never against the folders above it: whoever walks does
not enter what is ignored. (pathspec also matches what lies below a pattern's folder, which
differs from git as soon as rules from two files meet; the test that asks git found it. It also
takes exponential time over a line with many stars.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_PATTERN_CHARS = 4096  # as long as a path can be; the library takes 1 ms to compile one
_POSIX = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~",
    "space": "\\s", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_Kind = Literal["one", "star", "slash", "folders", "bad"]
_FOLDERS = "(?:[^/]*/)*?"
_CLASS = re.compile(r"\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*)\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of one folder. `base` is its path with a final slash, "" for the root."""

    base: str
    any_of: re.Pattern[str]
    patterns: tuple[tuple[str, bool], ...]  #: last line first; True = ignored

    def verdict(self, path: str) -> bool | None:
        """True = ignored, False = explicitly kept, None = no pattern matches. A folder's
        path ends in a slash."""
        relative = path[len(self.base) :]
        if self.any_of.fullmatch(relative) is None:
            return None
        return next(
            ignored for each, ignored in self.patterns if _compile(each).fullmatch(relative)
        )

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
    return IgnoreRules(base, any_of, tuple(found))


@lru_cache(maxsize=10_000)
def _compile(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.DOTALL)


def is_ignored(path: str, rules: tuple[IgnoreRules, ...]) -> bool:
    """`rules` go from the root down; folders above `path` were not ignored themselves."""
    for each in reversed(rules):
        verdict = each.verdict(path)
        if verdict is not None:
            return verdict
    return False


def translate(pattern: str) -> str | None:
    """A line of an ignore file, without its "!", as a regular expression over paths whose
    folders end in a slash. None for what matches nothing.

    Nothing is tried twice over: the first place where what stands between two stars fits is as
    good as any later one, and the same holds for whole names between two `**`. So each of these is
    an atomic group, and a match takes at most pattern times path.
    """
    folder_only = pattern.endswith("/")
    body = pattern[:-1] if folder_only else pattern
    anchored = "/" in body
    body = body.removeprefix("/")
    if not body or len(body) > MAX_PATTERN_CHARS:
        return None
    if anchored and body == "**":
        return ".+" + ("/" if folder_only else "")
    parts: list[list[tuple[str, str]]] = [[]] if anchored else [[], []]  # between two "**/"
    position = 0
    while position < len(body):
        kind, expression, length = _next(body, position)
        if kind == "bad":
            return None
        if kind == "folders":
            parts.append([])
        else:
            parts[-1].append((kind, expression))
        position += length
    first, *others = map(_join, parts)
    inner = "".join(f"(?>{_FOLDERS}{each})" for each in others[:-1])
    last = f"{_FOLDERS}{others[-1]}" if others else ""
    return first + inner + last + ("/" if folder_only else "/?")


def _join(tokens: list[tuple[str, str]]) -> str:
    """One expression. A star that another follows in the same name takes as little as it can."""
    joined, later = "", False  # from the end: is there a star later in this name?
    behind = ""
    for kind, expression in reversed(tokens):
        if kind == "star":
            joined = (f"(?>[^/]*?{behind})" if later else expression + behind) + joined
            behind, later = "", True
        elif kind == "slash":
            joined = expression + behind + joined
            behind, later = "", False
        else:
            behind = expression + behind
    return behind + joined


def _next(body: str, position: int) -> tuple[_Kind, str, int]:
    """What stands here, its expression, and how many characters that is."""
    at_begin = position == 0 or body[position - 1] == "/"
    if at_begin and body.startswith("**/", position):
        return "folders", "", 3
    if at_begin and position and body[position:] == "**":
        return "slash", ".+", 2
    mark = body[position]
    if mark == "*":
        length = len(body) - position - len(body[position:].lstrip("*"))
        whole = at_begin and body[position + length : position + length + 1] in ("", "/")
        return "star", ("[^/]+" if whole else "[^/]*"), length  # "sub/*" is not "sub/" itself
    if mark == "/":
        return "slash", "/", 1
    if mark == "?":
        return "one", "[^/]", 1
    if mark == "\\":
        escaped = position + 1 < len(body)
        return ("one", re.escape(body[position + 1]), 2) if escaped else ("bad", "", 1)
    if mark == "[":
        match = _CLASS.match(body, position)
        expression = _character_class(match) if match else None
        return ("one", expression, len(match[0])) if match and expression else ("bad", "", 1)
    return "one", re.escape(mark), 1


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
