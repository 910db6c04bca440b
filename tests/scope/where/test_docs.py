"""docs/filters.md says what the language does: its examples are parsed, its errors are raised."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.ports import EVERYTHING
from pincite.scope.where import parse_where, print_where
from pincite.scope.where.fields import FIELDS

PAGE = (Path(__file__).parents[3] / "docs/filters.md").read_text(encoding="utf-8")


def test_every_filter_of_the_page_says_something_and_can_be_printed() -> None:
    shown = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
    shown += re.findall(r"--where '([^']+)'", PAGE)
    assert len(shown) > 12
    for text in shown:
        filter_ = parse_where(text)
        assert filter_ != EVERYTHING
        assert parse_where(print_where(filter_)) == filter_


def test_every_error_of_the_page_is_the_one_that_is_raised() -> None:
    (block,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    lines = block.splitlines()
    assert len(lines) >= 10
    for text, message in zip(lines[::2], lines[1::2], strict=True):
        with pytest.raises(UsageError) as caught:
            parse_where(text, ours=True)
        assert caught.value.message == message.strip()


def test_what_a_program_quotes_reads_as_the_page_shows() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {}, "filters.md", None, 0)
    assert doctest.DocTestRunner().run(example) == (0, 3)


def test_all_fields_are_named() -> None:
    assert all(f"`{field}`" in PAGE for field in FIELDS)
