"""Warnings, and the reason of an empty result, through frameworks that take lists of passages."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import dspy
import pytest
from haystack import Pipeline

from pincite import Pincite
from pincite.surfaces.frameworks import dspy as our_dspy
from pincite.surfaces.frameworks import haystack as our_haystack
from pincite.surfaces.frameworks import langchain as our_langchain
from pincite.surfaces.frameworks import llamaindex as our_llamaindex
from tests.surfaces.frameworks.conftest import Opened

QUESTION = "how is a key rotated?"
OFF_TOPIC = "zebra quantum ferment"
NOWHERE = "path ^= nowhere/"
LOG = "pincite.surfaces.frameworks.evidence_source"
NOTHING_SEARCHED = "Nothing that is indexed is within the filter."


def test_each_passage_has_the_warnings_and_the_reason(index: Path, opened: Opened) -> None:
    with Pincite(index) as pincite:
        pack = pincite.search(QUESTION)
    expected = [f"{one.code}: {one.message}" for one in pack.warnings]
    assert [one.partition(": ")[0] for one in expected] == ["lexical_only"]
    documents = opened(our_langchain.PinciteRetriever(index=index)).invoke(QUESTION)
    nodes = opened(our_llamaindex.PinciteRetriever(index)).retrieve(QUESTION)
    found = opened(our_haystack.PinciteRetriever(index)).run(QUESTION)
    passages = opened(our_dspy.PinciteRetriever(index))(QUESTION)
    held: list[dict[str, Any]] = [one.metadata for one in documents]
    held += [one.node.metadata for one in nodes]
    held += [one.meta for one in found["documents"]]
    held += passages.metadata
    assert {tuple(one["search_warnings"]) for one in held} == {tuple(expected)}
    (reason,) = {one["verdict_reason"] for one in held}
    assert reason.startswith(pack.verdict.reason)
    assert found["warnings"] == passages.warnings == expected
    assert found["reason"] == passages.reason == reason


@pytest.mark.parametrize(
    ("query", "where", "reason", "code"),
    [
        (QUESTION, NOWHERE, NOTHING_SEARCHED, "nothing_in_scope"),
        (OFF_TOPIC, "", "Nothing was found.", "lexical_only"),
    ],
)
def test_an_empty_result_has_its_reason(
    index: Path, opened: Opened, query: str, where: str, reason: str, code: str
) -> None:
    found = opened(our_haystack.PinciteRetriever(index)).run(query, where=where)
    retrieve = opened(our_dspy.PinciteRetriever(index))
    passages = retrieve(query, where=where)
    assert found["documents"] == passages.passages == []
    assert found["verdict"] == passages.verdict == "none"
    for said in (found["reason"], passages.reason):
        assert said.startswith(reason)
    for warnings in (found["warnings"], passages.warnings):
        assert [one.partition(": ")[0] for one in warnings] == [code]

    langchain = opened(our_langchain.PinciteRetriever(index=index))
    llama = opened(our_llamaindex.PinciteRetriever(index))
    packs = [langchain.evidence(query, where=where), llama.evidence(query, where=where)]
    packs.append(asyncio.run(langchain.aevidence(query, where=where)))
    packs.append(asyncio.run(llama.aevidence(query, where=where)))
    for pack in packs:
        assert our_langchain.documents_of(pack) == []
        assert our_llamaindex.nodes_of(pack) == []
        assert [one.code for one in pack.warnings] == [code]


def test_the_evidence_of_a_retriever_is_that_of_its_passages(index: Path, opened: Opened) -> None:
    langchain = opened(our_langchain.PinciteRetriever(index=index, k=2, where="kind = 'docs'"))
    pack = langchain.evidence(QUESTION, k=1)
    assert our_langchain.documents_of(pack) == langchain.invoke(QUESTION, k=1)
    llama = opened(our_llamaindex.PinciteRetriever(index, limit=2))
    nodes = our_llamaindex.nodes_of(llama.evidence(QUESTION, where="kind = 'code'"))
    assert {one.node.metadata["kind"] for one in nodes} == {"code"}


def test_warnings_are_logged_once_until_they_change(
    index: Path, opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    retriever = opened(our_langchain.PinciteRetriever(index=index))

    def logged(query: str, **asked: Any) -> list[tuple[int, str]]:
        caplog.clear()
        with caplog.at_level(logging.INFO, LOG):
            retriever.invoke(query, **asked)
        return [(one.levelno, one.message) for one in caplog.records if one.name == LOG]

    ((level, said),) = logged(QUESTION)
    assert (level, said.partition(": ")[0]) == (logging.WARNING, "lexical_only")
    assert logged(QUESTION) == []
    ((level, said),) = logged(OFF_TOPIC)
    assert (level, said[:30]) == (logging.INFO, "no passage: Nothing was found.")
    wrong, empty = logged(QUESTION, where=NOWHERE)
    assert (wrong[0], wrong[1].partition(": ")[0]) == (logging.WARNING, "nothing_in_scope")
    assert empty == (logging.INFO, f"no passage: {NOTHING_SEARCHED}")
    ((_, said),) = logged(QUESTION)
    assert said.startswith("lexical_only")
    for question in (QUESTION, OFF_TOPIC):
        assert question not in caplog.text


@pytest.mark.parametrize("adapter", ["llamaindex", "haystack", "dspy"])
def test_all_retrievers_log_warnings(
    index: Path, opened: Opened, caplog: pytest.LogCaptureFixture, adapter: str
) -> None:
    with caplog.at_level(logging.WARNING, LOG):
        if adapter == "llamaindex":
            opened(our_llamaindex.PinciteRetriever(index)).retrieve(QUESTION)
        elif adapter == "haystack":
            pipeline = Pipeline()
            pipeline.add_component("retriever", opened(our_haystack.PinciteRetriever(index)))
            pipeline.run({"retriever": {"query": QUESTION}})
        else:
            with dspy.context(rm=opened(our_dspy.PinciteRetriever(index))):
                dspy.Retrieve(k=1)(QUESTION)
    assert [one.levelname for one in caplog.records if one.name == LOG] == ["WARNING"]


def test_a_retriever_of_dspy_is_awaited(index: Path, opened: Opened) -> None:
    class Module(dspy.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.retrieve = opened(our_dspy.PinciteRetriever(index, k=2))

        async def aforward(self, question: str) -> Any:
            return await self.retrieve.acall(question, k=1, where="kind = 'docs'")

    found = asyncio.run(Module().acall(question=QUESTION))
    assert isinstance(found, our_dspy.Passages)
    retrieve = opened(our_dspy.PinciteRetriever(index))
    assert found.citations == retrieve(QUESTION, k=1, where="kind = 'docs'").citations
    assert len(found.citations) == 1
    with pytest.raises(TypeError, match="kinds"):
        asyncio.run(retrieve.acall(QUESTION, kinds="code"))


def test_callbacks_of_dspy_see_an_awaited_retriever(index: Path, opened: Opened) -> None:
    seen: list[str] = []

    class Seeing(dspy.utils.callback.BaseCallback):  # type: ignore[misc]
        def on_module_start(self, call_id: str, instance: Any, inputs: Any) -> None:
            seen.append(type(instance).__name__)

    with dspy.context(callbacks=[Seeing()]):
        asyncio.run(opened(our_dspy.PinciteRetriever(index)).acall(QUESTION))
    assert seen == ["PinciteRetriever"]
