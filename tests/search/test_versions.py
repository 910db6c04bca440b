"""Questions about a version, through a whole search."""

from __future__ import annotations

import asyncio

from tests.small_search import TopicEncoder, ask, make

TEXTS = {
    f"note{n}": f"The key and the secret of note {n} were fixed for 3.1.3, fixed again."
    for n in range(28)
} | {"CHANGES": "## 3.1.3\n\nInvoices have a column for the month, as many users wanted.\n"}


def test_the_section_of_the_version_is_loaded_and_comes_first() -> None:
    there = asyncio.run(make(TopicEncoder(), TEXTS))
    pack = ask("which secret of a key was fixed in 3.1.3?", there)
    assert pack.evidence[0].path == "CHANGES"
    assert ask("which secret of a key was fixed?", there).evidence[0].path != "CHANGES"


def test_a_version_that_does_not_exist_is_never_grounded() -> None:
    for encoder in (TopicEncoder(), None):
        there = asyncio.run(make(encoder, TEXTS))
        found = ask("which secret of a key was fixed in 3.1.3?", there)
        assert found.verdict.level != "none"
        missing = ask("which secret of a key was fixed in 3.9.9?", there)
        assert missing.verdict.level != "grounded"
