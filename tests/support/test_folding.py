"""Letters without their marks."""

from __future__ import annotations

import pytest

from pincite.support.folding import fold_marks, same_letters


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain", "plain"),
        ("façade łódź ørsted encyclopædia", "facade lodz orsted encyclopaedia"),
        ("ελλάδα", "ελλαδα"),
        ("ёлка й", "елка й"),
        ("הַמָּסִיק", "המסיק"),
        ("يُضاف", "يضاف"),
        ("हिन्दी", "हिन्दी"),
        ("", ""),
    ],
)
def test_marks_of_some_scripts_are_removed(text: str, folded: str) -> None:
    assert fold_marks(text) == folded


def test_spellings_that_look_alike_become_equal() -> None:
    assert same_letters("Größe") == "grosse"
    assert same_letters("Fac\u0327ADE") == same_letters("façade") == "facade"
    assert same_letters("co\u00adop\u200c") == "coop"
    assert same_letters("\ufb01le") == "file"
    assert same_letters("и\u0306") == "й"
