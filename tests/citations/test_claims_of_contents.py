"""Citations of files that were not committed stand for their content."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from pincite.citations.passage import Passage
from pincite.engine import AsyncPincite
from tests.citations.repository import Repository, repository
from tests.sources.helpers import commit

__all__ = ["repository"]


def passage_of(repository: Repository, locator: str) -> Passage:
    async def read() -> Passage:
        async with AsyncPincite(repository.settings) as engine:
            return await engine.get(locator)

    return asyncio.run(read())


def test_a_citation_of_an_uncommitted_file_stands_for_its_content(repository: Repository) -> None:
    uncommitted = "a walrus wakes\nand eats fish\n"
    repository.write("walrus.txt", uncommitted)
    repository.index()
    cited = passage_of(repository, "walrus.txt:1:2").citation
    assert f"{repository.sha}-dirty-" in cited
    assert repository.check(cited).status == "fresh"
    repository.write("walrus.txt", f"a new line\n{uncommitted}")
    followed = passage_of(repository, cited)  # the index has its text
    assert (followed.text, followed.start_line) == (uncommitted.rstrip("\n"), 2)
    assert repository.check(cited).status == "moved"
    repository.index()
    assert repository.check(cited).status == "unknown"
    said = "is not available: another text may be at this place now"
    assert passage_of(repository, cited).warning.endswith(said)
    assert repository.check(cited, "eats fish").status == "moved"
    repository.write("walrus.txt", uncommitted)
    commit(repository.place)
    assert repository.check(cited).status == "fresh"
    assert passage_of(repository, cited).warning == ""


def test_a_dirty_citation_of_an_earlier_version_is_held_against_its_quote_alone(
    repository: Repository,
) -> None:
    repository.write("walrus.txt", "a walrus wakes\nand eats fish\n")
    repository.index()
    cited = f"acme@{repository.sha}-dirty:walrus.txt#L1-L2"
    found = repository.check(cited)
    assert (found.status, "does not identify a content" in found.detail) == ("unknown", True)
    assert repository.check(cited, "eats fish").status == "fresh"
    assert "does not identify a content" in passage_of(repository, cited).warning


@pytest.mark.parametrize("ref", ["sha256-", "dirty"])
def test_a_file_that_was_never_committed_stays_deleted_when_the_index_knows(
    repository: Repository, ref: str
) -> None:
    text = "a walrus that nobody committed\nsleeps\n"
    repository.write("docs/other.md", text)
    repository.index()
    digits = hashlib.sha256(text.encode()).hexdigest()[:12]
    name = f"{ref}{digits}" if ref == "sha256-" else f"{repository.sha}-dirty-{digits}"
    cited = f"acme@{name}:docs/other.md#L1-L2"
    assert repository.check(cited).status == "fresh"
    (repository.place / "docs/other.md").unlink()
    before = repository.check(cited)
    repository.index()
    assert repository.check(cited) == before
    assert (before.status, before.detail) == ("deleted", "the file is gone")
    assert repository.check(f"acme@{repository.sha}-dirty:docs/other.md#L1").status == "deleted"
    assert repository.check(f"acme@{name}:.hidden/other.md#L1").status == "unknown"
    repository.write("docs/moved.md", text)
    moved = repository.check(cited)
    assert (moved.status, moved.path) == ("moved", "docs/moved.md")
