"""A process that colours source texts and parses Markdown: one JSON object per line of stdin and of
stdout.

The lexers use regular expressions with backtracking, which take hours for some hostile texts. A
process can be killed; a thread cannot.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Generic, Keyword, Name, Number, String, _TokenType
from pygments.util import ClassNotFound

from pincite.readers.markdown_tree import Lines, markdown_tree

try:
    import resource
except ImportError:  # Windows: only the time of the process is limited, not its memory
    _LIMITS = False
else:
    _LIMITS = True

_MOST_MEMORY = 2 * 1024**3  # bytes of address space, part of which the interpreter needs
#: The class in the style sheet by kind of token. The first that matches is used.
_CLASSES = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Generic.Heading, "heading"),
    (Generic.Subheading, "heading"),
    (Generic.Strong, "strong"),
    (Generic.Emph, "emphasis"),
    (Keyword, "keyword"),
    (Name.Function, "name"),
    (Name.Class, "name"),
    (Name.Tag, "keyword"),
    (Name.Decorator, "name"),
    (Name.Attribute, "name"),
)


def coloured(language: str, path: str, text: str) -> list[list[tuple[str, str]]]:
    """Return the lines of a text as (class, piece). The class is "" for most pieces."""
    lexer = _lexer(language, path)
    lines: list[list[tuple[str, str]]] = [[]]
    for token, value in lexer.get_tokens(text) if lexer else [(None, text)]:
        kind = _class(token) if token is not None else ""
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append((kind, piece))
    return lines


def _block(language: str, text: str) -> list[list[tuple[str, str]]]:
    return coloured(language, "", text)


def _class(token: _TokenType) -> str:
    return next((name for kind, name in _CLASSES if token in kind), "")


@lru_cache(32)
def _lexer(language: str, path: str) -> Lexer | None:
    options: dict[str, Any] = {"stripnl": False, "ensurenl": False}
    try:
        return get_lexer_by_name(language, **options)
    except ClassNotFound:
        pass
    try:
        return get_lexer_for_filename(path.rpartition("/")[2], **options)
    except ClassNotFound:
        return None


def answer(asked: dict[str, Any]) -> Any:
    """Return the Markdown tree for a request with a `window`, otherwise coloured lines. Code in the
    tree has colours if `coloured` is true."""
    if "window" not in asked:
        return coloured(asked["language"], asked["path"], asked["text"])
    window, cited = Lines(*asked["window"]), Lines(*asked["cited"])
    tree = markdown_tree(asked["text"], window, cited, _block if asked["coloured"] else None)
    return {"nodes": tree.nodes, "marked": tree.marked, "cut": tree.cut}


def main() -> None:
    """Write an empty line when ready; answer until stdin ends."""
    if _LIMITS:
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        sys.stdout.buffer.write(json.dumps(answer(asked)).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
