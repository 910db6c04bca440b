"""Texts that can be encoded in UTF-8.

File names, arguments of commands and texts of Python programs may have lone surrogates, which have
no UTF-8 form: JSON, tokenizers and databases refuse them.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


def valid_text(text: str) -> str:
    """Return the text with `?` in place of each lone surrogate. It has as many characters as
    before."""
    return text.encode(errors="replace").decode()


def valid_json(value: object) -> bytes:
    """Encode a value as JSON in UTF-8. In its texts, mappings and lists, lone surrogates become
    `?`."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_valid(value))


def _valid(value: object) -> object:
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, Mapping):
        return {_valid(name): _valid(one) for name, one in value.items()}
    return [_valid(one) for one in value] if isinstance(value, list | tuple) else value
