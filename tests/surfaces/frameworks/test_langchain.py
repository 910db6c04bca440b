"""The retriever for LangChain, by its own standard tests and in a chain."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_tests.integration_tests import RetrieversIntegrationTests
from langchain_text_splitters import MarkdownHeaderTextSplitter

from pincite import Pincite
from pincite.model.attributes import check_attribute_name
from pincite.surfaces.frameworks.langchain import PinciteRetriever, records_of
from pincite.surfaces.frameworks.metadata import attributes_of
from tests.surfaces.frameworks.conftest import Opened

OF_X = "document-e88f8edd21bf69ef00e07517a6699171"  #: the id of a document "x" without a source


@pytest.mark.anyio
class TestStandard(RetrieversIntegrationTests):
    """What LangChain asks of every retriever."""

    @pytest.fixture(autouse=True)
    def _index(self, index: Path) -> None:
        self.index = index

    @pytest.fixture
    def retriever(self) -> Iterator[PinciteRetriever]:
        with closing(PinciteRetriever(index=self.index)) as made:
            yield made

    @property
    def retriever_constructor(self) -> type[PinciteRetriever]:
        return PinciteRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": str(self.index)}

    @property
    def retriever_query_example(self) -> str:
        return "rotate a key: secret, expiry, requests a minute, snapshots"

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"


def test_a_chain_gets_passages_with_citations(index: Path, opened: Opened) -> None:
    retriever = opened(PinciteRetriever(index=index, k=2))
    seen: list[str] = []

    def noted(documents: list[Document]) -> str:
        seen.extend(one.metadata["citation"] for one in documents)
        return "\n".join(one.page_content for one in documents)

    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    model = FakeListChatModel(responses=["by rotate_key"])
    given = {"context": retriever | noted, "question": RunnablePassthrough()}
    chain = given | prompt | model | StrOutputParser()
    assert chain.invoke("how is a key rotated?") == "by rotate_key"
    assert any("docs/keys.md" in one for one in seen)


def test_a_filter_of_a_call_narrows_that_of_the_retriever(index: Path, opened: Opened) -> None:
    retriever = opened(PinciteRetriever(index=index, where="kind = 'docs'"))
    code = retriever.invoke("rotate_key", where="kind = 'code'")
    assert code == []
    assert {one.metadata["kind"] for one in retriever.invoke("rotate_key")} == {"docs"}


def test_what_invoke_does_not_take_is_named(index: Path) -> None:
    with pytest.raises(TypeError, match="k and where, not colour"):
        PinciteRetriever(index=index).invoke("keys", colour="red")


def test_documents_of_a_loader_become_records(tmp_path: Path, opened: Opened) -> None:
    documents = [
        Document("Gradient descent.", metadata={"source": "https://ml.example/3", "page": 4}),
        Document("Momentum.", id="m", metadata={"course": "ml", "lab": None, "title": "Week 4"}),
        Document("Loose."),
    ]
    records = list(records_of(documents))
    ids = ["https://ml.example/3#4", "m", "document-3fb49b81b51754cf29ec7fbc5e8d4895"]
    assert [one.id for one in records] == ids
    with Pincite(tmp_path / ".pincite") as pincite:
        report = pincite.upsert(records, collection="notes", lexical=True)
        assert (report.written, report.failed_count) == (3, 0)
    retriever = opened(
        PinciteRetriever(
            index=tmp_path / ".pincite", collections=("notes",), passage_tags={"course": "ml"}
        )
    )
    assert [one.page_content for one in retriever.invoke("momentum")] == ["Momentum."]


def test_all_documents_of_one_source_become_records(tmp_path: Path, opened: Opened) -> None:
    rows = [Document(f"Guest {n}.", metadata={"source": "p.csv", "row": n}) for n in range(2_500)]
    with Pincite(tmp_path / ".pincite") as pincite:
        report = pincite.upsert(records_of(rows), collection="people", lexical=True)
        assert (report.written, report.failed_count) == (2_500, 0)
        again = pincite.upsert(records_of(rows), collection="people")
        assert (again.unchanged, again.written) == (2_500, 0)
        assert pincite.count_records(where="row >= 0", collection="people") == 2_500
    retriever = opened(PinciteRetriever(index=tmp_path / ".pincite", where="row = 7"))
    (found,) = retriever.invoke("guest")
    assert (found.page_content, found.metadata["record_id"]) == ("Guest 7.", "p.csv#8")


Placed: TypeAlias = tuple[str | None, object, object]  #: id, source and page of a document


@pytest.mark.parametrize(
    ("placed", "ids"),
    [
        ([(None, "a", None)] * 3, ["a", "a#2", "a#3"]),
        ([(None, "a", 0), (None, "a", 0), (None, "a", 1)], ["a#0", "a#0#2", "a#1"]),
        ([(None, "a", None), (None, "b", None)] * 2, ["a", "b", "a#2", "b#2"]),
        ([(None, "a", None)] * 2 + [(None, "a", 2)] * 2, ["a", "a#2", "a#2#2", "a#2#3"]),
        ([(None, "a", 2), (None, "a", None), (None, "a", None)], ["a#2", "a", "a#3"]),
        ([(None, "a", None)] * 2 + [(None, "a", "02")], ["a", "a#2", "a#02"]),
        ([("a", None, None), (None, "a", None)], ["a", "a#2"]),
        ([("a#2", "x", 1), (None, "a", None), (None, "a", None)], ["a#2", "a", "a#3"]),
        ([("m", "a", None), ("m", "a", None)], ["m", "m"]),
        ([(None, None, None)] * 2, [OF_X, f"{OF_X}#2"]),
        ([(None, None, 3), (None, "", None)], [OF_X, f"{OF_X}#2"]),
    ],
)
def test_a_made_id_differs_from_all_before_it(placed: list[Placed], ids: list[str]) -> None:
    documents = (
        Document("x", id=id_, metadata={"source": source, "page": page})
        for id_, source, page in placed
    )
    assert [one.id for one in records_of(documents)] == ids


LOADED: dict[Any, Any] = {
    "source": "s3://bucket/report.pdf",
    "url": "https://x.example/report",
    "language": "en",
    "Title": "Report",
    "kind": "pdf",
    "Header 1": "Results",
    "Header-1": "Discussion",
    "Header_1": "Summary",
    "filetype": "application/pdf",
    "languages": ["eng"],
    "coordinates": {"points": ((1.0, 2.0),), "system": "PixelSpace"},
    "bbox": [1.0, 2.0],
    "text_as_html": "<td>" * 2_000,
    "probability": float("nan"),
    "Größe": 3,
    7: "seven",
}


def test_metadata_of_any_loader_are_accepted(tmp_path: Path) -> None:
    given = [
        Document("A finding.", metadata=LOADED),
        Document("Another.", metadata={"source": 600 * "a", "url": "no address", "id": 1}),
        Document("A third.", id="t", metadata={"source": "https://x.example/a b"}),
    ]
    with Pincite(tmp_path / ".pincite") as pincite:
        report = pincite.upsert(records_of(given), collection="notes", lexical=True)
        assert (report.written, report.failed) == (3, ())
        found = {one.record_id: one for one in pincite.search("finding another third")}
    first = found.pop("s3://bucket/report.pdf")
    assert (first.url, first.language) == ("https://x.example/report", "text")
    assert first.attributes == {
        "meta_language": "en",
        "meta_Title": "Report",
        "meta_kind": "pdf",
        "Header_1": "Summary",
        "Header_1_2": "Results",
        "Header_1_3": "Discussion",
        "filetype": "application/pdf",
        "languages": ("eng",),
        "Gr_xf6_xdfe": 3,
        "meta_7": "seven",
    }
    third = found.pop("t")
    assert (third.url, third.attributes) == (None, {"meta_source": "https://x.example/a b"})
    ((id_, second),) = found.items()
    assert str(id_).startswith("document-")
    assert second.attributes == {
        "meta_source": 600 * "a",
        "meta_url": "no address",
        "meta_id": 1,
    }


def test_sections_of_a_splitter_keep_their_headings(tmp_path: Path) -> None:
    split = MarkdownHeaderTextSplitter([("#", "Header 1"), ("##", "Header 2")]).split_text
    pieces = split("# Keys\n\n## Rotation\n\nCall it.\n\n## Expiry\n\nIn 30 days.\n")
    with Pincite(tmp_path / ".pincite") as pincite:
        report = pincite.upsert(records_of(pieces), collection="notes", lexical=True)
        assert (report.written, report.failed_count) == (2, 0)
        (found,) = pincite.search("days", where="Header_2 = Expiry")
    assert found.attributes == {"Header_1": "Keys", "Header_2": "Expiry"}


def test_documents_of_two_calls_do_not_replace_each_other(tmp_path: Path) -> None:
    with Pincite(tmp_path / ".pincite") as pincite:
        for text in ("One.", "Two.", "One."):
            pincite.upsert(records_of([Document(text)]), collection="notes", lexical=True)
        assert pincite.count_records(where="not title exists", collection="notes") == 2


@given(st.lists(st.text() | st.sampled_from(["a b", "a-b", "a_b", "id", "ID", 64 * "a" + "b"])))
def test_made_names_are_valid_and_differ(names: list[str]) -> None:
    found = attributes_of(dict.fromkeys(names, 1))
    assert len(found) == len(set(names))
    assert [check_attribute_name(name) for name in found] == list(found)
    assert found.keys() >= {name for name in names if name == "a_b"}


def test_many_names_that_become_one_take_no_time() -> None:
    assert len(attributes_of({"." * n: n for n in range(1, 3_000)})) == 2_999


SOURCES = st.sampled_from(["a", "a#2", "a#2#2", "a#3", "#", "", "2"])
PAGES = st.sampled_from([None, 0, 1, 2, 3, "2#2", "02"])


@given(st.lists(st.tuples(SOURCES, PAGES), max_size=30))
def test_no_two_made_ids_are_equal(places: list[tuple[str, object]]) -> None:
    documents = [
        Document("x", metadata={"source": source, "page": page}) for source, page in places
    ]
    ids = [one.id for one in records_of(documents)]
    assert len(set(ids)) == len(places)
    assert ids == [one.id for one in records_of(documents)]


def test_asynchronous_calls_side_by_side_give_what_one_gives(index: Path, opened: Opened) -> None:
    retriever = opened(PinciteRetriever(index=index))
    alone = retriever.invoke("how is a key rotated?")

    async def many() -> list[list[Document]]:
        return await asyncio.gather(*(retriever.ainvoke("how is a key rotated?") for _ in range(8)))

    assert asyncio.run(many()) == [alone] * 8
