"""Format values as JSON for people."""

from __future__ import annotations

import msgspec

from pincite.support.terminal import visible_json


def json_text(value: object, indent: int = 2) -> str:
    """Return any of our values as JSON, with keys in the order of their declaration. Characters
    that a terminal would execute or hide are escaped."""
    return visible_json(msgspec.json.format(msgspec.json.encode(value), indent=indent).decode())
