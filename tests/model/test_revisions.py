"""Refs name revisions: whole, shortened, changed, or by content."""

from __future__ import annotations

import pytest

from pincite.model.revisions import content_ref, same_revision, short_ref

SHA = "0123456789abcdef0123456789abcdef01234567"
CONTENT = content_ref("fedcba9876543210" * 4)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SHA, SHA),
        (SHA, SHA[:7]),
        (f"{SHA}-dirty", f"{SHA[:12]}-dirty"),
        ("v1.2", "v1.2"),
        (CONTENT, CONTENT),
        (CONTENT, CONTENT[:-4]),
    ],
)
def test_these_are_the_same_revision(one: str, other: str) -> None:
    assert same_revision(one, other)
    assert same_revision(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SHA, f"{SHA}-dirty"),
        (SHA, SHA[:3]),
        (SHA, SHA[1:]),
        (SHA[:7], SHA[:12]),  # of which neither is whole
        ("v1", "v1.2"),
        ("2024", "20240101"),
        (CONTENT, CONTENT.removeprefix("sha256-")),
        (CONTENT, SHA),
        ("", ""),
        ("", SHA),
    ],
)
def test_these_are_not(one: str, other: str) -> None:
    assert not same_revision(one, other)
    assert not same_revision(other, one)


def test_a_commit_is_shortened_and_nothing_else() -> None:
    assert short_ref(SHA) == "0123456789ab"
    assert short_ref(f"{SHA}-dirty") == "0123456789ab-dirty"
    assert (short_ref("v1.2"), short_ref(CONTENT)) == ("v1.2", CONTENT)
