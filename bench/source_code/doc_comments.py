"""Docstrings and doc comments: what they say first, and source code without them.

Python has docstrings by its own parser. Other languages have comments that begin with `/**` or
`///`, by the grammars that also cut code. Lines stay where they are: what is removed leaves blank
lines. Ordinary comments stay.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pincite.chunkers.code.definitions import Definition
from pincite.chunkers.code.find_definitions import find_definitions
from pincite.chunkers.code.grammars import GRAMMARS
from pincite.chunkers.code.parsing import Parsed, parse

if TYPE_CHECKING:
    from tree_sitter import Node

#: Where a language is not here, its files keep their comments and give no question.
LANGUAGES: Final = ("javascript", "typescript", "tsx", "java", "kotlin", "swift", "cpp", "c")
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINING: Final = (*_FUNCTIONS, ast.ClassDef)
_OPENS: Final = re.compile(r"/\*\*(?![*/])|///(?!/)")
_TYPES: Final = re.compile(r"\b(?:class|interface|enum|struct|protocol|object|namespace|type)\s+\w")
_STARS: Final = re.compile(r"^[ \t]*(?:\*(?!/)|///)[ \t]?", re.M)
_ROLE: Final = re.compile(r":[a-z:]+:`~?\.?([^`<]*?)\s*(?:<[^`]*>)?`")
_LINK: Final = re.compile(r"\{@\w+\s+(?:[^}|]*\|)?([^}]*)\}|\[([^\]]+)\](?:\([^)]*\))?")
_MARKS: Final = re.compile(r"[`*_]{2,}|`|\*|<[^<>]*>")
_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\"'])|\s+(?=@[a-z])|::?(?=\s|\Z)")
_Span = tuple[int, int, bytes]  # first byte, end, what takes the place
_APART: Final = 3  # lines of annotations between a comment and what it describes


@dataclass(frozen=True, slots=True)
class Documented:
    """A definition, its kind (`module`, `class` or `function`) and the first sentence about it."""

    name: str
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Undocumented:
    """A file without its documentation, what this said, and the names that the file defines."""

    text: str
    said: tuple[Documented, ...]
    defined: tuple[str, ...]


def undocumented(text: str, language: str) -> Undocumented | None:
    """Take the documentation out of a file. None if the file does not parse."""
    return _python(text) if language == "python" else _commented(text, language)


def sentence_of(documentation: str) -> str:
    """Return the first sentence in plain words: no markup, no stop at the end."""
    paragraph = inspect.cleandoc(documentation).strip().partition("\n\n")[0]
    return _END.split(plain(paragraph), maxsplit=1)[0].strip(" .!:;,")


def plain(text: str) -> str:
    """Return the text in one line, without markup."""
    bare = _LINK.sub(lambda found: found[1] or found[2] or "", _ROLE.sub(r"\1", text))
    return " ".join(_MARKS.sub("", bare).split())


def _python(text: str) -> Undocumented | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    said, defined = [], []
    for node in ast.walk(tree):
        if isinstance(node, _DEFINING):
            defined.append(node.name)
        if isinstance(node, (ast.Module, *_DEFINING)) and (found := ast.get_docstring(node)):
            name = "" if isinstance(node, ast.Module) else node.name
            said.append(Documented(name, _kind(node), sentence_of(found)))
    raw = text.encode()
    starts = [0, *(found.end() for found in re.finditer(b"\n", raw))]
    spans = sorted(_blank(raw, starts, one, only) for one, only in _strings(tree))
    return Undocumented(_without(raw, spans), tuple(said), tuple(defined))


def _kind(node: ast.AST) -> str:
    if isinstance(node, ast.Module):
        return "module"
    return "class" if isinstance(node, ast.ClassDef) else "function"


def _strings(tree: ast.AST) -> Iterator[tuple[ast.Expr, bool]]:
    """Yield the statements that are only a string, and whether one must stay in its place."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if not isinstance(body, list):
                continue
            found = [one for one in body if _is_string(one)]
            only = len(found) == len(body) and not isinstance(node, ast.Module)
            yield from ((one, only) for one in found)


def _is_string(node: ast.AST) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, str)


def _blank(raw: bytes, starts: Sequence[int], node: ast.Expr, only: bool) -> _Span:
    """Return the bytes of a statement and what takes their place: `...` if there must be one."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[node.end_lineno - 1] + node.end_col_offset
    before, after = raw[:start].rpartition(b"\n")[2], raw[end:].partition(b"\n")[0]
    stays = only or before.strip() or after.lstrip().startswith(b";")
    return start, end, b"..." if stays else b""


def _without(raw: bytes, spans: Sequence[_Span]) -> str:
    """Replace these bytes, all but their ends of lines."""
    out, reached = [], 0
    for start, end, instead in spans:
        out += [raw[reached:start], instead, b"\n" * raw.count(b"\n", start, end)]
        reached = end
    return b"".join((*out, raw[reached:])).decode()


def _commented(text: str, language: str) -> Undocumented | None:
    grammar = GRAMMARS[language]
    raw = text.encode()
    tree = parse(grammar, raw)
    if tree is None:
        return None
    lines = text.split("\n")
    definitions = find_definitions(Parsed(tree), grammar, lines).all
    said, spans = [], []
    for comments in _runs(tree.root_node):
        start, end = comments[0].start_byte, comments[-1].end_byte
        end -= raw[start:end].endswith(b"\n")  # some grammars take it in
        spans.append((start, end, b""))
        found = _following(definitions, end, raw)
        if found is None:
            continue
        sentence = sentence_of(_inner(raw[start:end].decode()))
        kind = "class" if _TYPES.search(lines[found.first]) else "function"
        said.append(Documented(found.symbol, kind, sentence))
    defined = tuple(one.symbol for one in definitions if one.symbol)
    return Undocumented(_without(raw, spans), tuple(said), defined)


def _runs(root: Node) -> list[list[Node]]:
    """Return the doc comments in order; lines of `///` that follow each other are one."""
    runs: list[list[Node]] = []
    for node in _comments(root):
        if not _OPENS.match((node.text or b"").decode("utf-8", "replace")):
            continue
        before = runs[-1][-1] if runs else None
        together = before is not None and (before.text or b"").startswith(b"///")
        if together and before and node.start_point.row - before.start_point.row == 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    return runs


def _comments(root: Node) -> Iterator[Node]:
    left = [root]
    while left:
        node = left.pop()
        if "comment" in node.type:
            yield node
        else:
            left.extend(reversed(node.children))


def _following(definitions: Sequence[Definition], end: int, raw: bytes) -> Definition | None:
    """Return the definition that a comment which ends there is about."""
    found = next((one for one in definitions if one.start_byte >= end), None)
    if found is None or not found.symbol:
        return None
    between = raw[end : found.start_byte].decode("utf-8", "replace")
    apart = between.count("\n") > _APART or "\n\n" in between.replace(" ", "")
    return None if apart or re.search(r"[;{}]|/[*/]", between) else found


def _inner(comment: str) -> str:
    return _STARS.sub("", comment.removeprefix("/**").removesuffix("*/")).strip()
