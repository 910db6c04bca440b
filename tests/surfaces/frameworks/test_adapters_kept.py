"""Adapters that are changed, copied, pickled or saved after they were made, and their arguments."""

from __future__ import annotations

import asyncio
import copy
import pickle
from pathlib import Path
from typing import Any

import dspy
import pytest
from haystack import Pipeline
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, TextNode
from pydantic import ValidationError

from pincite import Pincite
from pincite.errors import TagsRequired, UsageError
from pincite.surfaces.frameworks import dspy as our_dspy
from pincite.surfaces.frameworks import haystack as our_haystack
from pincite.surfaces.frameworks import llamaindex as our_llamaindex
from pincite.surfaces.frameworks.evidence_source import EvidenceSource
from pincite.surfaces.frameworks.langchain import PinciteRetriever as LangChainRetriever
from tests.surfaces.frameworks.conftest import Opened

QUESTION = "how is a key rotated?"


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that requires the tag `tenant`."""
    folder = tmp_path_factory.mktemp("tenants")
    (folder / "pincite.toml").write_text('[collections.main]\nrequire = ["tenant"]\n')
    records = [
        {"id": f"{name}1", "text": f"A key of {name} is rotated.", "attributes": {"tenant": name}}
        for name in ("acme", "bolt")
    ]
    with Pincite(folder / ".pincite") as pincite:
        pincite.upsert(records, lexical=True)
    return folder / ".pincite"


def test_fields_of_langchain_that_are_set_later_apply(index: Path, opened: Opened) -> None:
    retriever = opened(LangChainRetriever(index=index, k=3))
    assert len(retriever.invoke(QUESTION)) == 2
    retriever.k = 1
    assert len(retriever.invoke(QUESTION)) == 1
    retriever.k, retriever.where = None, "kind = 'code'"
    assert {one.metadata["kind"] for one in retriever.invoke(QUESTION)} == {"code"}
    of_docs = retriever.model_copy(update={"where": "kind = 'docs'"})
    assert {one.metadata["kind"] for one in of_docs.invoke(QUESTION)} == {"docs"}
    assert {one.metadata["kind"] for one in retriever.invoke(QUESTION)} == {"code"}
    assert of_docs._handle is retriever._handle
    retriever.k = 0
    with pytest.raises(UsageError, match="k is 0"):
        retriever.invoke(QUESTION)


def test_the_tenant_of_langchain_that_is_set_later_applies(tenants: Path, opened: Opened) -> None:
    retriever = opened(LangChainRetriever(index=tenants, passage_tags={"tenant": "acme"}))
    other = retriever.model_copy(update={"passage_tags": {"tenant": "bolt"}})
    assert [one.metadata["tenant"] for one in retriever.invoke(QUESTION)] == ["acme"]
    assert [one.metadata["tenant"] for one in other.invoke(QUESTION)] == ["bolt"]
    retriever.passage_tags = {"tenant": "bolt"}
    assert [one.metadata["tenant"] for one in retriever.invoke(QUESTION)] == ["bolt"]
    retriever.passage_tags = None
    with pytest.raises(TagsRequired):
        retriever.invoke(QUESTION)


def test_the_index_of_langchain_can_be_another_one(
    index: Path, tenants: Path, opened: Opened
) -> None:
    retriever = opened(LangChainRetriever(index=index, k=1))
    tags = {"tenant": "acme"}
    other = opened(retriever.model_copy(update={"index": tenants, "passage_tags": tags}))
    assert [one.metadata["record_id"] for one in other.invoke(QUESTION)] == ["acme1"]
    assert [one.metadata["record_id"] for one in retriever.invoke(QUESTION)] == [None]


def test_numbers_of_llamaindex_and_haystack_that_are_set_later_apply(
    index: Path, opened: Opened
) -> None:
    llama = opened(our_llamaindex.PinciteRetriever(index))
    llama.limit = 1
    assert (llama.limit, len(llama.retrieve(QUESTION))) == (1, 1)
    with pytest.raises(UsageError, match="limit is 0"):
        llama.limit = 0
    haystack = opened(our_haystack.PinciteRetriever(index))
    haystack.top_k = 1
    assert len(haystack.run(QUESTION)["documents"]) == 1
    assert haystack.to_dict()["init_parameters"]["top_k"] == 1
    assert haystack.to_dict()["init_parameters"]["index"] == str(index)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_adapters_can_be_copied_and_pickled(index: Path, opened: Opened, again: Any) -> None:
    with Pincite(index) as pincite:
        expected = [one.citation for one in pincite.search(QUESTION, limit=1)]
    source = opened(EvidenceSource(index, limit=1))
    langchain = opened(LangChainRetriever(index=index, k=1))
    haystack = opened(our_haystack.PinciteRetriever(index, top_k=1))
    retrieve = opened(our_dspy.PinciteRetriever(index, k=1))
    for _ in range(2):  # before and after the index is open
        other = opened(again(source))
        assert [one.citation for one in other.search(QUESTION)] == expected
        assert [one.id for one in opened(again(langchain)).invoke(QUESTION)] == expected
        found = opened(again(haystack)).run(QUESTION)["documents"]
        assert [one.id for one in found] == expected
        assert opened(again(retrieve))(QUESTION).citations == expected
        source.search(QUESTION)
        langchain.invoke(QUESTION)
        haystack.run(QUESTION)
        retrieve(QUESTION)


def test_a_postprocessor_keeps_its_index_when_it_is_pickled_or_saved(
    index: Path, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = opened(our_llamaindex.PinciteRetriever(index, limit=2)).retrieve(QUESTION)
    verify = opened(our_llamaindex.PinciteVerify(index))
    assert verify.postprocess_nodes(nodes) == nodes
    monkeypatch.chdir(tmp_path)  # without an index
    type_ = our_llamaindex.PinciteVerify
    for other in (
        pickle.loads(pickle.dumps(verify)),
        copy.deepcopy(verify),
        type_.from_dict(verify.to_dict()),
        type_.from_json(verify.to_json()),
    ):
        assert opened(other).index == str(index)
        assert other.postprocess_nodes(nodes) == nodes
    rerank = our_llamaindex.PinciteRerank(index=index)
    assert our_llamaindex.PinciteRerank.from_json(rerank.to_json()).index == str(index)


def test_a_postprocessor_of_an_index_that_requires_tags_passes_them_on(
    tenants: Path, opened: Opened
) -> None:
    tags = {"tenant": "acme"}
    nodes = opened(our_llamaindex.PinciteRetriever(tenants, tags=tags)).retrieve(QUESTION)
    verify = opened(our_llamaindex.PinciteVerify(tenants, tags=tags, collections="main"))
    assert verify.postprocess_nodes(nodes) == nodes != []
    other = opened(our_llamaindex.PinciteVerify(tenants, tags={"tenant": "bolt"}))
    assert other.postprocess_nodes(nodes) == []
    with pytest.raises(TagsRequired):
        opened(our_llamaindex.PinciteVerify(tenants)).postprocess_nodes(nodes)


@pytest.mark.parametrize("citation", ["Smith 2020", "[3]", "", 5, None, ["acme:docs/keys.md"]])
def test_nodes_with_other_citations_pass(index: Path, opened: Opened, citation: Any) -> None:
    foreign = NodeWithScore(node=TextNode(text="x", metadata={"citation": citation}), score=1)
    nodes = opened(our_llamaindex.PinciteRetriever(index, limit=1)).retrieve(QUESTION)
    verify = opened(our_llamaindex.PinciteVerify(index))
    assert verify.postprocess_nodes([foreign, *nodes]) == [foreign, *nodes]


def test_a_reranker_works_where_a_loop_runs(index: Path) -> None:
    rerank = our_llamaindex.PinciteRerank(index=index)

    async def run() -> None:
        rerank.postprocess_nodes([NodeWithScore(node=TextNode(text="a"))], query_str="a")

    with pytest.raises(UsageError, match="no reranker is configured"):
        asyncio.run(run())


def test_arguments_of_a_base_class_reach_it(index: Path) -> None:
    manager = CallbackManager()
    retriever = our_llamaindex.PinciteRetriever(index, callback_manager=manager, verbose=True)
    assert retriever.callback_manager is manager
    assert retriever._verbose is True


@pytest.mark.parametrize("wrong", [{"wher": "kind = 'code'"}, {"kinds": "code"}])
def test_an_unknown_argument_of_dspy_is_refused(index: Path, opened: Opened, wrong: Any) -> None:
    retrieve = opened(our_dspy.PinciteRetriever(index, k=2))
    with pytest.raises(TypeError, match=next(iter(wrong))):
        retrieve(QUESTION, **wrong)
    with pytest.raises(TypeError, match=next(iter(wrong))):
        asyncio.run(retrieve.aforward(QUESTION, **wrong))
    with pytest.raises(TypeError, match="takes k, not limit"):
        our_dspy.PinciteRetriever(index, limit=1)  # type: ignore[call-arg]


def test_a_module_of_dspy_with_a_retriever_is_saved(index: Path, tmp_path: Path) -> None:
    class Module(dspy.Module):  # type: ignore[misc]
        def __init__(self, k: int) -> None:
            super().__init__()
            self.retrieve = our_dspy.PinciteRetriever(index, k=k)

    Module(7).save(tmp_path / "module.json")
    loaded = Module(3)
    loaded.load(tmp_path / "module.json")
    assert loaded.retrieve.k == 7


def test_an_unknown_argument_of_a_postprocessor_is_refused(index: Path) -> None:
    made: tuple[Any, ...] = (our_llamaindex.PinciteVerify, our_llamaindex.PinciteRerank)
    for one in made:
        with pytest.raises(ValidationError, match="modell"):
            one(index=index, modell="voyage:rerank-2.5")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kinds": ("markdown",)}, "kinds is 'markdown'; it takes one of 'docs', 'code', 'data'"),
        ({"preset": "fastest"}, "preset"),
        ({"tags": {"tenant": None}}, "tag 'tenant' is None"),
        ({"collections": 5}, "collections is 5"),
    ],
)
def test_a_wrong_restriction_is_refused_at_once(index: Path, wrong: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        EvidenceSource(index, **wrong)
    theirs = {"passage_tags" if name == "tags" else name: one for name, one in wrong.items()}
    if "collections" not in wrong:
        with pytest.raises(UsageError, match=said):
            LangChainRetriever(index=index, **theirs)
    with pytest.raises(UsageError, match=said):
        our_haystack.PinciteRetriever(index, **wrong)


def test_a_wrong_number_has_the_name_of_the_argument(index: Path) -> None:
    with pytest.raises(UsageError, match=r"^k is 0"):
        LangChainRetriever(index=index, k=0)
    with pytest.raises(UsageError, match=r"^top_k is 0"):
        our_haystack.PinciteRetriever(index, top_k=0)
    with pytest.raises(UsageError, match=r"^k is 0"):
        our_dspy.PinciteRetriever(index, k=0)


def test_langchain_takes_a_single_name_for_a_list(index: Path, opened: Opened) -> None:
    one = opened(LangChainRetriever(index=index, kinds="code", collections="main", sources="acme"))
    assert (one.kinds, one.collections, one.sources) == (("code",), ("main",), ("acme",))
    assert {found.metadata["kind"] for found in one.invoke(QUESTION)} == {"code"}


def test_haystack_takes_a_single_name_and_saves_a_list(index: Path, opened: Opened) -> None:
    one = our_haystack.PinciteRetriever(
        index, kinds="code", collections=("main",), sources={"acme"}
    )
    one = opened(our_haystack.PinciteRetriever.from_dict(one.to_dict()))
    saved = one.to_dict()["init_parameters"]
    assert (saved["kinds"], saved["collections"], saved["sources"]) == (
        ["code"],
        ["main"],
        ["acme"],
    )
    assert {found.meta["kind"] for found in one.run(QUESTION)["documents"]} == {"code"}
    one.kinds = ["docs"]
    assert {found.meta["kind"] for found in one.run(QUESTION)["documents"]} == {"docs"}


def test_haystack_keeps_a_path_as_text_and_refuses_anything_else(index: Path) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", our_haystack.PinciteRetriever(index))
    assert str(index) in pipeline.dumps()
    wrong: Any = 5
    with pytest.raises(UsageError, match="index is 5; it takes the path of an index folder"):
        our_haystack.PinciteRetriever(wrong)
