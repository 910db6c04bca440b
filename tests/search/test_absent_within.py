"""Words that documents of others have: for callers who are kept apart, the index lacks them."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from pincite.deps import Admission, Deps
from pincite.model import (
    DocumentRecord,
    EvidencePack,
    IndexedDocument,
    Point,
    Question,
    Scope,
)
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.scope.choosing import Admit
from pincite.search import search
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.builders import chunk
from tests.small_search import TEXTS, make

OTHERS = {"zoo": "Facebook opened a zoo in Kazakhstan with a rotating chameleon."}
MINE = Scope(bound_where="path in (keys, backups, billing)")
QUESTION = "how are keys of Facebook rotated in Kazakhstan?"


@dataclass
class Counting:
    """An index that counts requests for one hit."""

    index: Any
    asked: list[int] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    async def search(self, collection: str, request: Any) -> Any:
        if request.sparse_limit == 1:
            self.asked.append(len(request.sparse.indices))
        return await self.index.search(collection, request)


def filled() -> Searchable:
    async def made() -> Searchable:
        one = await make(None, TEXTS | OTHERS)
        spec = replace(one.spec, counted=True)
        await one.index.create(spec)  # type: ignore[attr-defined]
        return replace(one, spec=spec)

    return asyncio.run(made())


def ask(
    text: str,
    scope: Scope = MINE,
    one: Searchable | None = None,
    *,
    admit: Admit | None = None,
    budget_ms: float | None = None,
) -> EvidencePack:
    analyser = Bm25Encoder().analyser
    deps = Deps((one or filled(),), lambda t: frozenset(analyser.terms(t)), guess_language)
    question = Question(text, scope, budget_ms=budget_ms)
    return asyncio.run(search(question, deps.admitting(admit), Profile(), Trace(time.monotonic)))


def test_a_word_that_only_others_have_is_absent_and_lowers_the_verdict() -> None:
    assert ask(QUESTION, Scope()).absent_terms.index == ()
    pack = ask(QUESTION)
    assert pack.absent_terms.index == ("Facebook", "Kazakhstan")
    assert pack.verdict.level == "weak"
    assert "“Facebook”, “Kazakhstan” occur nowhere" in pack.verdict.reason


def test_a_word_that_a_document_within_the_filter_has_is_not() -> None:
    pack = ask("how are keys rotated without Invoices?")
    assert "Invoices" not in pack.absent_terms.index
    assert pack.verdict.level == "grounded"


def test_a_word_elsewhere_in_what_may_be_read_is_not_absent_from_a_part() -> None:
    """So it is for others, whose part of the index does not matter, either."""
    for scope in (Scope(), MINE):
        within = replace(scope, paths=("keys",), kinds=("docs",), where="path = keys")
        pack = ask("how are keys of Facebook rotated without Invoices?", within)
        assert pack.absent_terms.index == (() if scope == Scope() else ("Facebook",))


def test_a_spelling_that_only_others_have_is_no_slip() -> None:
    question = "how are keys of the chamleeon rotated at night?"
    own = Scope(bound_where="path in (keys, backups, billing, zoo)")
    verdicts = [ask(question, scope).verdict.level for scope in (MINE, own)]
    assert verdicts == ["weak", "grounded"]


def test_words_that_the_passages_have_are_not_looked_up() -> None:
    one = filled()
    index = Counting(one.index)
    ask("how are keys rotated with the new secret?", one=replace(one, index=index))
    assert index.asked == []
    ask(QUESTION, one=replace(one, index=index))
    assert index.asked == [1, 1]  # once for the verdict and the pack
    ask(QUESTION, Scope(), replace(one, index=index))
    assert index.asked == [1, 1]  # the search has counted them


async def _all(ids: frozenset[str]) -> frozenset[str]:
    return ids


BOUNDS = Scope(bounds={"path": ("keys", "backups", "billing")})


@pytest.mark.parametrize(
    ("scope", "admit", "known"),
    [
        (Scope(), _all, False),
        (MINE, _all, False),
        (BOUNDS, _all, False),
        (Scope(), Admission(_all), False),
        (BOUNDS, Admission(_all), True),
    ],
)
def test_if_documents_are_checked_only_bounds_of_a_workspace_are_known_to_leave_out_all_others(
    scope: Scope, admit: Admit, known: bool
) -> None:
    absent = ask(QUESTION, scope, admit=admit).absent_terms.index
    assert ("Facebook" in absent, "Kazakhstan" in absent) == (known, known)


def test_a_collection_that_does_not_count_its_terms_lacks_nothing() -> None:
    one = filled()
    assert (
        ask(QUESTION, one=replace(one, spec=replace(one.spec, counted=False))).absent_terms.index
        == ()
    )


def test_a_spent_budget_looks_nothing_up() -> None:
    one = filled()
    index = Counting(one.index)
    pack = ask(QUESTION, one=replace(one, index=index), budget_ms=0.001)
    assert index.asked == []
    assert pack.absent_terms.index == ()


async def _checked(hidden: int) -> Searchable:
    """Documents of the caller, and hits of others that rank below them and are not loaded."""
    one = await make(None, {})
    spec = replace(one.spec, attributes={"document_id": "keyword"})
    index: Any = one.index
    await index.create(spec)
    texts = {f"own{n}": "zebra zebra zebra" for n in range(24)}
    texts |= {f"zoo{n}": "zebra " + "beside other words " * 5 for n in range(hidden)}
    for path, text in texts.items():
        of: dict[str, Any] = {"attributes": {"document_id": path[:3]}}
        vector, length = one.sparse.encode_document(text, 10.0)
        record = DocumentRecord("acme", path, path, "0" * 64, "c0ffee", 1, 1, 1, length, **of)
        points = [Point(chunk(path, text=text, path=path, **of), vector, length, None)]
        await index.replace("main", [IndexedDocument(record, points)])
    return replace(one, spec=spec)


def test_the_counts_of_a_plan_are_of_admitted_documents_also_if_no_other_is_loaded() -> None:
    async def own(ids: frozenset[str]) -> frozenset[str]:
        return ids & {"own"}

    packs = [ask("zebra", Scope(), asyncio.run(_checked(n)), admit=own) for n in (0, 6)]
    assert len({tuple(one.plan.counts.items()) for one in packs}) == 1
