"""Prompts that go before texts if the server leaves them to the client.

Model cards: google/embeddinggemma-300m, Qwen/Qwen3-Embedding-0.6B, intfloat/e5-base-v2,
nomic-ai/nomic-embed-text-v1.5, BAAI/bge-small-en-v1.5, mixedbread-ai/mxbai-embed-large-v1.
"""

from __future__ import annotations

import re

import msgspec

from pincite.providers.provider_options import ProviderOptions

TASK = "Given a web search query, retrieve relevant passages that answer the query"
_BGE = "Represent this sentence for searching relevant passages: "


class Prompts(msgspec.Struct, frozen=True):
    """The prefixes of queries and of documents."""

    query: str = ""
    document: str = ""


def prompts_for(model: str, options: ProviderOptions) -> Prompts:
    """Return the prompts of the options, otherwise those of the model's card. `options.instruction`
    is the task for models that take one."""
    usual = _usual(model.lower(), options.instruction or TASK)
    return Prompts(
        usual.query if options.query_prefix is None else options.query_prefix,
        usual.document if options.document_prefix is None else options.document_prefix,
    )


def _usual(model: str, task: str) -> Prompts:
    if "embeddinggemma" in model:
        return Prompts("task: search result | query: ", "title: none | text: ")
    if "qwen3-embedding" in model:
        return Prompts(f"Instruct: {task}\nQuery:")
    if "nomic-embed-text" in model:
        return Prompts("search_query: ", "search_document: ")
    if re.search(r"bge-\w+-en-v1\.5|mxbai-embed-large", model):
        return Prompts(_BGE)
    if re.search(r"(?:^|[-_/])e5-(?!mistral)", model) and "instruct" not in model:
        return Prompts("query: ", "passage: ")
    return Prompts()


def languages_of(model: str) -> frozenset[str]:
    """Return English for models whose names say that they are English only, otherwise empty:
    all."""
    english = r"english|-en(?:-|$)|all-minilm-l|(?:^|/)e5-(?:small|base|large)(?:-v2)?$|-embed-text"
    return frozenset({"english"}) if re.search(english, model.lower()) else frozenset()
