"""Convert metadata of other libraries' documents to attributes of records."""

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
    """Return the metadata whose values can be attributes, each under a valid name.

    A valid name is kept. In any other name, letters outside of ASCII are replaced by their code,
    and each run of invalid characters by `_`. A reserved name, or one that does not begin with a
    letter, gets the prefix `meta_`. If the new name is taken, a number is appended.
    """
    names = _names(metadata)
    return {names[name]: value for name, value in metadata.items() if _is_attribute(value)}


def _names(given: Iterable[object]) -> dict[object, str]:
    """Return a different attribute name for each given name. Values have no influence: documents
    with the same names get the same attribute names."""
    names = {name: str(name) for name in given if _is_valid(name)}
    taken = set(names.values())
    last: defaultdict[str, int] = defaultdict(lambda: 1)  # new name -> the last number added to it
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
