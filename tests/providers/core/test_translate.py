"""Answers of a provider that are no success, as errors that say what to do."""

from __future__ import annotations

import pytest

from pincite.providers.translate import translate


@pytest.mark.parametrize("status", [429, 503])
def test_the_seconds_that_a_provider_asks_to_wait_are_told(status: int) -> None:
    error = translate(status, {"retry-after": "600"}, b'{"detail": "slow down"}', "acme")
    assert error.message == f"acme answered {status}: slow down (it asks to wait 600 s)"
    plain = translate(status, {}, b'{"detail": "slow down"}', "acme")
    assert plain.message == f"acme answered {status}: slow down"
