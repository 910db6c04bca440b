"""Who asks for a name that the index defines is never told that there is nothing."""

from __future__ import annotations

import asyncio

import pytest

from pincite.model import (
    DocumentRecord,
    EvidencePack,
    IndexedDocument,
    Point,
    Question,
    Scope,
    SourceType,
)
from pincite.ports import Searchable
from pincite.presets import PRESETS
from pincite.profile import Profile
from pincite.stages.gate import GateConfig, Thresholds
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.retrieve import RetrieveConfig, retrieve
from pincite.support.fields import replace
from tests.builders import chunk
from tests.small_search import TopicEncoder, ask, make

SURE = Thresholds(9.0, 8.0)  # nothing reaches it
STRICT = GateConfig(coverage_normalised=SURE, coverage_share=SURE, dense_cosine=SURE)
QUESTION = "zebra quantum rotate_key ferment"


async def filled(lexical: bool) -> Searchable:
    """Documentation that uses the name often, and one file far behind that defines it."""
    texts = {f"doc{n}": "rotate_key " * 9 + f"zebra quantum ferment {n}" for n in range(80)}
    one = await make(None if lexical else TopicEncoder(), texts)
    text = "def rotate_key(secret): " + "pass " * 300
    vector, length = one.sparse.encode_document(text, 10.0)
    row = None if one.dense is None else (await one.dense.embed_documents([text]))[0]
    defining = chunk(
        "keys.py", text=text, path="src/keys.py", source_type="code", symbols=("rotate_key",)
    )
    record = DocumentRecord("acme/docs", "src/keys.py", "r", "0" * 64, "c0ffee", 1, 1, 1, length)
    points = [Point(defining, vector, length, row)]
    await one.index.replace(one.spec.name, [IndexedDocument(record, points)])  # type: ignore[attr-defined]
    return replace(one, kinds=frozenset({"docs", "code"}))


def asked(profile: Profile, lexical: bool = False, scope: Scope | None = None) -> EvidencePack:
    strict = replace(profile, gate=STRICT)
    return ask(QUESTION, asyncio.run(filled(lexical)), profile=strict, scope=scope)


#: `notes` leaves the verdict to the threshold alone.
LIFTING = [name for name, profile in PRESETS.items() if profile.gate.defined]


@pytest.mark.parametrize("name", LIFTING)
@pytest.mark.parametrize("lexical", [False, True])
def test_a_name_that_the_index_defines_is_never_none(name: str, lexical: bool) -> None:
    assert {*PRESETS} - {*LIFTING} == {"notes"}
    pack = asked(PRESETS[name], lexical)
    if PRESETS[name].probe.enabled and not lexical:
        assert pack.verdict.level == "grounded"  # by the nearest chunk, and no gate is asked
        return
    assert pack.verdict.level == "weak"
    assert "rotate_key is defined in src/keys.py" in pack.verdict.reason
    assert pack.closest == ()


@pytest.mark.parametrize(
    "profile",
    [
        replace(Profile(), rank_code=replace(Profile().rank_code, enabled=False)),
        replace(Profile(), retrieve=RetrieveConfig(symbol_limit=0)),
        replace(Profile(), retrieve=RetrieveConfig(mode="keyword")),
    ],
)
def test_it_holds_with_the_ranking_of_code_off(profile: Profile) -> None:
    assert asked(profile).verdict.level == "weak"


def test_it_holds_within_a_filter_and_only_where_the_filter_lets_the_definition_pass() -> None:
    assert asked(Profile(), scope=Scope(paths=("src/*",))).verdict.level == "weak"
    assert asked(Profile(), scope=Scope(where="kind = 'code'")).verdict.level == "weak"
    outside = asked(Profile(), scope=Scope(paths=("doc*",)))
    assert outside.verdict.level == "none"
    assert outside.evidence == ()


def test_a_name_that_nothing_defines_is_looked_for_once_and_stays_none() -> None:
    one = asyncio.run(filled(lexical=True))
    pack = ask("zebra rotate_lock", one, profile=replace(Profile(), gate=STRICT))
    assert pack.verdict.level == "none"
    assert pack.plan.passes == ("first", "defining")
    prose = ask("zebra quantum", one, profile=replace(Profile(), gate=STRICT))
    assert prose.plan.passes == ("first",)


@pytest.mark.parametrize("lexical", [False, True])
def test_a_question_that_is_only_a_name_is_looked_up_beside_documentation(lexical: bool) -> None:
    one = asyncio.run(filled(lexical))
    docs_only = replace(one, kinds=frozenset[SourceType]({"docs"}))

    def defining(question: str, collection: Searchable, limit: int = 10) -> int:
        query = prepare(Question(question), PrepareConfig())
        config = RetrieveConfig(symbol_limit=limit)
        found = asyncio.run(retrieve(query, [collection], Scope(), config))
        return len(found.defining)

    assert defining("rotate_key", one) == 1
    assert defining("rotate_key", docs_only) == 0
    assert defining("rotate_key", one, limit=0) == 0
    assert defining("zebra rotate_key", one) == 0


def test_a_name_alone_that_the_first_passage_defines_is_grounded() -> None:
    profile = replace(Profile(), gate=STRICT)

    for text in ("rotate_key", "where is rotate_key defined?", "`keys.rotate_key()`"):
        pack = ask(text, asyncio.run(filled(False)), profile=profile)
        assert pack.verdict.level == "grounded", text
        assert "src/keys.py defines" in pack.verdict.reason
    for text in ("rotate_key zebra", "how does rotate_key work?", "vault.rotate_key"):
        assert ask(text, asyncio.run(filled(False)), profile=profile).verdict.level == "weak", text
