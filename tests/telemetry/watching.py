"""A process that is watched, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from pincite.telemetry.spans import start_sending


@dataclass
class Seen:
    """What has been exported."""

    exporter: InMemorySpanExporter

    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [one for one in self.spans() if one.name == name]

    def one(self, name: str) -> ReadableSpan:
        (found,) = self.named(name)
        return found

    def children(self, span: ReadableSpan) -> list[ReadableSpan]:
        context = span.context
        return [
            one
            for one in self.spans()
            if one.parent and context and one.parent.span_id == context.span_id
        ]

    def all_said(self) -> str:
        """Everything that leaves the process."""
        return "\n".join(one.to_json() for one in self.spans())


@contextmanager
def watched(*, texts: bool = False) -> Iterator[Seen]:
    """All spans of this process, kept in memory."""
    exporter = InMemorySpanExporter()
    sending = start_sending({}, texts=texts, processors=(SimpleSpanProcessor(exporter),))
    try:
        yield Seen(exporter)
    finally:
        assert sending.close(5)
