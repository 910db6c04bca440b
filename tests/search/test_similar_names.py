"""A mistyped name: the index has another one that is spelled like it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from pincite.errors import StoreError
from pincite.model import (
    DocumentRecord,
    EvidencePack,
    IndexedDocument,
    Point,
    Scope,
)
from pincite.model.prompt import opening
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.stages.gate import GateConfig, Thresholds
from pincite.stages.similar_names import similar_name
from pincite.support.fields import replace
from pincite.support.spellings import one_edit
from pincite.trace import Trace
from tests.builders import candidate, chunk
from tests.small_search import TEXTS, ask, make
from tests.time_limits import HANGS_S

DEFINED = {
    "simple.py": "SimpleQueue",
    "lib/pool.py": "ConnectionPool",
    "lib/match.py": "AnyMatches",
    "lib/tags.py": "albums_in_dir",
    "lib/own.py": "Zebra",
}
SURE = Thresholds(9.0, 8.0)  # nothing reaches it
STRICT = replace(Profile(), gate=GateConfig(coverage_normalised=SURE, coverage_share=SURE))


async def _filled() -> Searchable:
    one = await make(None, TEXTS)
    points = {}
    for path, name in DEFINED.items():
        text = f"class {name}: pass"
        vector, length = one.sparse.encode_document(text, 10.0)
        defining = chunk(path, text=text, path=path, source_type="code", symbols=(name,))
        record = DocumentRecord("acme/docs", path, path, "0" * 64, "c0ffee", 1, 1, 1, length)
        points[path] = IndexedDocument(record, [Point(defining, vector, length, None)])
    await one.index.replace(one.spec.name, list(points.values()))  # type: ignore[attr-defined]
    return replace(one, kinds=frozenset({"docs", "code"}))


def filled() -> Searchable:
    return asyncio.run(_filled())


def said(pack: EvidencePack) -> list[str]:
    return [one.message for one in pack.warnings if one.code == "similar_name"]


@pytest.mark.parametrize(
    ("question", "name", "meant"),
    [
        ("SimpelQueue", "SimpelQueue", "SimpleQueue"),
        ("SmpleQueue", "SmpleQueue", "SimpleQueue"),
        ("is a SimpelQueue there?", "SimpelQueue", "SimpleQueue"),
        ("AnyMtches", "AnyMtches", "AnyMatches"),  # it has no word of the index
        ("albms_in_dir", "albms_in_dir", "albums_in_dir"),
        ("ConnctoinPool", "ConnctoinPool", "ConnectionPool"),  # two edits
        ("Zerba", "Zerba", "Zebra"),  # one edit of a short name is less similar than others
    ],
)
def test_a_name_that_is_spelled_like_it_is_suggested_and_not_searched(
    question: str, name: str, meant: str
) -> None:
    pack = ask(question, filled())
    assert said(pack) == [f"nothing that is indexed has {name}; did you mean {meant}?"]
    assert pack.absent_terms.index == (name,)
    assert pack.query == question
    assert any(f"did you mean {meant}?" in line for line in opening(pack, 2_000))


@pytest.mark.parametrize(
    "question", ["SimpleQueue", "Kazakhstan", "KafkaBroker", "Zebr", "how are zebrras fed?", "lru"]
)
def test_names_that_are_there_and_words_unlike_any_get_no_suggestion(question: str) -> None:
    assert said(ask(question, filled())) == []


def test_only_names_within_the_scope_are_suggested() -> None:
    inside, outside = Scope(paths=("lib",)), Scope(paths=("simple.py",))
    assert said(ask("AnyMtches", filled(), scope=inside))
    assert said(ask("AnyMtches", filled(), scope=outside)) == []


def test_whoever_is_kept_apart_gets_no_suggestion() -> None:
    """Neither from own documents nor from those of others: absent words are not named, either."""

    async def with_attributes() -> Searchable:
        one = await _filled()
        spec = replace(one.spec, attributes={"course": "keyword"}, require=("course",))
        await one.index.create(spec)  # type: ignore[attr-defined]
        return replace(one, spec=spec)

    one = asyncio.run(with_attributes())
    index = Asking(one.index)
    scope = Scope(tags={"course": "ours"})
    pack = ask("AnyMtches", replace(one, index=index), scope=scope)
    assert said(pack) == []
    assert index.asked == []
    assert said(ask("AnyMtches", filled()))  # for others, there is one


@dataclass
class Asking:
    """An index that counts requests with a filter on symbols, and may fail or hang for them.
    `most` is the number of such requests at once, `waited` how long each one was waited for, in
    seconds."""

    index: Any
    fails: bool = False
    hangs: bool = False
    asked: list[int] = field(default_factory=list)
    now: int = 0
    most: int = 0
    waited: list[float] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    async def search(self, collection: str, request: Any) -> Any:
        values = [getattr(one, "values", ()) for one in request.filter.must]
        most = max((len(one) for one in values if not isinstance(one, str)), default=0)
        if most > 50:
            self.asked.append(most)
            if self.fails:
                raise StoreError("broken")
            if self.hangs:
                self.now += 1
                self.most = max(self.most, self.now)
                begun = time.monotonic()
                try:
                    await asyncio.sleep(HANGS_S)
                finally:
                    self.now -= 1
                    self.waited.append(time.monotonic() - begun)
        return await self.index.search(collection, request)


def test_spellings_are_looked_up_only_for_a_name_that_is_not_there() -> None:
    one = filled()
    index = Asking(one.index)
    watched = replace(one, index=index)
    ask("SimpleQueue", watched)
    ask("how are keys rotated?", watched)
    ask("AnyMtches" * 5, watched)  # too long
    assert index.asked == []
    ask("AnyMtches", watched)
    assert len(index.asked) == 1
    assert index.asked[0] < 2_000


def test_a_store_that_fails_leaves_the_search_as_it_is() -> None:
    one = filled()
    index = Asking(one.index, fails=True)
    pack = ask("AnyMtches", replace(one, index=index))
    assert index.asked
    assert said(pack) == []
    assert pack.absent_terms.index == ("AnyMtches",)


def test_a_hostile_passage_takes_little_time() -> None:
    names = tuple(f"{'abcdefgh' * 6}{n:05}" for n in range(50_000))
    hostile = [candidate("a", text="x" * 100_000 + " " + "ab_" * 30_000, symbols=names)]
    begun = time.process_time()
    similar_name("abcdefgh" * 6, hostile * 200)
    assert time.process_time() - begun < 3


def test_one_edit_has_every_kind_of_slip_and_not_the_word() -> None:
    found = one_edit("queue", "abe")
    assert {"qeue", "qeuue", "queeue", "quebe", "queueb"} <= found
    assert "queue" not in found
    assert all(word.startswith("q") for word in found)
    assert len(one_edit("a" * 32, "abcdefghijklmnopqrstuvwxyz_")) < 33 * 56


@pytest.mark.parametrize(("name", "other"), [("OpenAI", "open"), ("start_tls", "starts")])
def test_a_name_that_shares_a_word_only_is_not_similar(name: str, other: str) -> None:
    assert similar_name(name, [candidate("a", text=f"{other} it", symbols=(other,))]) == ""


def test_two_names_are_looked_up_at_once_and_not_for_long() -> None:
    one = filled()
    index = Asking(one.index, hangs=True)
    pack = ask("SimpelQueue or AnyMtches", replace(one, index=index))
    assert len(index.asked) == 2
    assert index.most == 2
    assert pack.absent_terms.index == ("SimpelQueue", "AnyMtches")


def test_a_look_up_ends_with_the_time_budget() -> None:
    """Without one, it ends after half a second."""
    index = Asking(filled().index, hangs=True)
    watched = replace(filled(), index=index)
    for budget_ms in (1.0, 1.0, 1.0, None):  # the first may wait for a busy machine
        standing = Trace(lambda: 0.0)  # no other step uses up the budget
        assert said(ask("AnyMtches", watched, budget_ms=budget_ms, trace=standing)) == []
    *hurried, usual = index.waited
    assert min(hurried) < 0.4 < usual


@pytest.mark.parametrize(
    ("question", "name", "meant"),
    [
        ("AnyMtches", "AnyMtches", "AnyMatches"),
        ("`AnyMtches`?", "AnyMtches", "AnyMatches"),
        ("where is albms_in_dir defined?", "albms_in_dir", "albums_in_dir"),
        ("where is Zebrra defined?", "Zebrra", "Zebra"),
        ("Tags.albms_in_dir", "albms_in_dir", "albums_in_dir"),
        ("Anyatches", "Anyatches", "AnyMatches"),  # its capital is lost
        ("SmpleQueue", "SmpleQueue", "SimpleQueue"),
    ],
)
def test_the_definition_of_a_mistyped_name_is_shown_as_weak_evidence(
    question: str, name: str, meant: str
) -> None:
    pack = ask(question, filled(), profile=STRICT)
    assert [one.symbols for one in pack.evidence] == [(meant,)]
    assert pack.verdict.level == "weak"
    path = pack.evidence[0].path
    said_so = f"Nothing that is indexed has {name}. But {path} defines {meant}, spelled like it."
    assert pack.verdict.reason == said_so
    assert said(pack) == [f"nothing that is indexed has {name}; did you mean {meant}?"]
    assert name in pack.absent_terms.index
    assert pack.closest == ()


@pytest.mark.parametrize(
    "question",
    [
        "AnyMtches of KafkaBroker",  # another name
        "AnyMatches2",  # another number
        "set_pool",  # its words are known
        "ConnctoinPool",  # two edits
        "KafkaBroker",
    ],
)
def test_another_name_and_a_name_among_others_show_no_definition(question: str) -> None:
    async def with_words() -> Searchable:
        one = await _filled()
        for path, name in (("lib/get.py", "get_pool"), ("lib/put.py", "set_it")):
            vector, length = one.sparse.encode_document(f"def {name}(): pass", 10.0)
            held = chunk(path, text=f"def {name}()", path=path, source_type="code", symbols=(name,))
            record = DocumentRecord("acme/docs", path, path, "0" * 64, "c0ffee", 1, 1, 1, length)
            points = [Point(held, vector, length, None)]
            await one.index.replace(one.spec.name, [IndexedDocument(record, points)])  # type: ignore[attr-defined]
        return one

    pack = ask(question, asyncio.run(with_words()), profile=STRICT)
    assert pack.verdict.level == "none"
    assert pack.evidence == ()


def test_no_definition_is_shown_where_names_do_not_lift_the_verdict() -> None:
    alone = replace(STRICT, gate=replace(STRICT.gate, defined=False))
    pack = ask("AnyMtches", filled(), profile=alone)
    assert (pack.verdict.level, pack.evidence) == ("none", ())
    assert said(pack)


def test_passages_that_are_shown_anyway_follow_the_definition() -> None:
    kept = replace(STRICT, select=replace(STRICT.select, on_none="keep"))
    pack = ask("SmpleQueue", filled(), profile=kept)
    assert pack.evidence[0].symbols == ("SimpleQueue",)
    assert pack.verdict.level == "weak"


def test_no_spelling_is_looked_up_twice_nor_after_the_time_budget() -> None:
    index = Asking(filled().index)
    ask("AnyMtches", replace(filled(), index=index), profile=STRICT)
    assert len(index.asked) == 1
    late = ask("AnyMtches", replace(filled(), index=index), profile=STRICT, budget_ms=1)
    assert len(index.asked) == 1
    assert late.verdict.level == "none"


def test_a_word_that_the_shown_definition_contains_is_still_absent_from_the_index() -> None:
    pack = ask("ConnectionPoo", filled(), profile=STRICT)
    assert [one.symbols for one in pack.evidence] == [("ConnectionPool",)]
    assert pack.absent_terms.index == ("ConnectionPoo",)


async def _with(*passages: tuple[str, tuple[str, ...]]) -> Searchable:
    """The collection with passages of code more: their paths and the names that they define."""
    one = await _filled()
    for path, names in passages:
        text = "\n".join(f"def {name}(): pass" for name in names)
        vector, length = one.sparse.encode_document(text, 10.0)
        held = chunk(path, text=text, path=path, source_type="code", symbols=names)
        record = DocumentRecord("acme/docs", path, path, "0" * 64, "c0ffee", 1, 1, 1, length)
        points = [Point(held, vector, length, None)]
        await one.index.replace(one.spec.name, [IndexedDocument(record, points)])  # type: ignore[attr-defined]
    return one


@pytest.mark.parametrize("most", [0, 1, 3])
def test_as_many_definitions_are_shown_as_of_a_name_that_is_there(most: int) -> None:
    several = asyncio.run(_with(*((f"lib/{n}.py", ("load_kiwis",)) for n in range(4))))
    ranking = replace(STRICT.rank_code, defined_first=most)
    pack = ask("load_kiwus", several, profile=replace(STRICT, rank_code=ranking))
    assert len([one for one in pack.evidence if one.symbols == ("load_kiwis",)]) == most
    assert pack.verdict.level == ("weak" if most else "none")
    assert said(pack)


def test_what_has_become_of_another_revision_is_not_suggested_within_the_old_one() -> None:
    """The definition is replaced after the scope has been read."""

    class Replacing(Asking):
        async def search(self, collection: str, request: Any) -> Any:
            if any(len(getattr(one, "values", ())) > 50 for one in request.filter.must):
                vector, length = Bm25Encoder().encode_document("class AnyMatches: pass", 10.0)
                path, ref = "lib/match.py", "beef"
                held = chunk(
                    *("new",), text="AnyMatches", path=path, ref=ref, symbols=("AnyMatches",)
                )
                record = DocumentRecord("acme/docs", path, "r2", "1" * 64, ref, 2, 1, 1, length)
                points = [Point(held, vector, length, None)]
                await self.index.replace(collection, [IndexedDocument(record, points)])
            return await super().search(collection, request)

    scope = Scope(ref="c0ffee")
    assert said(ask("AnyMtches", filled(), scope=scope))
    index = Replacing(filled().index)
    assert said(ask("AnyMtches", replace(filled(), index=index), scope=scope)) == []
    assert index.asked


@pytest.mark.parametrize(
    ("question", "level", "absent"),
    [
        ("what is albums_in_dir set to?", "grounded", ()),
        ("subclasses of AnyMatches", "grounded", ()),
        ("usages of albums_in_dir", "grounded", ()),
        ("the set of albums_in_dir", "weak", ("set",)),
    ],
)
def test_words_that_ask_for_the_value_or_the_uses_of_a_name_do_not_count(
    question: str, level: str, absent: tuple[str, ...]
) -> None:
    profile = replace(Profile(), gate=GateConfig(absent_share=0.9))
    pack = ask(question, filled(), profile=profile)
    assert (pack.verdict.level, pack.absent_terms.index) == (level, absent)
