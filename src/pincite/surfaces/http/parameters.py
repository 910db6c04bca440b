"""Parameters of the query of a request: an unknown one is an error, as an unknown field of a body
is. Ignored, a misspelled `space_id` would choose another space."""

from __future__ import annotations

from typing import Any, Final

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter

from pincite.errors import UsageError
from pincite.support.arguments import shown

_API: Final = "/v1/"


async def require_known_parameters(
    connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
) -> None:
    """Raise UsageError for a parameter that the route of the API does not have."""
    if not connection.scope["path"].startswith(_API):
        return
    known = sorted(
        name
        for name, field in handler.parsed_fn_signature.parameters.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    )
    for name in connection.query_params:
        if name not in known:
            takes = ", ".join(known) if known else "none"
            raise UsageError(
                f"{shown(name)} is not a parameter of this request", hint=f"its parameters: {takes}"
            )
