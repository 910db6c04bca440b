"""Mask likely secrets in the text of a document with stars, one for each character.

Lines and columns stay as in the file, so that citations are exact: the file has the secret, and its
indexed and displayed text has the stars. Readers of the file for a citation mask it in the same
way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from pincite.readers.transcripts import is_lines
from pincite.support.possessive import possessive
from pincite.support.secrets import find_secrets

#: Part of the revisions of documents with masked secrets. Change it when other texts count as
#: secrets.
MASKED: Final = "secrets masked 1"
STAR: Final = "*"
_SHORTEST: Final = 8  # characters; shorter secrets may be words, not searched for elsewhere
_MOST_SEARCHED: Final = 200_000_000  # characters times secrets, about 0.1 s; guess, unmeasured
#: A string of JSON; one that does not end takes the rest of its line, so that none is read twice.
_STRING = re.compile('"' + possessive(r'[^"\\\n]++|\\[^\n]') + '"?')
_UNIT = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_KEY_ENDS = re.compile(r"[ \t]{0,8}:")
_MOST_KEY: Final = 100  # characters of a name that is read with its value

Span = tuple[int, int]


def without_secrets(text: str, path: str) -> str:
    """Return the text with stars in place of likely secrets, also where the same words occur again.
    Newlines stay. JSON stays valid: its strings are checked in decoded form, with the name before
    them."""
    if is_lines(path):
        spans = [*_in_lines(text)]
    elif path.lower().endswith(".json") and _is_json(text):
        spans = [*_in_json(text, 0)]
    else:
        spans = find_secrets(text)
    return _starred(text, [*spans, *_again(text, {text[start:end] for start, end in spans})])


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _in_lines(text: str) -> Iterator[Span]:
    """Yield secrets in lines that are JSON one by one, and in other lines together."""
    lines = text.split("\n")
    at = 0
    for good, run in groupby(lines, _is_json):
        held = list(run)
        if good:
            for line in held:
                yield from _in_json(line, at)
                at += len(line) + 1
        else:
            block = "\n".join(held)
            for start, end in find_secrets(block):
                yield at + start, at + end
            at += len(block) + 1


def _in_json(text: str, offset: int) -> Iterator[Span]:
    """Yield the places of secrets in strings of JSON. Escapes are masked as a whole."""
    key = ""
    for match in _STRING.finditer(text):
        inner = match[0][1:].removesuffix('"')
        names = _KEY_ENDS.match(text, match.end()) is not None
        yield from _in_string(inner, offset + match.start() + 1, "" if names else key)
        key = inner if names and len(inner) <= _MOST_KEY else ""


def _in_string(inner: str, offset: int, key: str) -> Iterator[Span]:
    units = [one.span() for one in _UNIT.finditer(inner)] if "\\" in inner else None
    decoded = inner if units is None else _decoded(inner, units)
    for start, end in (*find_secrets(decoded), *_by_name(key, decoded)):
        if units is None:
            yield offset + start, offset + end
        else:
            yield offset + units[start][0], offset + units[end - 1][1]


def _decoded(inner: str, units: list[Span]) -> str:
    """Return the decoded string, with one character for each escape or plain character."""
    found = []
    for start, end in units:
        unit = inner[start:end]
        found.append(json.loads(f'"{unit}"') if unit.startswith("\\") else unit)
    return "".join(found)


def _by_name(key: str, value: str) -> Iterator[Span]:
    """Yield a value whose name says that it is a secret: `"password": "..."`."""
    if not key or '"' in value or "\n" in value or len(value) > 500:
        return
    before = f'{key}: "'
    for start, end in find_secrets(f'{before}{value}"'):
        if start >= len(before):
            yield start - len(before), min(end - len(before), len(value))


def _again(text: str, known: set[str]) -> Iterator[Span]:
    """Yield further occurrences of known secrets."""
    looked = 0
    for secret in sorted(one for one in known if len(one) >= _SHORTEST and "\n" not in one):
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
