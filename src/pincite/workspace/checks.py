"""What callers hand over, checked before a database sees it.

Texts that a database of the one or the other kind would not keep as they are (NUL, lone surrogates)
are refused by both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from pincite.errors import NotFound, UsageError
from pincite.support.arguments import require_count, require_kind, shown

#: Characters of names of users, spaces, feeds and keys, of an address, of an id
#: that a caller chose, of a value of metadata, of a reason; how many values and sources a document
#: has; bytes of a file: guesses, unmeasured. A feed takes more documents than the 100,000 tried.
NAME_CHARS: Final = 200
EMAIL_CHARS: Final = 320
SOURCE_CHARS: Final = 512
VALUE_CHARS: Final = 4_000
VALUES: Final = 64
SOURCES: Final = 100
REASON_CHARS: Final = 2_000
FILE_BYTES: Final = 2**40
IDS: Final = 1_000_000
PAGE: Final = 1_000
SCOPES: Final = ("search", "write", "admin")
ROLES: Final = ("owner", "editor", "viewer")
#: The form of an id.
ID_PATTERN: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ID: Final = re.compile(ID_PATTERN)
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def is_id(value: object) -> bool:
    """A UUID in lower case, as ids of workspaces are written."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def require_id(what: str, value: object) -> str:
    """Raises NotFound for what is no id: nothing has it."""
    if isinstance(value, str) and is_id(value):
        return value
    raise missing(what, value)


def missing(what: str, value: object) -> NotFound:
    """There is none, or the user may not know of it: the same words for both."""
    return NotFound(f"there is no {what} {shown(value)}")


def ids_among(values: Collection[str]) -> list[str]:
    """Those that can be ids, each once, sorted. Raises UsageError for too many."""
    if isinstance(values, str) or len(values) > IDS:
        raise UsageError(f"ids are {shown(values)}; it takes up to {IDS:,} ids")
    return sorted({one for one in values if is_id(one)})


def line(name: str, value: object, most: int, *, empty: bool = False) -> str:
    """One printable line. Raises UsageError."""
    require_kind(name, value, str, "a text")
    text = str(value)
    if len(text) > most:
        raise UsageError(f"{name} has {len(text):,} characters; it takes {most:,} at most")
    if not text.isprintable() or not (empty or text.strip()):
        raise UsageError(f"{name} is {shown(text)}; it takes one printable line")
    return text


def is_hash(value: object) -> bool:
    """SHA-256 as 64 lower-case hexadecimal digits."""
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def content_hash(value: object) -> str:
    """SHA-256 as 64 lower-case hexadecimal digits. Raises UsageError."""
    if isinstance(value, str) and is_hash(value):
        return value
    raise UsageError(f"content_hash is {shown(value)}; it takes SHA-256 as 64 hexadecimal digits")


def size(value: object) -> int:
    """Bytes of a file. Raises UsageError."""
    require_count("size", value, least=0, most=FILE_BYTES)
    return int(str(value))


def metadata(name: str, values: object) -> dict[str, str]:
    """Names and texts of metadata. Raises UsageError."""
    if not isinstance(values, Mapping):
        raise UsageError(f"{name} is {shown(values)}; it takes names with texts")
    if len(values) > VALUES:
        raise UsageError(f"{name} has {len(values):,} values; it takes {VALUES} at most")
    for key, value in values.items():
        line(f"a name of {name}", key, NAME_CHARS)
        text(f"{name}.{key}", value, VALUE_CHARS)
    return dict(values)


def text(name: str, value: object, most: int) -> str:
    """Any text that can be kept. Raises UsageError."""
    require_kind(name, value, str, "a text")
    given = str(value)
    if len(given) > most:
        raise UsageError(f"{name} has {len(given):,} characters; it takes {most:,} at most")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name} has lone surrogates; it takes a text") from None
    if "\0" in given:
        raise UsageError(f"{name} has NUL characters; it takes a text")
    return given


def kept_text(value: object, most: int) -> str:
    """A text of a program, made fit to be kept: cut, and without what cannot be written."""
    given = str(value).replace("\0", "\N{REPLACEMENT CHARACTER}")[:most]
    return given.encode("utf-8", "replace").decode()


def sources(values: Sequence[str]) -> list[str]:
    """Ids of sources, each once, sorted. Raises UsageError."""
    if isinstance(values, str) or len(values) > SOURCES:
        raise UsageError(f"source_ids is {shown(values)}; it takes up to {SOURCES} texts")
    return sorted({line("a source id", one, SOURCE_CHARS) for one in values})


def time(name: str, value: object) -> datetime:
    """A time with a zone. Raises UsageError."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value
    raise UsageError(f"{name} is {shown(value)}; it takes a time with a time zone")
