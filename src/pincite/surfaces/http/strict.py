"""Check JSON bodies strictly: the framework would accept "5" as 5, and "true" as true. In queries
this is correct, because they have only texts."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from litestar import Request
from litestar.exceptions import ValidationException

from pincite.support.decodable import ready
from pincite.support.unknown_fields import unknown_field

_PLACE: Final = re.compile(r"(?P<what>.*) - at `\$\.?(?P<field>.*)`", re.DOTALL)


class StrictRequest(Request[Any, Any, Any]):
    """A request whose JSON body must have the type that its route declares."""

    async def json(self) -> Any:
        """Return the body as plain values. Raises ValidationException, with the field, for a value
        of another type."""
        found = await super().json()
        declared = self.route_handler.parsed_data_field
        if declared is None or not await self.body():
            return found  # the framework reports a missing body
        try:
            msgspec.convert(_whole(found), ready(declared.annotation))
        except msgspec.ValidationError as error:
            raise ValidationException(extra=[_told(error, declared.annotation)]) from error
        return found


def _whole(value: Any) -> Any:
    """Return the value with integers for numbers such as 5.0: JSON has only one type of number."""
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _told(error: msgspec.ValidationError, kind: Any) -> dict[str, str]:
    """Return the message of msgspec in the form of the framework. For an unknown field it has the
    most similar field, or all of them."""
    unknown = unknown_field(error, kind)
    if unknown is not None:
        known = f"its fields are {', '.join(unknown.known)}"
        meant = f"did you mean {unknown.meant}?" if unknown.meant else known
        path = f"{unknown.place}.{unknown.name}" if unknown.place else unknown.name
        return {"key": path, "message": f"there is no such field; {meant}"}
    place = _PLACE.fullmatch(str(error))
    if place is None:
        return {"key": "data", "message": str(error)}
    return {"key": place["field"], "message": place["what"]}
