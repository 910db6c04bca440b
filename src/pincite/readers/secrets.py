"""What looks like a secret, replaced by stars in the text of a document, one for each character.

Lines and columns stay as they are in the file, so that citations are exact: the file has the
secret, and what is indexed and shown of it has the stars. Whoever reads the file for a citation
masks it in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from pincite.readers.transcripts import LINES
from pincite.support.secrets import find_secrets, secrets_in

#: Names how it is done, in the revisions of documents: to be changed with what counts as a secret.
MASKED: Final = "secrets masked 1"
STAR: Final = "*"
_MOST_SEARCHED: Final = 200_000_000  # characters times secrets, about 0.1 s; guess, unmeasured
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_UNIT = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_KEY_ENDS = re.compile(r"[ \t]*:")
_MOST_KEY: Final = 100  # characters of a name that says what its value is

Span = tuple[int, int]


def without_secrets(text: str, path: str) -> str:
    """The text with stars in place of what looks like a secret, and of the same words elsewhere in
    it. Newlines stay. Lines of JSON stay JSON: what is in their strings is looked at as it is
    decoded, with the name before it."""
    in_json = path.lower().endswith((*LINES, ".json"))
    spans = list(_in_json(text)) if in_json else find_secrets(text)
    known = {text[start:end] for start, end in spans}
    if not in_json:
        known |= secrets_in(text)
    spans += _again(text, known)
    return _starred(text, spans)


def _again(text: str, known: set[str]) -> Iterator[Span]:
    """Where the same secrets stand without what gave them away. A short one may be a word."""
    looked = 0
    for secret in sorted(one for one in known if len(one) >= 8 and "\n" not in one):
        looked += len(text)
        if looked > _MOST_SEARCHED:
            return
        at = text.find(secret)
        while at >= 0:
            yield at, at + len(secret)
            at = text.find(secret, at + len(secret))


def _starred(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        start = max(start, at)
        parts += [text[at:start], re.sub(r"[^\r\n]", STAR, text[start:end])]
        at = end
    return "".join((*parts, text[at:]))


def _in_json(text: str) -> Iterator[Span]:
    """Where strings of JSON have secrets, in characters of the text. Escapes are masked whole."""
    key = ""
    for match in _STRING.finditer(text):
        inner = text[match.start() + 1 : match.end() - 1]
        if _KEY_ENDS.match(text, match.end()) and len(inner) <= _MOST_KEY:
            key = inner  # and what looks like a secret in a name is masked below
        yield from _in_string(inner, match.start() + 1, key)
        if not _KEY_ENDS.match(text, match.end()):
            key = ""


def _in_string(inner: str, offset: int, key: str) -> Iterator[Span]:
    units = [(one.start(), one.end()) for one in _UNIT.finditer(inner)] if "\\" in inner else None
    decoded = inner if units is None else _decoded(inner, units)
    for start, end in (*find_secrets(decoded), *_by_name(key, decoded)):
        if units is None:
            yield offset + start, offset + end
        else:
            yield offset + units[start][0], offset + units[end - 1][1]


def _decoded(inner: str, units: list[Span]) -> str:
    """The string, with one character for each unit that it is written in."""
    found = []
    for start, end in units:
        unit = inner[start:end]
        try:
            one = json.loads(f'"{unit}"') if unit.startswith("\\") else unit
        except ValueError:
            one = unit[-1]
        found.append(one if len(one) == 1 else "?")
    return "".join(found)


def _by_name(key: str, value: str) -> Iterator[Span]:
    """The whole of a value whose name says that it is a secret: `"password": "..."`."""
    if not key or '"' in value or "\n" in value or len(value) > 500:
        return
    before = f'{key}: "'
    for start, end in find_secrets(f'{before}{value}"'):
        if start >= len(before):
            yield start - len(before), min(end - len(before), len(value))
