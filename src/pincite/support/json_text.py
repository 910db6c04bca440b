"""Values as JSON that people read."""

from __future__ import annotations

import msgspec

from pincite.support.terminal import visible_json


def json_text(value: object, indent: int = 2) -> str:
    """JSON of any of our values, keys in the order of their declaration. What a terminal would
    obey, or not show, is escaped."""
    return visible_json(msgspec.json.format(msgspec.json.encode(value), indent=indent).decode())
