"""Refs name revisions: whole, shortened, changed, or by content."""

from __future__ import annotations

import pytest

from pincite.model.revisions import (
    content_digits,
    content_ref,
    dirty_ref,
    is_ambiguous,
    names_content,
    same_revision,
    short_ref,
)

SHA = "0123456789abcdef0123456789abcdef01234567"
HASH = "fedcba9876543210" * 4
CONTENT = content_ref(HASH)
DIRTY = dirty_ref(SHA, HASH)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SHA, SHA),
        (SHA, SHA[:7]),
        (DIRTY, DIRTY.replace(SHA, SHA[:12])),
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
        (SHA, DIRTY),
        (f"{SHA}-dirty", f"{SHA}-dirty"),  # of two contents, perhaps
        (f"{SHA}-dirty", f"{SHA[:12]}-dirty"),
        (DIRTY, f"{SHA}-dirty"),
        (DIRTY, dirty_ref(SHA, "0" * 64)),
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
    assert short_ref(DIRTY) == "0123456789ab-dirty-fedcba987654"
    assert short_ref(f"{SHA}-dirty") == "0123456789ab-dirty"
    assert (short_ref("v1.2"), short_ref(CONTENT)) == ("v1.2", CONTENT)


@pytest.mark.parametrize("ref", [CONTENT, CONTENT[:-4], DIRTY, DIRTY.replace(SHA, SHA[:12])])
def test_a_ref_of_a_file_itself_names_its_content(ref: str) -> None:
    assert content_digits(ref)
    assert names_content(ref, HASH)
    assert not names_content(ref, "0" * 64)
    assert not is_ambiguous(ref)


@pytest.mark.parametrize("ref", ["", SHA, "v1", f"{SHA}-dirty", "sha256-", f"{SHA}-dirty-"])
def test_others_name_none(ref: str) -> None:
    assert content_digits(ref) == ""
    assert not names_content(ref, HASH)
    assert is_ambiguous(ref) == ref.endswith("-dirty")
