"""Logs as JSON: a line is an event, whatever it says."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.ports.tracing import span
from pincite.telemetry.lines import JsonLines, log_as_json
from tests.telemetry.watching import watched


def record(message: str, *args: object, **more: object) -> logging.LogRecord:
    made = logging.LogRecord("pincite.x", logging.WARNING, "f.py", 1, message, args, None)
    made.__dict__.update(more)
    return made


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    log_as_json(stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


@given(st.text(), st.dictionaries(st.text(), st.text() | st.integers() | st.floats()))
def test_every_record_is_one_line_of_printable_ascii(text: str, event: dict[str, object]) -> None:
    line = JsonLines().format(record("%s", text, event=event))
    assert line.isascii()
    assert line.isprintable()
    said = json.loads(line)
    assert said["level"] == "warning"
    assert said["logger"] == "pincite.x"


@given(st.text(max_size=3))
def test_control_characters_come_back_as_they_were(text: str) -> None:
    assert json.loads(JsonLines().format(record("a\x1b[2J\n%s", text)))["message"] == (
        f"a\x1b[2J\n{text}"
    )


def test_secrets_are_masked_in_messages_events_and_tracebacks(logged: io.StringIO) -> None:
    secret = "password=hunter22secret"
    log = logging.getLogger("pincite.some")
    try:
        raise ValueError(secret)
    except ValueError:
        log.exception("it failed: %s", secret, extra={"event": {"why": secret}})
    (line,) = logged.getvalue().splitlines()
    assert "hunter22" not in line
    assert json.loads(line)["error"] == "ValueError"


def test_an_event_cannot_replace_what_every_line_has() -> None:
    event = {"level": "debug", "message": "x", "trace_id": "y", "took_ms": 3}
    said = json.loads(JsonLines().format(record("real", event=event)))
    assert (said["level"], said["message"], said["took_ms"]) == ("warning", "real", 3)


def test_a_line_within_a_span_names_its_trace(logged: io.StringIO) -> None:
    with watched() as seen, span("x"):
        logging.getLogger("pincite.some").warning("inside")
    context = seen.one("x").context
    assert context is not None
    assert json.loads(logged.getvalue())["trace_id"] == format(context.trace_id, "032x")


def test_a_wrong_call_of_a_logger_and_numbers_that_json_has_not_are_lines_too() -> None:
    said = json.loads(JsonLines().format(record("%d items", "x")))
    assert "%d items" in said["message"]
    line = JsonLines().format(record("n", event={"a": float("nan"), "b": float("inf")}))
    assert "NaN" not in line
    assert "Infinity" not in line


def test_a_huge_message_is_cut() -> None:
    assert len(JsonLines().format(record("x " * 1_000_000))) < 100_000


def test_a_secret_that_the_cut_would_halve_is_masked_whole() -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    whole = len(json.loads(JsonLines().format(record("x" * 1_000_000)))["message"])
    for at in range(whole - 30, whole, 5):
        assert "AKIAIOSF" not in JsonLines().format(
            record(f"{'x ' * (at // 2)} {key} {'y ' * 9000}")
        )
