"""Whatever is done to it, in whatever order, Qdrant Edge agrees with the exact store."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.stores.agreement import Agreement

TestAgreement = Agreement.TestCase
TestAgreement.settings = settings(
    max_examples=12,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
