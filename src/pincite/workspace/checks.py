"""Check the values of callers before they reach a database.

Both databases refuse texts that one of them would not store unchanged (NUL, lone surrogates).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from pincite.errors import NotFound, UsageError
from pincite.support.arguments import require_count, require_kind, shown
from pincite.support.terminal import hidden_in
from pincite.support.valid_text import valid_text

#: Limits: characters of a name, an e-mail address, an id of a source, a value of metadata and a
#: reason; values and sources of a document; bytes of a file; ids in one call. Guesses, unmeasured;
#: a feed of 100,000 documents was tried.
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
_JOINERS: Final = dict.fromkeys((0x200C, 0x200D))
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class IdInUse(UsageError):
    """The id that a caller chose belongs to an object that the user cannot see, or to one that is
    being deleted."""

    def __init__(self) -> None:
        super().__init__("the id is already in use", hint="use another id")


class VersionChanged(UsageError):
    """A document has another version than its caller expects."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"the document now has version {version}", hint="read it again, and repeat the change"
        )


def is_id(value: object) -> bool:
    """Return whether the value is an id of workspaces: a UUID in lower case."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def require_id(what: str, value: object) -> str:
    """Return the id. Raise NotFound for a value that is not an id, because no object can have
    it."""
    if isinstance(value, str) and is_id(value):
        return value
    raise missing(what, value)


def missing(what: str, value: object) -> NotFound:
    """Return the error for an object that does not exist or is hidden from the user. The words are
    the same for both."""
    return NotFound(f"no {what} has the id {shown(value)}")


def ids_among(values: Collection[str]) -> list[str]:
    """Return the values that can be ids, without duplicates, sorted. Raise UsageError for too
    many."""
    if isinstance(values, str) or len(values) > IDS:
        raise UsageError(f"ids are {shown(values)}; it takes up to {IDS:,} ids")
    return sorted({one for one in values if is_id(one)})


def line(name: str, value: object, most: int, *, empty: bool = False) -> str:
    """Return the value as one line of at most `most` characters, none of them hidden. Raise
    UsageError."""
    require_kind(name, value, str, "a text")
    text = str(value)
    if len(text) > most:
        raise UsageError(f"{name} has {len(text):,} characters; it takes {most:,} at most")
    if hidden := hidden_in(text):
        raise UsageError(f"{name} is {shown(text)}; {hidden} is not allowed in it")
    if is_blank(text) and not empty:
        raise UsageError(f"{name} is {shown(text)}; it takes a line that is not blank")
    return text


def is_blank(text: str) -> bool:
    """Return whether the text has no visible character, only spaces and joiners."""
    return not text.translate(_JOINERS).strip()


def is_hash(value: object) -> bool:
    """Return whether the value is a SHA-256 hash of 64 lower-case hexadecimal digits."""
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def content_hash(value: object) -> str:
    """Return a SHA-256 hash of 64 lower-case hexadecimal digits. Raise UsageError for other
    values."""
    if isinstance(value, str) and is_hash(value):
        return value
    raise UsageError(f"content_hash is {shown(value)}; it takes SHA-256 as 64 hexadecimal digits")


def size(value: object) -> int:
    """Return the size of a file in bytes. Raise UsageError."""
    require_count("size", value, least=0, most=FILE_BYTES)
    return int(str(value))


def metadata(name: str, values: object) -> dict[str, str]:
    """Return names and texts of metadata. Raise UsageError."""
    if not isinstance(values, Mapping):
        raise UsageError(f"{name} is {shown(values)}; it takes names with texts")
    if len(values) > VALUES:
        raise UsageError(f"{name} has {len(values):,} values; it takes {VALUES} at most")
    for key, value in values.items():
        line(f"a name of {name}", key, NAME_CHARS)
        text(f"{name}.{key}", value, VALUE_CHARS)
    return dict(values)


def given_metadata(values: object) -> dict[str, str]:
    """Return the metadata that a user gives a document, checked as by `metadata`. The title is
    shown as a name, so it must be one line without hidden characters. Raise UsageError."""
    found = metadata("given", values)
    line("given.title", found.get("title", ""), VALUE_CHARS, empty=True)
    return found


def text(name: str, value: object, most: int) -> str:
    """Return a text that the database can store, of at most `most` characters. Raise UsageError."""
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
    """Return a text of a program in a form that can be stored: cut to `most` characters, with
    characters that cannot be stored replaced."""
    given = str(value).replace("\0", "\N{REPLACEMENT CHARACTER}")[:most]
    return valid_text(given)


def sources(values: Sequence[str]) -> list[str]:
    """Return ids of sources without duplicates, sorted. Raise UsageError."""
    if isinstance(values, str) or len(values) > SOURCES:
        raise UsageError(f"source_ids is {shown(values)}; it takes up to {SOURCES} texts")
    return sorted({line("a source id", one, SOURCE_CHARS) for one in values})


def time(name: str, value: object) -> datetime:
    """Return a time with a time zone. Raise UsageError."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value
    raise UsageError(f"{name} is {shown(value)}; it takes a time with a time zone")
