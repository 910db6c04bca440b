"""Telemetry of a command while it runs: spans, and the logs of servers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pincite.errors import ConfigError
from pincite.settings.load import Settings
from pincite.settings.otel import otel_variables, spans_wanted

log = logging.getLogger("pincite")
_FLUSH_S = 2.0  # the longest wait for a collector at the end of a command


@contextmanager
def watched(settings: Settings, say: Callable[[str], None]) -> Iterator[None]:
    """Send spans of the work in this block, as configured by settings and variables. At its end the
    rest is sent, for two seconds at most. Raises ConfigError if the settings ask for spans and
    libraries are missing. Errors in variables alone, which other programs may share, are reported
    to `say`, and nothing is sent."""
    quiet_drivers()
    named = spans_wanted()
    if named is False or not (named or settings.tracing.enabled):
        yield
        return
    from pincite.telemetry.spans import is_there, start_sending

    if not settings.tracing.enabled and not is_there():
        yield
        return
    try:
        sending = start_sending(otel_variables(), texts=settings.tracing.texts)
    except ConfigError as error:
        if settings.tracing.enabled:
            raise
        say(f"warning: spans are not sent: {error}")
        yield
        return
    logger = logging.getLogger("opentelemetry")
    quiet = logging.NullHandler()
    logger.addHandler(quiet)  # without a handler of ours, each retry would be printed on stderr
    try:
        yield
    finally:
        if not sending.close(_FLUSH_S):
            say(f"warning: the collector did not accept all spans within {_FLUSH_S:g} s")
        logger.removeHandler(quiet)


def quiet_drivers() -> None:
    """Silence the log of the PostgreSQL driver in this process: it has a line for each attempt to
    connect, with addresses and roles. Each failure is an error of this package, which is told."""
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)


def server_says(settings: Settings, say: Callable[[str], None]) -> Callable[[str], None]:
    """Return the function for a server's messages to its operator: `say`, or an event of its log,
    which is set up here."""
    if settings.logging.format != "json":
        return say
    from pincite.telemetry.lines import log_as_json

    log_as_json()
    return log.info
