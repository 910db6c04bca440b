"""The description of a folder or a file of a source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pincite.model.documents import Source

MOST_CHARS: Final = 1_000  # of a description: a paragraph; guess, unmeasured
MOST_DESCRIPTIONS: Final = 1_000  # of one source; guess, unmeasured
_MOST_PATH: Final = 4_096
_MOST_INDEXED: Final = 240  # characters: 60 of the 256 tokens of a chunk; guess, unmeasured


def descriptions_of(source: Source, path: str) -> tuple[str, ...]:
    """The descriptions of the folders that the path is in, and its own, outermost first."""
    return tuple(
        source.descriptions[place] for place in places_above(path) if place in source.descriptions
    )


def indexed_description(source: Source, path: str) -> str:
    """What encoders read of it: the innermost first, as much as leaves room for the text."""
    return " ".join(reversed(descriptions_of(source, path)))[:_MOST_INDEXED]


def places_above(path: str) -> tuple[str, ...]:
    """The source itself (`""`), each folder on the way, and the path."""
    parts = path.split("/")
    return ("", *("/".join(parts[:count]) for count in range(1, len(parts) + 1)))


def place_of(given: str) -> str:
    """A path below the root of a source as descriptions are kept by: `docs` and `./docs/` are
    `docs`, and `.` is the source itself. Raises ValueError."""
    if len(given) > _MOST_PATH:
        raise ValueError(f"a path of {len(given):,} characters")
    if given.startswith(("/", "~")) or "\\" in given:
        raise ValueError(f"{given!r} is no path below the source")
    if any(ord(one) < 32 or ord(one) == 127 for one in given):
        raise ValueError(f"{given!r} has control characters")
    parts = [part for part in given.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"{given!r} leads out of the source")
    return _unicode("/".join(parts))


def text_of(given: object) -> str:
    """A description on one line. Raises ValueError."""
    if not isinstance(given, str):
        raise ValueError(f"a description is a text, not {given!r}"[:200])
    if len(given) > MOST_CHARS:
        raise ValueError(f"a description has {len(given):,} characters; at most {MOST_CHARS:,}")
    return _unicode(" ".join(given.split()))


def _unicode(text: str) -> str:
    """The text. Raises ValueError where it cannot be written down."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{text!r} is not valid Unicode"[:200]) from error
    return text


def described(
    before: Mapping[str, str], given: Mapping[str, object], within: str = ""
) -> Mapping[str, str]:
    """These descriptions over those from before, an empty text taking one away. `given` counts
    from the folder `within` of the source. Raises ValueError."""
    found = dict(before)
    for path, said in given.items():
        place, text = place_of(f"{within}{path}" if place_of(path) else within), text_of(said)
        if text:
            found[place] = text
        else:
            found.pop(place, None)
    if len(found) > MOST_DESCRIPTIONS:
        raise ValueError(f"{len(found):,} descriptions; at most {MOST_DESCRIPTIONS:,}")
    return {place: found[place] for place in sorted(found)}
