"""Check the query parameters of a request: an unknown one is an error, like an unknown field of a
body. If they were ignored, a misspelled `space_id` would choose another space, and only the last
of several `filename` would count."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import unquote_to_bytes

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter
from litestar.typing import FieldDefinition

from pincite.errors import UsageError
from pincite.support.arguments import shown

_API: Final = "/v1/"


async def require_known_parameters(
    connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
) -> None:
    """Raise UsageError for a parameter that the route of the API does not have, for one that is
    repeated and is not a list, and for a query that is not valid UTF-8."""
    if not connection.scope["path"].startswith(_API):
        return
    try:
        unquote_to_bytes(connection.scope["query_string"]).decode()
    except UnicodeDecodeError:
        raise UsageError(
            "the query is not valid UTF-8", hint="encode it as UTF-8, then in percent-encoding"
        ) from None
    fields = {
        name: field
        for name, field in handler.parsed_fn_signature.parameters.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    }
    known = sorted(fields)
    for name in connection.query_params:
        if name not in known:
            takes = ", ".join(known) if known else "none"
            raise UsageError(
                f"{shown(name)} is not a parameter of this request", hint=f"its parameters: {takes}"
            )
        given = len(connection.query_params.getall(name))
        if given > 1 and not _is_list(fields[name]):
            raise UsageError(f"{name} is given {given} times", hint="give it once")


def _is_list(field: FieldDefinition) -> bool:
    return any(one.is_non_string_sequence for one in (field, *field.inner_types))
