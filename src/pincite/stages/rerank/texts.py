"""The texts that a reranker reads: question, instruction and passages."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from pincite.model import Candidate, Chunk, Notice, Query, TaskMode
from pincite.ports import CutTokens, Reranker
from pincite.stages.rerank.config import RerankConfig
from pincite.support.fields import replace
from pincite.support.token_estimate import cut_estimated

_TASKS: Final[dict[TaskMode, str]] = {
    "build": "",
    "debug": "The task is to find the cause of a fault and to mend it.",
    "explain": "The task is to explain how it works.",
    "refactor": "The task is to change code without changing what it does.",
}
_UNNAMED = "this software"  # for {corpus} if the corpus has no name


def asked_of(query: Query) -> str:
    """Return the question, followed by its intent if that is known."""
    return f"{query.text}\n{query.intent}" if query.intent else query.text


def instruction_for(query: Query, reranker: Reranker | None, config: RerankConfig) -> str:
    """Return the instruction for the reranker, empty if it accepts none."""
    if reranker is None or not reranker.instructed:
        return ""
    corpus = replace(query.corpus, name=config.corpus) if config.corpus else query.corpus
    words = {**corpus.words, "corpus": corpus.name or _UNNAMED}
    text = config.instruction.format(task=_TASKS[query.mode], **words)
    return "\n".join(line for line in (" ".join(one.split()) for one in text.split("\n")) if line)


def instruction_hash(query: Query, reranker: Reranker | None, config: RerankConfig) -> str:
    """Return the SHA-256 of `instruction_for`, empty if there is no instruction."""
    text = instruction_for(query, reranker, config)
    return sha256(text.encode()).hexdigest() if text else ""


def document(chunk: Chunk, config: RerankConfig, cut: CutTokens = cut_estimated) -> str:
    """Return a chunk as the reranker reads it: its location, then its text."""
    text = cut(chunk.read_as, config.body_tokens)
    lines = _header(chunk, config)
    return "\n".join((*lines, "", text)) if lines else text


def cut_notices(
    judged: Sequence[Candidate],
    documents: Sequence[str],
    reranker: Reranker,
    config: RerankConfig,
    cut: CutTokens | None,
) -> list[Notice]:
    """Return notices about the number of texts that were cut, and by which tokenizer."""
    pairs = zip(judged, documents, strict=True)
    count = sum(not sent.endswith(one.chunk.read_as) for one, sent in pairs)
    if not count:
        return []
    said = f"{count} of {len(judged)} texts were cut to {config.body_tokens:,} tokens"
    if cut is None:
        said += (
            f", estimated conservatively, because the tokenizer of {reranker.fingerprint} is"
            " not set: set rerank.tokenizer"
        )
    return [Notice("rerank_text_cut", said)]


def _header(chunk: Chunk, config: RerankConfig) -> list[str]:
    place = " > ".join(chunk.headings)
    match config.header:
        case "none":
            return []
        case "short":
            return [part for part in (chunk.path, place) if part]
    known = {
        "SOURCE": chunk.source_type,
        "REPO": chunk.repo,
        "REF": chunk.ref,
        "LOC": chunk.url,
        "PATH": "" if chunk.url else chunk.path,
        "LINES": f"{chunk.start_line}-{chunk.end_line}" if chunk.end_line else "",
        "CHUNK": chunk.id,
        "SYMBOLS": ", ".join(chunk.symbols),
        "IN": place,
    }
    return [f"{name}: {value}" for name, value in known.items() if value]
