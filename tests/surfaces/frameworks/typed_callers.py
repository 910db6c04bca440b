"""Calls of the adapters as a user's program has them. `make check` fails if mypy reports a right
one, or a wrong one without the expected error."""

from __future__ import annotations

from typing import assert_type

from agents import Agent
from google.adk.agents import LlmAgent
from langchain_core.documents import Document

from pincite import AnswerPiece, AsyncPincite, EvidencePack, Pincite
from pincite.surfaces.adk import EvidenceToolset
from pincite.surfaces.frameworks import openai_agents, pydantic_ai
from pincite.surfaces.frameworks.dspy import PinciteRetriever as Dspy
from pincite.surfaces.frameworks.haystack import PinciteRetriever as Haystack
from pincite.surfaces.frameworks.langchain import PinciteRetriever as LangChain
from pincite.surfaces.frameworks.langchain import documents_of
from pincite.surfaces.frameworks.llamaindex import PinciteRetriever as LlamaIndex
from pincite.surfaces.frameworks.llamaindex import PinciteVerify


def adapters() -> None:
    """Call each adapter with right arguments, and with wrong ones."""
    LangChain(index=".pincite", kinds="docs", collections="notes", passage_tags={"a": 1})
    langchain = LangChain(
        index=".pincite", kinds=["docs", "code"], collections=["a"], sources=("b",)
    )
    assert_type(langchain.invoke("why?", k=2), list[Document])
    pack: EvidencePack = langchain.evidence("why?", where="kind = 'docs'")
    assert_type(documents_of(pack), list[Document])
    LlamaIndex(".pincite", limit=3, kinds="docs", tags={"a": 1}).retrieve("why?")
    PinciteVerify(".pincite", collections=["notes"], tags={"a": 1})
    Haystack(".pincite", top_k=3, kinds="docs", collections=("a",)).run("why?")
    assert_type(Dspy(".pincite", k=3, kinds=["docs"]).forward("why?").passages, list[str])
    tool = openai_agents.evidence_tool(".pincite", tags={"a": "b"}, kinds={"code"}, limit=3)
    Agent(name="dev", tools=[tool])
    pydantic_ai.evidence_tool(".pincite", collections="notes")
    LlmAgent(name="dev", tools=[EvidenceToolset(".pincite", kinds="docs", tags={"a": 1})])
    LangChain(index=".pincite", kinds="markdown")  # type: ignore[arg-type]
    LlamaIndex(".pincite", limits=3)  # type: ignore[call-arg]
    Haystack(".pincite", kinds=["markdown"])  # type: ignore[list-item]
    Dspy(".pincite", kindz="docs")  # type: ignore[call-arg]
    openai_agents.evidence_tool(".pincite", kindz="docs")  # type: ignore[call-arg]
    pydantic_ai.evidence_tool(".pincite", preset=3)  # type: ignore[arg-type]


async def streams(pincite: Pincite, other: AsyncPincite) -> None:
    """Close the streams of both classes."""
    events = pincite.answer_stream("why?")
    pieces = [one.text for one in events if isinstance(one, AnswerPiece)]
    assert_type(pieces, list[str])
    events.close()
    await other.answer_stream("why?").aclose()
