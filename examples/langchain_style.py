"""Pincite as the retriever of a LangChain program: documents in, documents with citations out.

    pip install langchain-core
    python examples/langchain_style.py

The chat model is one that says what it is told to; put yours in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from pydantic import ConfigDict, Field

from pincite import Evidence, Pincite

NOTES = [
    Document(
        id="week-3",
        page_content="Gradient descent follows the negative gradient. A step that is too long "
        "makes it diverge.",
        metadata={"source": "https://ml.example/week-3", "course": "ml", "week": 3, "lab": None},
    ),
    Document(
        id="week-4",
        page_content="Momentum keeps a part of the last step, so that gradient descent does not "
        "zigzag in narrow valleys.",
        metadata={"source": "https://ml.example/week-4", "course": "ml", "week": 4, "lab": "A2"},
    ),
    Document(
        id="week-9",
        page_content="The gradient of a field points to where it grows fastest.",
        metadata={"source": "https://physics.example/9", "course": "physics", "week": 9},
    ),
]


def record_of(document: Document) -> dict[str, Any]:
    """`source` of the metadata is the address; the rest of it are attributes."""
    metadata = dict(document.metadata)
    url = metadata.pop("source", None)
    text = document.page_content
    return {"id": document.id, "text": text, "url": url, "attributes": metadata}


def document_of(item: Evidence) -> Document:
    """A passage with its citation; `id` is that of the document it is from."""
    found = {"source": item.url, "citation": item.citation, "score": item.score}
    return Document(
        id=item.record_id, page_content=item.text, metadata={**item.attributes, **found}
    )


class PinciteRetriever(BaseRetriever):
    """Searches an index; `only` are attributes that a document must have."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    pincite: Pincite
    only: dict[str, Any] = Field(default_factory=dict)
    limit: int = 4

    def add_documents(self, documents: Iterable[Document]) -> None:
        """Write them, each in place of the one of the same id."""
        self.pincite.upsert(map(record_of, documents), lexical=True, on_error="raise")

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [*map(document_of, self.pincite.search(query, tags=self.only, limit=self.limit))]


def quoted(documents: list[Document]) -> str:
    return "\n\n".join(f"[{one.metadata['citation']}]\n{one.page_content}" for one in documents)


def main() -> None:
    with Pincite("notes-index") as pincite:
        retriever = PinciteRetriever(pincite=pincite, only={"course": "ml"})
        retriever.add_documents(NOTES)
        for document in retriever.invoke("why does gradient descent zigzag?"):
            print(document.id, document.metadata)
        prompt = ChatPromptTemplate.from_template("Answer from\n{notes}\n\n{question}")
        model = FakeListChatModel(responses=["In narrow valleys, without momentum."])
        given = {"notes": retriever | quoted, "question": RunnablePassthrough()}
        print((given | prompt).invoke("why does gradient descent zigzag?").to_string())
        print((given | prompt | model | StrOutputParser()).invoke("why does it zigzag?"))


if __name__ == "__main__":
    main()
