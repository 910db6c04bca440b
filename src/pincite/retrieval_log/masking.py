"""Mask secrets in a logged question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from pincite.retrieval_log.event import Asked, Event
from pincite.support.decodable import ready
from pincite.support.fields import replace
from pincite.support.secrets import mask, may_hold_secrets, secrets_in

T = TypeVar("T")


def masked(event: Event) -> Event:
    """Return the event with all secrets masked in the caller's input and in the values derived from
    it: plan, verdict, warnings, error. A secret that was found in one place is masked in every
    other, too. The profile and content of the index stay unchanged."""
    asked = event.asked
    given = msgspec.to_builtins((asked.text, asked.scope, asked.options))
    made = msgspec.to_builtins((event.request, event.verdict, event.warnings, event.error))
    texts = tuple(_texts((given, made)))
    if not may_hold_secrets(texts):  # the usual case
        return event
    known = {secret for text in _texts(given) for secret in secrets_in(text)}
    if not any(mask(text, known) != text for text in texts):
        return event

    def clean(value: T) -> T:
        plain: T = msgspec.convert(
            _mapped(msgspec.to_builtins(value), lambda text: mask(text, known)), ready(type(value))
        )
        return plain

    return replace(
        event,
        asked=Asked(clean(asked.text), clean(asked.scope), asked.profile, clean(asked.options)),
        request=clean(event.request),
        verdict=event.verdict and clean(event.verdict),
        warnings=tuple(map(clean, event.warnings)),
        error=event.error and clean(event.error),
        masked=True,
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _mapped(one, change) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(one, change) for one in value]
    return value
