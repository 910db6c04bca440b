"""What a service was asked and answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a service and its answer, without texts, vectors and keys.

    `service` is a provider, a store, or `reranker` for what the stage of that name asks its
    reranker, which may take several requests to a provider. `what` is the path of the request, the
    collection, or the reranker. `items` and `tokens` are what was sent, as far as that is counted:
    texts, documents, and an estimate. `at_ms` counts from the beginning of the search. `status` is
    that of HTTP, 0 where there is none, `request_id` the provider's name for the request. `error`
    says what went wrong, with the class of the error first.
    """

    service: str
    what: str
    stage: str = ""
    items: int = 0
    tokens: int = 0
    at_ms: float = 0.0
    took_ms: float = 0.0
    status: int = 0
    request_id: str = ""
    asked: Mapping[str, Any] = field(default_factory=dict)
    answered: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
