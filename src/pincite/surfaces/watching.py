"""What a command sends while it runs: spans, and what servers log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pincite.errors import ConfigError
from pincite.settings.load import Settings
from pincite.settings.otel import otel_variables, spans_wanted

log = logging.getLogger("pincite")
_FLUSH_S = 2.0  # what a command waits at its end for a collector


@contextmanager
def watched(settings: Settings, say: Callable[[str], None]) -> Iterator[None]:
    """Spans of what is done in this block are sent as settings and variables say. At its end the
    rest is sent, for two seconds at most. Raises ConfigError where the settings ask for spans and
    libraries are missing; what is wrong with variables alone, which belong to other programs as
    well, is told to `say` and nothing is sent."""
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
        say(f"warning: no spans are sent: {error}")
        yield
        return
    logger = logging.getLogger("opentelemetry")
    quiet = logging.NullHandler()
    logger.addHandler(quiet)  # without logs of ours, each try would be told on stderr
    try:
        yield
    finally:
        if not sending.close(_FLUSH_S):
            say(f"warning: the collector has not taken all spans within {_FLUSH_S:g} s")
        logger.removeHandler(quiet)


def server_says(settings: Settings, say: Callable[[str], None]) -> Callable[[str], None]:
    """How a server tells its operator something: by `say`, or as an event of its log, which is set
    up here."""
    if settings.logging.format != "json":
        return say
    from pincite.telemetry.lines import log_as_json

    log_as_json()
    return log.info
