"""Arguments of the wrong kind are refused with what would be right, however odd they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from pincite.errors import UsageError
from pincite.support.arguments import locations_of, progress_of, require_choice, shown, texts_of
from pincite.support.fences import fence_for


class Silent:
    """Its representation is an error."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_a_text_is_one_and_never_a_sequence_of_letters() -> None:
    assert texts_of("paths", "src/*") == ("src/*",)
    assert texts_of("paths", ["src/*", "docs/*"]) == ("src/*", "docs/*")
    assert texts_of("paths", "") == ("",)


def test_a_path_of_any_kind_is_a_location() -> None:
    assert locations_of("locations", PurePosixPath("docs")) == (Path("docs"),)
    assert locations_of("locations", ["docs", Path("src")]) == ("docs", Path("src"))


@pytest.mark.parametrize("wrong", [b"a", bytearray(b"a"), {"a": 1}, 3, None, [b"a"], [["a"]]])
def test_what_is_no_text_is_wrong_usage(wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"^paths "):
        texts_of("paths", wrong)


def test_what_is_shown_of_a_value_is_short_and_on_one_line() -> None:
    assert len(shown("x" * 10_000)) < 80
    assert "\n" not in shown("a\nb")
    assert shown(Silent()) == "a Silent"


def test_a_choice_that_is_nearly_right_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        require_choice("kinds", "doc", ("docs", "code"))
    assert caught.value.hint == "kinds='docs'"
    with pytest.raises(UsageError, match="kinds is None; it takes one of 'docs', 'code'"):
        require_choice("kinds", None, ("docs", "code"))


def test_progress_is_told_to_a_function_or_to_nobody() -> None:
    heard: list[int] = []
    progress_of(heard.append)(3)
    assert heard == [3]
    nobody: Callable[[int], None] = progress_of(None)
    nobody(3)
    for wrong in (0, 5, "print"):
        with pytest.raises(UsageError, match=r"^progress is .*; it takes a function"):
            progress_of(wrong)  # type: ignore[arg-type]


def test_a_fence_is_longer_than_any_run_of_backticks() -> None:
    assert fence_for() == fence_for("a", "`", "``") == "```"
    assert fence_for("```", "a ````` b") == "``````"


def test_a_path_that_no_system_can_have_is_refused_by_name() -> None:
    for wrong in ("a\0b", "\ud800", Path("docs/\ud800")):
        with pytest.raises(UsageError, match=r"^locations has .* in it, which is not a valid path"):
            locations_of("locations", ["docs", wrong])
    assert locations_of("locations", "\udcff.md") == ("\udcff.md",)  # a name that is not UTF-8
