"""Metadata of documents of other libraries as attributes of records."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from pincite.model.attributes import (
    attribute_of,
    check_attribute_name,
    reserved_names,
    type_of,
)

_MOST_NAME_CHARS = 64
_INVALID = re.compile(r"[^A-Za-z0-9_]+")


def attributes_of(metadata: Mapping[object, object]) -> dict[str, object]:
    """Return the metadata whose values can be attributes, all under names that can be.

    A valid name stays. In others each run of invalid characters becomes `_`, letters outside of
    ASCII their code, and a reserved name or one that begins with no letter gets `meta_` before it.
    If a made name is taken, a number is appended.
    """
    names = _names(metadata)
    return {names[name]: value for name, value in metadata.items() if _is_attribute(value)}


def _names(given: Iterable[object]) -> dict[object, str]:
    """Names of attributes by given names, none twice, whatever the values are: documents with the
    same names get the same ones."""
    names = {name: str(name) for name in given if _is_valid(name)}
    taken = set(names.values())
    last: defaultdict[str, int] = defaultdict(lambda: 1)  # by made name: its highest number
    for name in given:
        if name in names:
            continue
        wanted = made = _made(str(name))
        while made in taken:
            last[wanted] += 1
            number = f"_{last[wanted]}"
            made = f"{wanted[: _MOST_NAME_CHARS - len(number)]}{number}"
        taken.add(made)
        names[name] = made
    return names


def _is_valid(name: object) -> bool:
    try:
        check_attribute_name(name)
    except ValueError:
        return False
    return True


def _made(name: str) -> str:
    ascii_ = name.encode("ascii", "backslashreplace").decode()
    made = _INVALID.sub("_", ascii_).strip("_")
    if not made[:1].isalpha() or made.lower() in reserved_names():
        made = f"meta_{made}"
    return made[:_MOST_NAME_CHARS]


def _is_attribute(value: object) -> bool:
    kind = type_of(value)
    try:
        return kind is not None and attribute_of(kind, value) is not None
    except ValueError:  # not finite, too long, too large
        return False
