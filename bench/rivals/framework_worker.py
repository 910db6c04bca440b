"""The keyword retrievers of LlamaIndex and LangChain, in a process and a Python of their own.

`python framework_worker.py`, with the frameworks and nothing of Pincite. It reads one line of JSON
from stdin, `{"documents": {id: text}, "queries": {id: text}, "results": 10}`, and prints one
line for each retriever: `{"name", "version", "index_s", "query_ms": {id: ms}, "found": {id:
[document id, ...]}}`, or `{"name", "missing"}` where it cannot be imported.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any

Ask = Callable[[str], list[str]]


def llamaindex(documents: Mapping[str, str], results: int) -> Ask:
    """`BM25Retriever.from_defaults` with its defaults: English words, stemmed."""
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    nodes = [TextNode(text=text, id_=name) for name, text in documents.items()]
    retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=results)
    return lambda question: [one.node.node_id for one in retriever.retrieve(question)]


def langchain(documents: Mapping[str, str], results: int) -> Ask:
    """`BM25Retriever.from_texts` with its defaults: words are what stands between spaces."""
    from langchain_community.retrievers import BM25Retriever  # type: ignore[import-not-found]

    names = [{"name": name} for name in documents]
    retriever = BM25Retriever.from_texts(list(documents.values()), metadatas=names, k=results)
    return lambda question: [one.metadata["name"] for one in retriever.invoke(question)]


RETRIEVERS = {
    "LlamaIndex BM25Retriever": ("llama-index-retrievers-bm25", llamaindex),
    "LangChain BM25Retriever": ("langchain-community", langchain),
}


def measure(make: Callable[..., Ask], job: Mapping[str, Any]) -> dict[str, Any]:
    """Index, ask one question unmeasured, then each of them once."""
    started_s = time.perf_counter()
    ask = make(job["documents"], job["results"])
    index_s = time.perf_counter() - started_s
    ask(next(iter(job["queries"].values())))
    found, query_ms = {}, {}
    for name, question in job["queries"].items():
        started_s = time.perf_counter()
        found[name] = ask(question)
        query_ms[name] = (time.perf_counter() - started_s) * 1000
    return {"index_s": index_s, "query_ms": query_ms, "found": found}


def main() -> None:
    """See the module's docstring."""
    job = json.loads(sys.stdin.readline())
    for name, (package, make) in RETRIEVERS.items():
        try:
            said = {"version": metadata.version(package), **measure(make, job)}
        except ImportError as error:
            said = {"missing": str(error)}
        print(json.dumps({"name": name, **said}), flush=True)


if __name__ == "__main__":
    main()
