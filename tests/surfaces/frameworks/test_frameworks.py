"""Each adapter in its real framework, and the same citations through all of them."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import dspy
import pytest
from agents import Agent, Runner
from haystack import Pipeline
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelMessage, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from pincite import Pincite
from pincite.errors import UsageError
from pincite.surfaces.frameworks import dspy as our_dspy
from pincite.surfaces.frameworks import haystack as our_haystack
from pincite.surfaces.frameworks import llamaindex as our_llamaindex
from pincite.surfaces.frameworks import openai_agents, pydantic_ai
from pincite.surfaces.frameworks.evidence_source import EvidenceSource, metadata_of
from pincite.surfaces.frameworks.langchain import PinciteRetriever as LangChainRetriever
from tests.surfaces.frameworks.conftest import FILES, QUESTIONS, Opened
from tests.surfaces.frameworks.scripted import Scripted, calls_the_tool
from tests.surfaces.packs import pack, result


def in_text(text: str) -> list[str]:
    """Citations of passages, in the order of the text of a tool."""
    return list(dict.fromkeys(re.findall(r"acme@\S+?:(?:docs|src)/\S+?#L\d+(?:-L?\d+)?", text)))


def by_openai_agents(index: Path, question: str) -> str:
    model = Scripted(question)
    with closing(EvidenceSource(index)) as source:
        agent = Agent(name="dev", tools=[openai_agents.evidence_tool(source)], model=model)
        assert asyncio.run(Runner.run(agent, "go")).final_output == "done"
    return model.told


def by_pydantic_ai(index: Path, question: str) -> str:
    told: list[str] = []
    model = FunctionModel(calls_the_tool(question, told))
    with closing(EvidenceSource(index)) as source:
        agent = PydanticAgent(model, tools=[pydantic_ai.evidence_tool(source)])
        assert asyncio.run(agent.run("go")).output == "done"
    return told[0]


def test_twenty_questions_have_the_same_citations_through_all_of_them(
    index: Path, opened: Opened
) -> None:
    langchain = opened(LangChainRetriever(index=index, k=3))
    llama = opened(our_llamaindex.PinciteRetriever(index, limit=3))
    haystack = opened(our_haystack.PinciteRetriever(str(index), top_k=3))
    retrieve = opened(our_dspy.PinciteRetriever(index, k=3))
    assert len(set(QUESTIONS)) == 20
    with Pincite(index) as pincite:
        for question in QUESTIONS:
            expected = [one.citation for one in pincite.search(question, limit=3)]
            assert [one.id for one in langchain.invoke(question)] == expected
            assert [one.node_id for one in llama.retrieve(question)] == expected
            found = haystack.run(question)["documents"]
            assert [one.id for one in found] == expected
            assert retrieve(question).citations == expected
    for question in QUESTIONS:
        expected = [str(one.id) for one in langchain.invoke(question)]
        assert in_text(by_openai_agents(index, question))[: len(expected)] == expected
        assert in_text(by_pydantic_ai(index, question))[: len(expected)] == expected


def test_a_query_engine_of_llamaindex_keeps_the_citations(index: Path, opened: Opened) -> None:
    retriever = opened(our_llamaindex.PinciteRetriever(index, limit=2))
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
    answer = engine.query("how is a key rotated?")
    assert "rotate_key" in str(answer)
    assert "docs/keys.md" in answer.source_nodes[0].metadata["citation"]
    found = asyncio.run(retriever.aretrieve("how is a key rotated?"))
    assert [one.node_id for one in found] == [one.node_id for one in answer.source_nodes]


def test_nodes_whose_file_has_changed_are_dropped(tmp_path: Path, opened: Opened) -> None:
    for name, text in FILES.items():
        path = tmp_path / "acme" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    index = tmp_path / ".pincite"
    with Pincite(index) as pincite:
        pincite.index(tmp_path / "acme", lexical=True)
        nodes = our_llamaindex.nodes_of(pincite.search("how is a key rotated?", limit=3))
    foreign = NodeWithScore(node=TextNode(text="from elsewhere"), score=0.1)
    verify = opened(our_llamaindex.PinciteVerify(index))
    assert verify.postprocess_nodes([*nodes, foreign]) == [*nodes, foreign]
    changed = tmp_path / "acme" / "docs" / "keys.md"
    changed.write_text(FILES["docs/keys.md"].replace("rotate_key", "turn_key"))
    kept = verify.postprocess_nodes([*nodes, foreign])
    assert foreign in kept
    assert [one for one in kept if "rotate" in one.text and "keys.md" in one.node_id] == []


def test_a_reranker_without_a_question_is_refused(index: Path) -> None:
    rerank = our_llamaindex.PinciteRerank(index=index)
    assert rerank.postprocess_nodes([], QueryBundle("keys")) == []
    with pytest.raises(UsageError, match="a question is missing"):
        rerank.postprocess_nodes([NodeWithScore(node=TextNode(text="a"))])


def test_a_pipeline_of_haystack_is_saved_and_loaded(index: Path, opened: Opened) -> None:
    pipeline = Pipeline()
    component = opened(our_haystack.PinciteRetriever(str(index), top_k=2, where="kind = 'docs'"))
    pipeline.add_component("retriever", component)
    again = Pipeline.from_dict(pipeline.to_dict(), allowed_modules=[our_haystack.__name__])
    loaded = again.get_component("retriever")
    assert isinstance(loaded, our_haystack.PinciteRetriever)
    opened(loaded)
    asked = {"retriever": {"query": "how is a key rotated?"}}
    found, other = pipeline.run(asked)["retriever"], again.run(asked)["retriever"]
    assert [one.id for one in found["documents"]] == [one.id for one in other["documents"]]
    assert found["verdict"] == "grounded"
    assert found["documents"][0].meta["citation"] == found["documents"][0].id


def test_a_module_of_dspy_retrieves_by_the_configured_model(index: Path, opened: Opened) -> None:
    with dspy.context(rm=opened(our_dspy.PinciteRetriever(index, k=2))):
        passages = dspy.Retrieve(k=1)("how is a key rotated?").passages
    assert len(passages) == 1
    assert "rotate_key" in passages[0]


@pytest.mark.parametrize("run", [by_openai_agents, by_pydantic_ai])
def test_what_is_wrong_is_said_to_the_agent_and_ends_nothing(tmp_path: Path, run: Any) -> None:
    told = run(tmp_path / "none", "keys")
    assert told.startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"q": 1}', "no argument is named 'q'\n  try: search_evidence(query, where=\"\")"),
        ('{"query": 3}', "query: Expected `str`, got `int`"),
        ('{"query": null}', "query: Expected `str`, got `null`"),
        ('{"query": "keys", "limit": 1}', "no argument is named 'limit'"),
        ('{"where": ""}', "missing required field `query`"),
        ("[1]", "the arguments are not a JSON object: Expected `object`, got `array`"),
        ('{"query": ', "the arguments are not a JSON object: Input data was truncated"),
    ],
)
def test_wrong_arguments_are_explained_to_the_agent(
    index: Path, opened: Opened, arguments: str, told: str
) -> None:
    model = Scripted(arguments=arguments)
    tool = openai_agents.evidence_tool(opened(EvidenceSource(index)))
    agent = Agent(name="dev", tools=[tool], model=model)
    assert asyncio.run(Runner.run(agent, "go")).final_output == "done"
    assert model.told.startswith("error: search_evidence: ")
    assert told in model.told


def test_null_as_the_filter_of_a_tool_is_no_filter(index: Path) -> None:
    arguments = json.dumps({"query": "how is a key rotated?", "where": None})
    told: list[str] = []

    def model(messages: list[ModelMessage], _: AgentInfo) -> PydanticResponse:
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart):
                told.append(str(part.content))
                return PydanticResponse([TextPart("done")])
        return PydanticResponse([ToolCallPart("search_evidence", arguments)])

    with closing(EvidenceSource(index)) as source:
        scripted = Scripted(arguments=arguments)
        agent = Agent(name="dev", tools=[openai_agents.evidence_tool(source)], model=scripted)
        asyncio.run(Runner.run(agent, "go"))
        tool = pydantic_ai.evidence_tool(source)
        asyncio.run(PydanticAgent(FunctionModel(model), tools=[tool]).run("go"))
    assert scripted.told == told[0]
    assert scripted.told.startswith("grounded")


def test_what_nobody_thought_of_does_not_end_the_run_of_an_agent(
    index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(EvidenceSource):
        async def asearch(self, *_: Any, **__: Any) -> Any:
            raise ZeroDivisionError("by nothing")

    model = Scripted("keys")
    agent = Agent(name="dev", tools=[openai_agents.evidence_tool(Broken(index))], model=model)
    assert asyncio.run(Runner.run(agent, "go")).final_output == "done"
    assert "An error occurred while running the tool" in model.told
    assert "search_evidence failed" in caplog.text


def test_a_number_that_cannot_be_is_named(index: Path) -> None:
    for wrong in ("3", 0, True, 10_000):
        with pytest.raises(UsageError, match="top_k"):
            our_haystack.PinciteRetriever(str(index)).run("keys", top_k=wrong)  # type: ignore[arg-type]


def test_a_location_replaces_an_attribute_only_where_it_is_known() -> None:
    attributes = {"page": 4, "record_id": "r", "path": "other", "score": 9, "week": ("a", "b")}
    found = metadata_of(result(attributes=attributes), pack())
    assert (found["page"], found["record_id"]) == (4, "r")
    assert (found["path"], found["score"]) == ("docs/keys.md", 0.7123)
    assert (found["week"], found["citation"]) == (["a", "b"], "acme@c0ffee:docs/keys.md#L3-L5")
    assert metadata_of(result(attributes=attributes, page=7), pack())["page"] == 7
    kept = {"reason": "audit", "warnings": 2}
    assert metadata_of(result(attributes=kept), pack()).items() >= kept.items()
    assert metadata_of(result(), pack())["page"] is None


def test_a_filter_that_is_no_text_is_refused(index: Path, opened: Opened) -> None:
    wrong: Any = 5
    with pytest.raises(UsageError, match="where is 5; it takes a filter as text"):
        EvidenceSource(index, where=wrong)
    source = opened(EvidenceSource(index))
    for wrong in (0, [], ["kind = 'docs'"]):
        with pytest.raises(UsageError, match=r"^where is .*; it takes a filter as text"):
            source.search("keys", where=wrong)


def test_messages_about_the_filter_of_a_call_do_not_show_that_of_the_source(
    index: Path, opened: Opened
) -> None:
    with pytest.raises(UsageError, match=r"at character 8 \('cod'\)"):
        EvidenceSource(index, where="kind = cod")
    source = opened(EvidenceSource(index, where="path ^= src/"))
    with pytest.raises(UsageError, match=r"named 'colour', at character 1 \('colour = red'\)"):
        source.search("keys", where="colour = red")
    found = source.search("keys", where="path ^= docs/")
    (notice,) = (one for one in found.warnings if one.code == "nothing_in_scope")
    assert notice.message == (
        "no indexed document that may be searched matches where='path ^= docs/'; paths count from"
        " the root of a source or checkout, such as src/keys.py"
    )
    nothing = opened(EvidenceSource(index, where="path ^= secret/")).search("keys")
    assert [one.message for one in nothing.warnings if one.code == "nothing_in_scope"] == [
        "no indexed document is within what may be searched"
    ]


@pytest.mark.parametrize(
    ("where", "at"), [("path ^= docs/ and colour = red", 19), ("kind = cod", 8)]
)
def test_an_agent_reads_its_own_filter_alone(
    index: Path, opened: Opened, where: str, at: int
) -> None:
    source = opened(EvidenceSource(index, where="path ^= src/ and not text ~ secret"))
    model = Scripted(arguments=json.dumps({"query": "keys", "where": where}))
    agent = Agent(name="dev", tools=[openai_agents.evidence_tool(source)], model=model)
    asyncio.run(Runner.run(agent, "go"))
    assert "secret" not in model.told
    assert f"at character {at} (" in model.told
