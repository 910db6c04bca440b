"""Decode escapes in data, so that a search for ü finds `\\u00fc` in JSON and `&#252;` in XML.

An escape stays as it is if it is invalid, or means a control character or a lone surrogate.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from pincite.support.fields import replace
from pincite.support.possessive import possessive

if TYPE_CHECKING:
    from pincite.model import Section

_PAIR = r"\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})"
_CODE = r"\\u([\da-fA-F]{4})"
_JSON = re.compile(rf'{_PAIR}|{_CODE}|\\(["\\/bfnrt])')
#: A text in double quotes on one line, or one in single quotes, which may contain double quotes.
_DOUBLE = re.compile("'[^'\n]*+'|\"" + possessive(r"[^\"\\\n]++|\\.") + '"')
#: YAML and TOML have more forms.
_QUOTED = re.compile(rf"{_PAIR}|{_CODE}|(\\\\)|\\x([\da-fA-F]{{2}})|\\U([\da-fA-F]{{8}})")
_PROPERTIES = re.compile(rf"{_PAIR}|{_CODE}|(\\\\)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});")
_SHORT = {"b": " ", "f": " ", "n": "\n", "r": "\r", "t": "\t"}


def with_decoded(section: Section, text: str, language: str, path: str) -> Section:
    """Return the section with decoded text and headings, or unchanged if it has no escapes."""
    written = text[section.start : section.end]
    if "\\" not in written and "&" not in written and not section.headings:
        return section
    plain = decoded(written, language, path)
    headings = tuple(" ".join(decoded(one, language, path).split()) for one in section.headings)
    if plain != written:
        section = replace(section, plain=plain)
    return section if headings == section.headings else replace(section, headings=headings)


def decoded(text: str, language: str, path: str) -> str:
    """Return a text of a file of this language, with its escapes decoded."""
    if language == "xml":
        return _ENTITY.sub(_entity, text) if "&" in text else text
    if "\\" not in text:
        return text
    if language == "json":
        return _JSON.sub(_character, text)
    if language in ("yaml", "toml"):  # outside of double quotes, a backslash is no escape
        return _DOUBLE.sub(_in_quotes, text)
    return _PROPERTIES.sub(_character, text) if path.lower().endswith(".properties") else text


def _in_quotes(match: re.Match[str]) -> str:
    return match[0] if match[0][0] == "'" else _QUOTED.sub(_character, match[0])


def _entity(match: re.Match[str]) -> str:
    found = unescape(match[0])
    return found if len(found) and all(map(_is_text, map(ord, found))) else match[0]


def _character(match: re.Match[str]) -> str:
    high, low, code, short, *longer = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if short:
        return match[0] if len(short) > 1 else _SHORT.get(short, short)
    number = int(code or next(filter(None, longer)), 16)
    return chr(number) if _is_text(number) else match[0]


def _is_text(code: int) -> bool:
    """Return whether a code point is a character, and not a control character or a surrogate."""
    surrogate = 0xD800 <= code < 0xE000
    return 0x20 <= code < 0x7F or (0xA0 <= code < 0x110000 and not surrogate and code != 0xFFFD)
