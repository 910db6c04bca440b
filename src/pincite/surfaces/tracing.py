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
    """Within this, send spans as configured by settings and variables. At the end, the remaining
    ones are sent, for two seconds at most. Raises ConfigError if the settings ask for spans, but
    that is not possible. If only variables ask for them, which other programs may share, errors are
    reported to `say`, and nothing is sent."""
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
    """Silence the log of the PostgreSQL driver in this process. It has a line for each failed
    connection, with addresses and roles; errors of this package report such failures anyway."""
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)


def server_says(settings: Settings, say: Callable[[str], None]) -> Callable[[str], None]:
    """Return the function for a server's messages to its operator: `say`, or, for logs as JSON, one
    that logs them. This sets up the log."""
    if settings.logging.format != "json":
        return say
    from pincite.telemetry.lines import log_as_json

    log_as_json()
    return log.info
