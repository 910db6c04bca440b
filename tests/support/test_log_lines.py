"""Messages of libraries are logged without the characters and the length that clients give them."""

from __future__ import annotations

import io
import logging
import sys

from pincite.support.log_lines import PlainMessages


def logged(message: str, *values: object, error: Exception | None = None) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(PlainMessages())
    info = (type(error), error, None) if error else None
    record = logging.LogRecord("lib", logging.ERROR, "x.py", 1, message, values, info)
    handler.handle(record)
    return stream.getvalue()


def test_a_message_is_one_short_line_without_controls() -> None:
    told = logged("Invalid header: %s", "a\x1b[31m\x9b\u202e\nERROR: b" + "c" * 5_000)
    assert told.startswith("Invalid header: a\\x1b[31m\\x9b\\u202e\\x0aERROR: bccc")
    assert told.endswith("c\u2026\n")
    assert len(told) < 600


def test_a_traceback_keeps_its_lines_and_loses_its_controls() -> None:
    told = logged("failed", error=ValueError("a\x1b[31m\nb"))
    assert told == "failed\nValueError: a\\x1b[31m\nb\n"


def test_a_traceback_that_another_handler_has_formatted_loses_its_controls_too() -> None:
    plain, filtered = io.StringIO(), io.StringIO()
    first, second = logging.StreamHandler(plain), logging.StreamHandler(filtered)
    second.addFilter(PlainMessages())
    error = ValueError("a\x1b[31m")
    record = logging.LogRecord("lib", 40, "x.py", 1, "failed", (), (ValueError, error, None))
    first.handle(record)
    second.handle(record)
    assert "\x1b" in plain.getvalue()
    assert filtered.getvalue() == "failed\nValueError: a\\x1b[31m\n"


def test_a_stack_loses_its_controls() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(PlainMessages())
    record = logging.LogRecord("lib", logging.ERROR, "x.py", 1, "failed", (), None)
    record.stack_info = "Stack:\n  a\x1b[31m"
    handler.handle(record)
    assert stream.getvalue() == "failed\nStack:\n  a\\x1b[31m\n"


class Odd:
    """An argument whose text fails, and says something to the terminal."""

    def __str__(self) -> str:
        raise ValueError("\x1b[31m")

    def __repr__(self) -> str:
        return "odd\x1b[31m"


class Mute(Odd):
    def __repr__(self) -> str:
        raise ValueError("\x1b[31m")


def test_a_wrong_call_of_a_logger_is_logged_without_controls() -> None:
    stderr, sys.stderr = sys.stderr, io.StringIO()
    try:
        told = logged("%d\x1b of %s", "a\x1b[31m", Odd())
        short = logged("%s and %s", "one")
        odd, mute = logged("%s", Odd()), logged("%s", Mute())
        printed = sys.stderr.getvalue()
    finally:
        sys.stderr = stderr
    assert printed == ""
    assert "'%d\\x1b of %s' with ('a\\x1b[31m', odd\\x1b[31m)" in told
    assert short == ("wrong call of a logger in x.py:1, TypeError: '%s and %s' with ('one',)\n")
    assert "ValueError: '%s' with (odd\\x1b[31m,)" in odd
    assert "ValueError: '%s' with <tuple>" in mute


def test_the_names_in_a_format_lose_their_controls() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(PlainMessages())
    handler.setFormatter(
        logging.Formatter("%(name)s %(threadName)s %(pathname)s %(filename)s %(funcName)s")
    )
    record = logging.LogRecord("lib\x1b[31m", 40, "p\x1b.py", 1, "m", (), None, "f\x1b")
    record.threadName = "client\n\x1b"
    handler.handle(record)
    assert stream.getvalue() == "lib\\x1b[31m client\\x0a\\x1b p\\x1b.py p\\x1b.py f\\x1b\n"
