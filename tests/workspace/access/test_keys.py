"""API keys: found by their prefix, matched by a salted hash."""

from __future__ import annotations

import pytest

from pincite.workspace.access.keys import make_key, matches, prefix_of


def test_a_key_is_found_by_its_prefix_and_matches_its_hash_alone() -> None:
    one, other = make_key(), make_key()
    assert prefix_of(one.text) == one.prefix != other.prefix
    assert matches(one.text, one.hash)
    assert not matches(one.text, other.hash)
    assert not matches(one.text[:-1], one.hash)


def test_the_secret_is_in_no_hash_and_no_representation() -> None:
    key = make_key()
    secret = key.text.split("_", 2)[2]
    assert secret not in key.hash
    assert secret not in repr(key)


@pytest.mark.parametrize(
    "text", ["", "pin_", "pin_x_y", "Bearer pin_00", "pin_" + "0" * 16 + "_" + "ä" * 43, "a" * 9999]
)
def test_what_has_not_the_form_of_a_key_has_no_prefix(text: str) -> None:
    assert prefix_of(text) is None


@pytest.mark.parametrize("hashed", ["", "$", "sha256$", "sha256$zz$00", "md5$00$00", "\udcff"])
def test_a_damaged_hash_matches_nothing(hashed: str) -> None:
    assert not matches(make_key().text, hashed)
