"""Descriptions of folders and files of a source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pincite.model.documents import Source

MOST_CHARS: Final = 1_000  # of a description: a paragraph; guess, unmeasured
MOST_DESCRIPTIONS: Final = 1_000  # of one source; guess, unmeasured
_MOST_PATH: Final = 4_096
_MOST_INDEXED: Final = 240  # characters: 60 of the 256 tokens of a chunk; guess, unmeasured


def descriptions_of(source: Source, path: str) -> tuple[str, ...]:
    """Return the descriptions of the folders around the path, then its own; outermost first."""
    return tuple(
        source.descriptions[place] for place in places_above(path) if place in source.descriptions
    )


def indexed_description(source: Source, path: str) -> str:
    """Return the descriptions for encoders: the innermost first, cut so that the text has room."""
    return " ".join(reversed(descriptions_of(source, path)))[:_MOST_INDEXED]


def places_above(path: str) -> tuple[str, ...]:
    """Return the source itself (`""`), each folder on the way to the path, and the path."""
    parts = path.split("/")
    return ("", *("/".join(parts[:count]) for count in range(1, len(parts) + 1)))


def place_of(given: str) -> str:
    """Return the normal form of a path below the root of a source. `docs` and `./docs/` are `docs`,
    and `.` is the source itself. Raises ValueError."""
    if len(given) > _MOST_PATH:
        raise ValueError(f"a path of {len(given):,} characters is too long")
    if given.startswith(("/", "~")) or "\\" in given:
        raise ValueError(f"{given!r} is not a path below the source")
    if any(ord(one) < 32 or ord(one) == 127 for one in given):
        raise ValueError(f"{given!r} has control characters")
    parts = [part for part in given.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"{given!r} is outside of the source")
    return _unicode("/".join(parts))


def text_of(given: object) -> str:
    """Return a description on one line. Raises ValueError."""
    if not isinstance(given, str):
        raise ValueError(f"a description is a text, not {given!r}"[:200])
    if len(given) > MOST_CHARS:
        raise ValueError(f"a description has {len(given):,} characters; at most {MOST_CHARS:,}")
    return _unicode(" ".join(given.split()))


def _unicode(text: str) -> str:
    """Return the text. Raises ValueError if it is not valid Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{text!r} is not valid Unicode"[:200]) from error
    return text


def described(
    before: Mapping[str, str], given: Mapping[str, object], within: str = ""
) -> Mapping[str, str]:
    """Return the descriptions of `before`, updated with `given`. An empty text removes one. The
    paths of `given` start at the folder `within` of the source. Raises ValueError."""
    found = dict(before)
    for path, said in given.items():
        place, text = place_of(f"{within}{path}" if place_of(path) else within), text_of(said)
        if text:
            found[place] = text
        else:
            found.pop(place, None)
    if len(found) > MOST_DESCRIPTIONS:
        raise ValueError(
            f"{len(found):,} descriptions are too many; the maximum is {MOST_DESCRIPTIONS:,}"
        )
    return {place: found[place] for place in sorted(found)}
