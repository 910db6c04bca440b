"""Find the name that a line defines, by patterns of its language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pincite.chunkers.code.line_languages import LineLanguage

_NAME_CHARS: Final = 80
#: One or more words before a name, and the name with its type parameters (`fetch<K, V>(`).
_CALL: Final = re.compile(
    r"\s*+(?>(?:[\w<>?\[\],.&*$]++\s++)+)(?>(?:[~$\w]++)?)(?>(?:<[\w<>?, .]{1,80}>|>++)?)\("
)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
#: Members of an enumeration, after the brace of its first line, or on a line of their own.
_MEMBERS: Final = re.compile(
    r"\s*+[A-Za-z_$][\w$]*+(?>(?:\s*+,\s*+[A-Za-z_$][\w$]*+)*)\s*+[,;}]?+\s*+"
)
#: Words before a name and a bracket in statements, which definitions do not have there.
_STATEMENTS: Final = frozenset(
    """assert await break case catch const delete do else emit for foreach goto if in is lock new
    not of out return rethrow super switch synchronized this throw throws try typeof unless until
    using when while with yield""".split()
)
#: Words before a bracket that are not names. `Function(` is a type of Dart.
_CONTROL: Final = frozenset(
    {"Function", "catch", "for", "foreach", "if", "switch", "unless", "until", "while"}
)


class Named(NamedTuple):
    """The definition on a line: its name, and `further` names. If it only `holds` members, the name
    is that of their type."""

    name: str
    further: Sequence[str] = ()
    holds: bool = False
    lists: bool = False  #: begins an enumeration


def defined(language: LineLanguage, line: str, following: Sequence[str]) -> Named | None:
    """Return the definition that begins on a line, or None. `following` are the lines after it."""
    if language.lists and (listed := language.lists.match(line)):
        names = _WORD.findall(listed[1])
        return Named(names[0], names[1:]) if names else None
    if match := language.defines.match(line):
        kind, name = match.lastgroup, name_of(match)
        return Named(name, holds=kind == "of", lists=kind == "enum") if name else None
    called = _function(line, following) if language.functions else ""
    return Named(called) if called else None


def members_in(line: str) -> list[str]:
    """Return the members of an enumeration on a line: `a` and `b` of `a, b(1),`."""
    listed = _MEMBERS.fullmatch(line.partition("(")[0])
    return _WORD.findall(listed[0]) if listed else []


def name_of(match: re.Match[str]) -> str:
    """Return the last word of the last matched group, up to 80 characters, "" if there is none."""
    words = (match[match.lastindex or 0] or "").split()
    return words[-1][:_NAME_CHARS] if words else ""


def _function(line: str, following: Sequence[str]) -> str:
    """Return `name` of `type name(...) {` and `type name(...) =>`, "" otherwise. The closing
    bracket, and the brace, may be on a later line."""
    match = _CALL.match(line)
    if match is None:
        return ""
    words = _without_type_parameters(line[: match.end() - 1]).split()
    if len(words) < 2 or words[-1] in _CONTROL or not _STATEMENTS.isdisjoint(words[:-1]):
        return ""
    behind = _behind_parameters(line[match.end() :])
    closed = behind is not None and "{" not in behind and "=>" not in behind
    if closed and not any(each.lstrip().startswith("{") for each in following):
        return ""  # a call, or a declaration
    name = words[-1].lstrip("~$")
    return words[-1] if name.isidentifier() and _is_type(words[:-1]) else ""


def _without_type_parameters(head: str) -> str:
    """Return `T fetch` of `T fetch<T, Map<K, V>>`."""
    head = head.rstrip()
    depth = 0
    for place in range(len(head) - 1, -1, -1):
        depth += (head[place] == ">") - (head[place] == "<")
        if not depth:
            return head[:place] if place < len(head) - 1 else head
    return head


def _behind_parameters(rest: str) -> str | None:
    """Return the text after the bracket that closes an open one, None if there is none."""
    depth = 1
    for place, char in enumerate(rest):
        depth += (char == "(") - (char == ")")
        if not depth:
            return rest[place + 1 :]
    return None


def _is_type(words: Sequence[str]) -> bool:
    """Return whether these words may be modifiers and a type: `static Map<String, int>`."""
    depth = 0
    for word in words:
        depth += word.count("<") - word.count(">")
        if not any(map(str.isalpha, word)) or (word.endswith(",") and depth < 1):
            return False
    return depth == 0
