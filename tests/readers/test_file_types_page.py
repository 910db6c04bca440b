"""docs/sources.md lists exactly the file types that are read."""

from __future__ import annotations

import re
from pathlib import Path

from pincite.readers.languages import BY_NAME, BY_SUFFIX, file_type

PAGE = (Path(__file__).parents[2] / "docs/sources.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## File types\n")[2].partition("\n## ")[0]
CODE = next(line for line in SECTION.split("\n") if line.startswith("| `code` |"))
NAMES = SECTION.partition("| other names that are read |\n|---|\n")[2].partition("\n")[0]
ROW = re.compile(r"\| `(docs|data)` \| `(\w+)` \| (.*) \|")


def test_the_table_has_the_suffixes_of_each_language() -> None:
    said = {
        suffix: (language, source_type)
        for source_type, language, cells in ROW.findall(SECTION)
        for suffix in re.findall(r"`\.([^`]+)`", cells)
    }
    assert said == {
        suffix: (found.language, found.source_type)
        for suffix, found in BY_SUFFIX.items()
        if found.source_type != "code"
    }


def test_the_list_has_the_suffixes_of_code() -> None:
    said = re.findall(r"`\.([^`]+)`", CODE)
    assert said == sorted(name for name, found in BY_SUFFIX.items() if found.source_type == "code")


def test_the_names_are_those_that_are_read() -> None:
    said = re.findall(r"`([^`]+)`", NAMES)
    assert said == sorted(BY_NAME)
    assert file_type("a/Dockerfile.dev")
    assert file_type("a/README")
