"""The application: routes, errors, metrics, and the guard around them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from litestar import Litestar
from litestar.datastructures import State
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import Message, Scope
from prometheus_client import CollectorRegistry, Counter, Histogram

from pincite.surfaces.http.guard import Guard, GuardLimits
from pincite.surfaces.http.problems import answer_error
from pincite.surfaces.http.requests import App
from pincite.surfaces.http.routes.documents import DOCUMENTS
from pincite.surfaces.http.routes.models import MODELS
from pincite.surfaces.http.routes.operation import OPERATION
from pincite.surfaces.http.routes.questions import QUESTIONS
from pincite.surfaces.http.routes.spaces import SPACES
from pincite.surfaces.http.serving import Desk
from pincite.version import VERSION

_ABOUT = """Evidence that can be cited, for many users. Every request but `/healthz` and `/readyz`
has a key: `Authorization: Bearer pin_...`. What the key's user may not see is answered as what
there is not. Errors are `application/problem+json` with a stable `code`."""


@dataclass(frozen=True, slots=True)
class Names:
    """By which names clients may call the server: values of the header Host, and further values of
    Origin, complete and with their port."""

    hosts: Sequence[str]
    origins: Sequence[str] = ()


def make_app(desk: Desk, names: Names, limits: GuardLimits = GuardLimits()) -> App:
    """The ASGI application of what is open. It closes nothing."""
    registry = CollectorRegistry()
    asked = Counter("pincite_requests", "Requests.", ("operation", "status"), registry=registry)
    took = Histogram(
        "pincite_request_seconds", "Seconds of a request.", ("operation",), registry=registry
    )

    async def began(message: Message, scope: Scope) -> None:
        if message["type"] == "http.response.start":
            route = scope.get("route_handler")
            name = str(getattr(route, "operation_id", None) or "none")
            asked.labels(name, str(message["status"])).inc()
            took.labels(name).observe(time.perf_counter() - float(scope.get("began_s", 0.0)))  # type: ignore[arg-type]

    app = Litestar(
        [*QUESTIONS, *MODELS, *DOCUMENTS, *SPACES, *OPERATION],
        state=State({"desk": desk, "registry": registry}),
        exception_handlers={Exception: answer_error},
        before_send=[began],
        request_max_body_size=desk.limits.body_bytes,
        openapi_config=OpenAPIConfig(
            title="Pincite",
            version=VERSION,
            description=_ABOUT,
            path="/schema",
            render_plugins=[],
            components=Components(
                security_schemes={"key": SecurityScheme(type="http", scheme="bearer")}
            ),
            security=[{"key": []}],
        ),
        logging_config=None,
    )
    return Guard(cast("App", app), frozenset(names.hosts), frozenset(names.origins), limits)
