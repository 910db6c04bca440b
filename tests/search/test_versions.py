"""Questions about a version, through a whole search."""

from __future__ import annotations

import asyncio

from pincite.ports import Text
from pincite.support.fields import replace
from tests.search.recording import Recording
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


def test_a_collection_of_another_program_is_not_searched_for_versions() -> None:
    """Its texts may have no index of words, so such a filter would read all of them."""
    asked = []
    for foreign in (False, True):
        there = asyncio.run(make(None, TEXTS))
        index = Recording(there.index)
        ask("which key was fixed in 3.1.3?", replace(there, index=index, foreign=foreign))
        filters = [one for request in index.searched for one in request.filter.must]
        asked.append(any(isinstance(one, Text) for one in filters))
    assert asked == [True, False]
