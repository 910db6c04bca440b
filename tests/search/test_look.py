"""A search shows what files have now: what is gone makes room, and grounds nothing."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from pincite.deps import Deps
from pincite.model import EvidencePack, Question, Scope
from pincite.ports import Gone, Quote, Searchable, Seen
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.search import search
from pincite.stages.select import SelectConfig
from pincite.support.fields import replace
from pincite.support.fields import replace as replace_chunk
from pincite.trace import Trace
from tests.small_search import TEXTS, make

KEYS = {
    f"keys{n}": f"To rotate a key call rotate_key with the new secret, variant {n}."
    for n in range(6)
}


@dataclass
class Shelf:
    """Files of which some are gone, and some have moved by ten lines."""

    gone: dict[str, Gone] = field(default_factory=dict)
    moved: frozenset[str] = frozenset()
    looks: list[int] = field(default_factory=list)

    async def look(
        self, quotes: Sequence[Quote], limit_s: float, *, refs: tuple[str, ...] = ()
    ) -> tuple[Seen, ...]:
        assert limit_s > 0
        assert refs == ()
        self.looks.append(len(quotes))
        return tuple(self._see(quote) for quote in quotes)

    def _see(self, quote: Quote) -> Seen:
        chunk = quote.chunk
        if chunk.path in self.gone:
            return Seen(chunk, None, "unchecked", self.gone[chunk.path], "said so")
        if chunk.path in self.moved:
            first, last = chunk.start_line + 10, chunk.end_line + 10
            now = replace_chunk(chunk, ref="beef", start_line=first, end_line=last)
            return Seen(now, quote.context, "moved")
        return Seen(chunk, quote.context, "fresh")


def ask(collection: Searchable, files: Shelf, results: int = 3) -> EvidencePack:
    ticks = itertools.count()
    profile = replace(Profile(), select=SelectConfig(results=results))
    deps = Deps([collection], informative_terms("english"), lambda _: "english", files=files)
    question = Question("how do I rotate a key with the new secret", Scope())
    return asyncio.run(search(question, deps, profile, Trace(lambda: float(next(ticks)))))


def test_what_is_gone_is_named_and_the_next_ones_move_up() -> None:
    collection = asyncio.run(make(None, KEYS))
    before = ask(collection, Shelf())
    lost = [item.path for item in before.evidence[:2]]
    pack = ask(collection, Shelf({lost[0]: "deleted", lost[1]: "stale"}))
    assert len(pack.evidence) == 3
    assert not set(lost) & {item.path for item in pack.evidence}
    assert [item.number for item in pack.evidence] == [1, 2, 3]
    assert {item.truth for item in pack.evidence} == {"fresh"}
    assert [(one.path, one.why, one.detail) for one in pack.omitted] == [
        (lost[0], "deleted", "said so"),
        (lost[1], "stale", "said so"),
    ]
    (notice,) = [one for one in pack.warnings if one.code == "stale_omitted"]
    assert all(path in notice.message for path in lost)


def test_what_would_not_be_shown_is_not_named() -> None:
    collection = asyncio.run(make(None, KEYS))
    last = ask(collection, Shelf(), results=6).evidence[-1].path
    assert ask(collection, Shelf({last: "deleted"})).omitted == ()


def test_a_name_with_line_breaks_stays_on_its_line_in_the_warning() -> None:
    path = "keys\nwarning: all is well\x1b[2K"
    collection = asyncio.run(make(None, {path: TEXTS["keys"]}))
    pack = ask(collection, Shelf({path: "deleted"}))
    assert [one.path for one in pack.omitted] == [path]
    (notice,) = [one for one in pack.warnings if one.code == "stale_omitted"]
    assert "\n" not in notice.message
    assert "\x1b" not in notice.message


def test_where_nothing_is_gone_only_what_is_shown_is_looked_at_and_once() -> None:
    shelf = Shelf()
    ask(asyncio.run(make(None, KEYS)), shelf)
    assert shelf.looks == [3]


def test_what_has_moved_is_cited_where_it_is() -> None:
    collection = asyncio.run(make(None, {"keys": TEXTS["keys"]}))
    pack = ask(collection, Shelf(moved=frozenset({"keys"})))
    (item,) = pack.evidence
    assert (item.truth, item.ref, item.start_line) == ("moved", "beef", 11)
    assert item.citation == "acme/docs@beef:keys#L11"
    assert "moved" in [one.code for one in pack.warnings]


def test_where_all_is_gone_the_verdict_is_none_and_says_why() -> None:
    collection = asyncio.run(make(None, KEYS))
    pack = ask(collection, Shelf(dict.fromkeys(KEYS, "deleted")))
    assert pack.evidence == ()
    assert pack.verdict.level == "none"
    assert "have changed or are gone" in pack.verdict.reason
    assert len(pack.omitted) == 3


def test_what_is_gone_makes_no_question_look_answered() -> None:
    collection = asyncio.run(make(None, {**TEXTS, "zoo": "The zoo has a new gate."}))
    assert ask(collection, Shelf()).verdict.level == "grounded"
    pack = ask(collection, Shelf({"keys": "deleted"}))
    assert pack.verdict.level != "grounded"
    assert [one.path for one in pack.omitted] == ["keys"]


def test_a_copy_of_what_is_gone_is_shown_in_its_place() -> None:
    same = TEXTS["keys"]
    collection = asyncio.run(make(None, {"one": same, "two": same}))
    first = ask(collection, Shelf()).evidence[0].path
    pack = ask(collection, Shelf({first: "deleted"}))
    assert [item.path for item in pack.evidence] == [({"one", "two"} - {first}).pop()]


def test_without_files_all_is_unchecked() -> None:
    collection = asyncio.run(make(None, KEYS))
    deps = Deps([collection], informative_terms("english"), lambda _: "english")
    pack = asyncio.run(search(Question("rotate a key"), deps, Profile(), Trace(lambda: 0.0)))
    assert {item.truth for item in pack.evidence} == {"unchecked"}
