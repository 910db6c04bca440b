"""The tests that pages name as proof of what they say exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
_PROOF = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
PAGES = sorted(
    path.name
    for path in (ROOT / "docs").glob("*.md")
    if _PROOF.search(path.read_text(encoding="utf-8"))
)


def absent(text: str) -> list[str]:
    """The tests that a text names and that are not there."""
    return [
        f"{path}::{name}" if name else path
        for path, name in _PROOF.findall(text)
        if not (ROOT / path).is_file()
        or (name and f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("page", PAGES)
def test_each_test_that_a_page_names_exists(page: str) -> None:
    assert absent((ROOT / "docs" / page).read_text(encoding="utf-8")) == []


def test_a_test_that_does_not_exist_is_seen() -> None:
    here = "tests/test_proofs.py"
    assert absent(f"`{here}::absent_altogether`, `tests/none_such.py`, `{here}`") == [
        f"{here}::absent_altogether",
        "tests/none_such.py",
    ]


def test_every_claim_of_the_security_page_has_a_proof() -> None:
    text = (ROOT / "docs/security-proofs.md").read_text(encoding="utf-8")
    claims = text.split("\n- ")[1:]
    assert len(claims) >= 20
    assert [claim for claim in claims if not _PROOF.search(claim)] == []
