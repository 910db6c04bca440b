"""The application: routes, errors, metrics, and the guard around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, cast

from litestar import Litestar
from litestar.datastructures import State
from litestar.openapi.spec import Reference, SecurityScheme
from litestar.types import Message, Scope

from pincite.surfaces.http.description import described
from pincite.surfaces.http.guard import Guard, GuardLimits
from pincite.surfaces.http.metrics import Metrics
from pincite.surfaces.http.parameters import require_known_parameters
from pincite.surfaces.http.problems import allow, answer_error
from pincite.surfaces.http.requests import App
from pincite.surfaces.http.resources import Resources
from pincite.surfaces.http.routes.conversations import CONVERSATIONS
from pincite.surfaces.http.routes.documents import DOCUMENTS
from pincite.surfaces.http.routes.facts import FACTS
from pincite.surfaces.http.routes.models import MODELS, TOOLS
from pincite.surfaces.http.routes.operation import KEYS, OPERATION
from pincite.surfaces.http.routes.page import PAGE
from pincite.surfaces.http.routes.questions import EVIDENCE, QUESTIONS
from pincite.surfaces.http.routes.spaces import FEEDS, SPACES
from pincite.surfaces.http.strict import StrictRequest

_API: Final = (
    *(QUESTIONS, EVIDENCE, CONVERSATIONS, FACTS, MODELS, TOOLS),
    *(DOCUMENTS, SPACES, FEEDS, KEYS, OPERATION),
)


@dataclass(frozen=True, slots=True)
class Names:
    """The names by which clients may call the server: values of the header Host, and further values
    of Origin, complete and with their port."""

    hosts: Sequence[str]
    origins: Sequence[str] = ()


def make_app(
    resources: Resources, names: Names, limits: GuardLimits = GuardLimits(), *, page: bool = True
) -> Guard:
    """Return the ASGI application over open resources, with the `page` at /ui. It closes
    nothing."""
    metrics = Metrics()

    schemes: dict[str, SecurityScheme | Reference] = {
        "key": SecurityScheme(type="http", scheme="bearer", description="a key, `pin_...`")
    }
    if resources.issuer is not None:
        schemes["token"] = SecurityScheme(
            type="openIdConnect", open_id_connect_url=resources.issuer.described_at
        )

    async def began(message: Message, scope: Scope) -> None:
        if message["type"] != "http.response.start":
            return
        if scope.get("method") == "OPTIONS" and message["status"] == 204:
            methods = allowed.get(str(scope.get("path_template")), "OPTIONS")
            others = [one for one in message["headers"] if one[0] != b"allow"]
            message["headers"] = [*others, (b"allow", methods.encode())]

    app = Litestar(
        [*_API, *(PAGE if page else ())],
        state=State(
            {
                "resources": resources,
                "metrics": metrics,
                "page": page,
                "description": cache(partial(described, _API, schemes)),
            }
        ),
        request_class=StrictRequest,
        exception_handlers={Exception: answer_error},
        guards=[require_known_parameters],
        before_send=[began],
        request_max_body_size=resources.limits.body_bytes,
        openapi_config=None,
        logging_config=None,
    )
    #: Litestar's own responses to OPTIONS have only the first method of each path.
    allowed = {one.path_format: allow(one.methods) for one in app.routes}
    hosts, origins = frozenset(names.hosts), frozenset(names.origins)
    return Guard(cast("App", app), hosts, origins, limits, metrics.answered)
