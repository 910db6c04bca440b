"""Spans by OpenTelemetry: the API creates them, the SDK sends them to a collector."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from pincite.errors import ConfigError
from pincite.ports.tracing import Span, SpanKind, Value, install, installed
from pincite.support.secrets import mask
from pincite.telemetry.counting import counts_of
from pincite.trace import Follower
from pincite.version import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.trace import Span as Recorded

log = logging.getLogger("pincite.telemetry")

INSTALL = "pip install 'pincite[otel]'"
_MOST_CHARS = 4_000  # of a text, if texts are sent
_SECRET_CHARS = 4_000  # so that no secret is cut before it is masked
_MS = 1_000_000


class _Span:
    """A `Span` that wraps one of OpenTelemetry."""

    def __init__(self, recorded: Recorded, *, texts: bool) -> None:
        self._recorded = recorded
        self.texts = texts and recorded.is_recording()

    def set(self, name: str, value: Value) -> None:
        """See `Span.set`. Texts are masked as in the retrieval log, and cut."""
        self._recorded.set_attribute(name, _shown(value))

    def rename(self, name: str) -> None:
        """See `Span.rename`."""
        self._recorded.update_name(name)

    def fail(self, kind: str) -> None:
        """See `Span.fail`."""
        from opentelemetry.trace import StatusCode

        self._recorded.set_attribute("error.type", kind)
        self._recorded.set_status(StatusCode.ERROR)


class OpenTelemetry:
    """Implements `Tracing` with a tracer provider."""

    def __init__(self, provider: Any, *, texts: bool = False) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._tracer = provider.get_tracer("pincite", VERSION)
        self._reader = TraceContextTextMapPropagator()
        self.texts = texts

    @contextmanager
    def span(
        self,
        name: str,
        attributes: Mapping[str, Value],
        kind: SpanKind,
        parent: str = "",
        *,
        current: bool = True,
    ) -> Iterator[Span]:
        """See `Tracing.span`. The message of an error is not recorded: it may quote a question or a
        path."""
        from opentelemetry.trace import SpanKind as Kind
        from opentelemetry.trace import use_span

        context = self._reader.extract({"traceparent": parent}) if parent else None
        recorded = self._tracer.start_span(name, context, Kind[kind.upper()], dict(attributes))
        made = _Span(recorded, texts=self.texts)
        with ExitStack() as stack:
            stack.callback(recorded.end)
            if current:
                stack.enter_context(
                    use_span(recorded, record_exception=False, set_status_on_exception=False)
                )
            try:
                yield made
            except GeneratorExit:
                raise  # the reader of an answer stopped early
            except BaseException as error:
                made.fail(type(error).__name__)
                raise

    @contextmanager
    def stages(self) -> Iterator[Follower | None]:
        """See `Tracing.stages`."""
        from opentelemetry.trace import get_current_span

        if not get_current_span().is_recording():
            yield None
            return
        follower = _Stages(self._tracer)
        try:
            yield follower
        except BaseException as error:
            follower.close(error)
            raise
        else:
            follower.close(None)

    def traceparent(self) -> str:
        """See `Tracing.traceparent`."""
        from opentelemetry.trace import get_current_span

        if not get_current_span().is_recording():
            return ""
        told: dict[str, str] = {}
        self._reader.inject(told)
        return told.get("traceparent", "")

    def past_stages(self, timings_ms: Mapping[str, float]) -> None:
        """See `Tracing.past_stages`."""
        at_ns = time.time_ns() - int(sum(timings_ms.values()) * _MS)
        for stage, took_ms in timings_ms.items():
            made = self._tracer.start_span(_name(stage), start_time=at_ns)
            at_ns += int(took_ms * _MS)
            made.end(at_ns)


class _Stages:
    """Follows the stages of a search. The name of a stage is known only when it ends. Its span
    begins before, so that its calls of models are below it."""

    def __init__(self, tracer: Any) -> None:
        self._tracer = tracer
        self._open: tuple[Any, Any] | None = None

    def begun(self) -> None:
        """See `Follower.begun`."""
        from opentelemetry.context import attach
        from opentelemetry.trace import set_span_in_context

        self._leave()
        made = self._tracer.start_span("pincite.stage")
        self._open = (made, attach(set_span_in_context(made)))

    def tapped(self, stage: str, value: object) -> None:
        """See `Follower.tapped`."""
        made = self._leave()
        if made is not None:
            made.update_name(_name(stage))
            for name, one in counts_of(value):
                made.set_attribute(name, one)
            made.end()
        self.begun()

    def close(self, error: BaseException | None) -> None:
        """End the search. A stage that ended with an error is kept, without its name; a span that
        began after the last stage is dropped."""
        made = self._leave()
        if made is not None and error is not None:
            _Span(made, texts=False).fail(type(error).__name__)
            made.end()

    def _leave(self) -> Any:
        from opentelemetry.context import detach

        if self._open is None:
            return None
        (made, token), self._open = self._open, None
        detach(token)
        return made


def is_there() -> bool:
    """Return whether the libraries of the extra are installed."""
    from importlib.util import find_spec

    try:
        return all(
            find_spec(name) is not None
            for name in ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")
        )
    except ModuleNotFoundError:
        return False


def join_process(*, texts: bool = False) -> None:
    """Send spans to the tracer provider of the host program, if it has one. Nothing is imported for
    that, and an installed tracing stays. But texts are sent only if all engines of the process
    allow it."""
    known = installed()
    if known is not None:
        if isinstance(known, OpenTelemetry) and not texts:
            known.texts = False
        return
    if "opentelemetry.sdk.trace" not in sys.modules:
        return
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    provider = trace.get_tracer_provider()
    if isinstance(provider, TracerProvider):
        install(OpenTelemetry(provider, texts=texts))


class Sending:
    """Sends spans of this process to a collector."""

    def __init__(self, provider: TracerProvider) -> None:
        self.provider = provider

    def close(self, limit_s: float) -> bool:
        """Send the remaining spans within `limit_s` seconds. Return False if that took too long:
        the rest is lost, and a thread that waits for the collector ends with the process."""
        install(None)
        thread = threading.Thread(target=self.provider.shutdown, daemon=True)
        thread.start()
        thread.join(limit_s)
        return not thread.is_alive()


def start_sending(
    environ: Mapping[str, str], *, texts: bool, processors: tuple[SpanProcessor, ...] = ()
) -> Sending:
    """Make spans of this process and send them according to the variables `OTEL_*`, or to
    `processors`. Raises ConfigError if the extra is missing, and for an unknown exporter or an
    invalid value of a variable."""
    if not is_there():
        raise ConfigError("tracing needs libraries that are not installed", hint=INSTALL)
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    try:
        known = dict(Resource.create({"service.version": VERSION}).attributes)
        if str(known.get("service.name", "unknown_service")).startswith("unknown_service"):
            known["service.name"] = "pincite"
        provider = TracerProvider(resource=Resource(known), shutdown_on_exit=False)
        for one in processors or _processors(environ):
            provider.add_span_processor(one)
    except (ValueError, TypeError, KeyError) as error:
        said = f"a variable of OpenTelemetry has an invalid value: {error}"
        raise ConfigError(said, hint="check the variables OTEL_* of this process") from error
    install(OpenTelemetry(provider, texts=texts))
    return Sending(provider)


def _processors(environ: Mapping[str, str]) -> Iterator[SpanProcessor]:
    from opentelemetry.sdk.trace.export import (
        BatchSpanProcessor,
        ConsoleSpanExporter,
        SimpleSpanProcessor,
    )

    named = environ.get("OTEL_TRACES_EXPORTER", "").strip() or "otlp"
    for name in dict.fromkeys(one.strip() for one in named.split(",")):
        if name == "console":
            yield SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr))
        elif name == "otlp":
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            _require_http(environ)
            yield BatchSpanProcessor(OTLPSpanExporter())
        elif name != "none":
            raise ConfigError(f"OTEL_TRACES_EXPORTER is {name!r}", hint="use otlp, console or none")


def _require_http(environ: Mapping[str, str]) -> None:
    for name in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        given = environ.get(name, "").strip()
        if given and given != "http/protobuf":
            raise ConfigError(
                f"{name} is {given!r}, but spans are sent as http/protobuf",
                hint=f"unset {name}, and use the HTTP port, usually 4318",
            )
        if given:
            return


def _name(stage: str) -> str:
    return f"pincite.stage.{stage}"


def _shown(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(_masked(one) for one in value)
    return _masked(value) if isinstance(value, str) else value


def _masked(text: str) -> str:
    """Mask, then cut: a part of a key would not be recognised."""
    return mask(text[: _MOST_CHARS + _SECRET_CHARS])[:_MOST_CHARS]
