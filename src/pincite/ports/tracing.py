"""Tracing of a process: spans of searches, index runs, requests and model calls.

Nothing is traced until `install` is called. Until then, a span costs a comparison and an empty
block. Attributes are counts, names of models, words of a fixed list and times. Texts, questions and
paths are set only if `texts` allows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, Protocol

from pincite.trace import Follower

if TYPE_CHECKING:
    from pincite.model import Vector
    from pincite.ports.encoders import DenseEncoder

Value = str | bool | int | float | tuple[str, ...]
SpanKind = Literal["internal", "client", "server", "consumer"]
_NONE: Mapping[str, Value] = MappingProxyType({})
_NAME_CHARS = 200  # of a model name, which programs can choose freely


class Span(Protocol):
    """An operation that is traced."""

    @property
    def texts(self) -> bool:
        """Whether questions and texts may be set as attributes."""

    def set(self, name: str, value: Value) -> None:
        """Set an attribute. The last value wins."""

    def rename(self, name: str) -> None:
        """Change the name of the span."""

    def fail(self, kind: str) -> None:
        """Mark the span as failed, with the kind of the error. An error that leaves the block does
        the same, with the name of its class and without its message."""


class Tracing(Protocol):
    """Creates spans. No method raises, even if spans are lost."""

    def span(
        self,
        name: str,
        attributes: Mapping[str, Value],
        kind: SpanKind,
        parent: str = "",
        *,
        current: bool = True,
    ) -> AbstractContextManager[Span]:
        """Return a span. It is the current one inside the block, unless `current` is False. Use
        False in generators, whose blocks may end in another task. `parent` is the value of a
        `traceparent` header. If it is empty or invalid, the parent is the current span, if any."""

    def stages(self) -> AbstractContextManager[Follower | None]:
        """Return a follower that creates a span for each stage of a search, below the current span;
        None if the current span is not recorded."""

    def traceparent(self) -> str:
        """Return the current span as the value of a `traceparent` header; empty if no recorded span
        is current."""

    def past_stages(self, timings_ms: Mapping[str, float]) -> None:
        """Add spans of stages that have just ended in sequence, below the current span."""


class _Unwatched:
    """The span of a process without tracing, which records nothing."""

    texts = False

    def __enter__(self) -> Span:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def set(self, name: str, value: Value) -> None:
        """Do nothing."""

    def rename(self, name: str) -> None:
        """Do nothing."""

    def fail(self, kind: str) -> None:
        """Do nothing."""


_UNWATCHED = _Unwatched()
_installed: list[Tracing] = []  # none or one for the whole process, like its exporter


def install(tracing: Tracing | None) -> None:
    """Let `tracing` create the spans of this process from now on; None stops the tracing."""
    _installed[:] = [] if tracing is None else [tracing]


def installed() -> Tracing | None:
    """Return the installed tracing of this process, None if there is none."""
    return _installed[0] if _installed else None


def traceparent() -> str:
    """Return the current span of this process; see `Tracing.traceparent`."""
    return _installed[0].traceparent() if _installed else ""


def span(
    name: str,
    attributes: Mapping[str, Value] = _NONE,
    kind: SpanKind = "internal",
    parent: str = "",
) -> AbstractContextManager[Span]:
    """Return a span; see `Tracing.span`."""
    if not _installed:
        return _UNWATCHED
    return _installed[0].span(name, attributes, kind, parent)


def model_call(
    operation: str, name: str, items: int, *, current: bool = True
) -> AbstractContextManager[Span]:
    """Return the span of a model call: `embeddings`, `rerank` or `chat`. `name` is `PROVIDER:MODEL`
    or a fingerprint that begins with it. See `Tracing.span`."""
    if not _installed:
        return _UNWATCHED
    shown = name[:_NAME_CHARS]
    provider, found, model = shown.partition(":")
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": provider if found else "pincite",
        "gen_ai.request.model": model or provider,
        "pincite.items": items,
    }
    named = f"{operation} {model or provider}"
    return _installed[0].span(named, attributes, "client", current=current)


async def embed_query(encoder: DenseEncoder, text: str) -> Vector:
    """Return the vector of a question, within the span of a model call. Raises the errors of
    `DenseEncoder.embed_query`."""
    with model_call("embeddings", encoder.fingerprint, 1):
        return await encoder.embed_query(text)
