"""What watches a process from outside: spans of searches, index runs, requests and calls of models.

Nothing is watched until `install` is called. Then a span costs a comparison and an empty block.
Attributes hold counts, names of models, words of a fixed list and times. Texts, questions and paths
are set only where `texts` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Literal, Protocol

from pincite.trace import Follower

Value = str | bool | int | float | tuple[str, ...]
SpanKind = Literal["internal", "client", "server", "consumer"]
_NONE: Mapping[str, Value] = MappingProxyType({})
_NAME_CHARS = 200  # of a model: programs name theirs as they like


class Span(Protocol):
    """Something that goes on."""

    @property
    def texts(self) -> bool:
        """May questions and texts be set?"""

    def set(self, name: str, value: Value) -> None:
        """Set an attribute. One that is set again has the last value."""

    def rename(self, name: str) -> None:
        """Give it the name that is known only now."""

    def fail(self, kind: str) -> None:
        """Say that it failed, by the kind of the error. An error that leaves the block does so
        by itself, with the name of its class and not with its message."""


class Tracing(Protocol):
    """Makes spans. No method raises, whatever becomes of them."""

    def span(
        self,
        name: str,
        attributes: Mapping[str, Value],
        kind: SpanKind,
        parent: str = "",
        *,
        current: bool = True,
    ) -> AbstractContextManager[Span]:
        """A span that is the current one inside of the block, unless `current` is False, as in a
        generator, whose blocks may end in another task. `parent` is the value of a header
        `traceparent`; where it is empty or wrong, the parent is the current span, if there is
        one."""

    def stages(self) -> AbstractContextManager[Follower | None]:
        """What makes a span of each stage of a search, below the current span; None where that is
        not recorded."""

    def past_stages(self, timings_ms: Mapping[str, float]) -> None:
        """Spans of stages that have just ended, one after the other, below the current span."""


class _Unwatched:
    """The span of a process that nobody watches."""

    texts = False

    def __enter__(self) -> Span:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def set(self, name: str, value: Value) -> None:
        """Nothing."""

    def rename(self, name: str) -> None:
        """Nothing."""

    def fail(self, kind: str) -> None:
        """Nothing."""


_UNWATCHED = _Unwatched()
_installed: list[Tracing] = []  # none or one, of the whole process, as its exporter is


def install(tracing: Tracing | None) -> None:
    """From now on spans of this process are made by `tracing`, None for none."""
    _installed[:] = [] if tracing is None else [tracing]


def installed() -> Tracing | None:
    """What makes the spans of this process."""
    return _installed[0] if _installed else None


def span(
    name: str,
    attributes: Mapping[str, Value] = _NONE,
    kind: SpanKind = "internal",
    parent: str = "",
) -> AbstractContextManager[Span]:
    """A span; see `Tracing.span`."""
    if not _installed:
        return _UNWATCHED
    return _installed[0].span(name, attributes, kind, parent)


def model_call(
    operation: str, name: str, items: int, *, current: bool = True
) -> AbstractContextManager[Span]:
    """The span of a call of a model: `embeddings`, `rerank` or `chat`. `name` is `PROVIDER:MODEL`
    or a fingerprint that begins so. See `Tracing.span`."""
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
