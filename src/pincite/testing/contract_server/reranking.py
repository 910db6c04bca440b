"""Reranking endpoints: Voyage, Cohere, Jina, TEI, vLLM and llama.cpp."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pincite.testing.contract_server.overlap import logit, relevance
from pincite.testing.contract_server.texts import count_tokens, texts_of
from pincite.testing.contract_server.wire import Endpoint, Refusal, Request, Response

# model -> tokens of a query, of a query and one document, of all
_VOYAGE = {
    "rerank-3": (8_000, 32_000, 600_000),
    "rerank-3-lite": (8_000, 32_000, 600_000),
    "rerank-2.5": (8_000, 32_000, 600_000),
    "rerank-2.5-lite": (8_000, 32_000, 600_000),
    "rerank-2": (4_000, 16_000, 600_000),
    "rerank-2-lite": (2_000, 8_000, 600_000),
}
_COHERE = ("rerank-v3.5", "rerank-v4.0-pro", "rerank-v4.0-fast", "rerank-v5.0-pro")
# model -> whether it is listwise
_JINA = {"jina-reranker-v2-base-multilingual": False, "jina-reranker-v3": True}
_JINA_WINDOW = 131_072
_TEI_BATCH, _TEI_PIECES = 32, 512
_VLLM = ("BAAI/bge-reranker-v2-m3", "Qwen/Qwen3-Reranker-0.6B")
_VLLM_PIECES = 8_192
_LLAMA_BATCH = 2_048  # -ub
_QWEN_END = "<think>\n\n</think>\n\n"


def _asked(request: Request, field: str = "documents", *, most: int = 0) -> tuple[str, list[str]]:
    body = request.body
    if not isinstance(body, dict) or not isinstance(body.get("query"), str) or not body["query"]:
        raise Refusal(400, "'query' must be a string that is not empty")
    return body["query"], texts_of(body, field, most=most)


def _best(scores: Sequence[float], top: int | None) -> list[tuple[int, float]]:
    """Return (index, score), best first, as in all responses."""
    if top is not None and (not isinstance(top, int) or top < 1):
        raise Refusal(400, "the number of results must be at least 1")
    return sorted(enumerate(scores), key=lambda pair: -pair[1])[:top]


def _listed(pairs: Sequence[tuple[int, float]]) -> list[dict[str, Any]]:
    return [{"index": index, "relevance_score": score} for index, score in pairs]


def _voyage(request: Request) -> Response:
    query, documents = _asked(request, most=1_000)
    body = request.body
    model = body.get("model")
    if model not in _VOYAGE:
        raise Refusal(400, f"Model {model} is not supported. Supported: {', '.join(_VOYAGE)}.")
    if unknown := set(body) - {
        *("query", "documents", "model", "top_k", "return_documents", "truncation"),
    }:
        raise Refusal(400, f"Argument '{min(unknown)}' is not supported by our API.")
    if not all(documents):
        raise Refusal(400, "Each document must be a string that is not empty.")
    longest_query, longest, total = _VOYAGE[model]
    asked = count_tokens(query)
    counts = [count_tokens(text) for text in documents]
    if body.get("truncation") is False and (asked > longest_query or asked + max(counts) > longest):
        raise Refusal(400, f"The query and a document exceed the context length of {longest}.")
    asked = min(asked, longest_query)
    used = sum(asked + min(count, longest - asked) for count in counts)
    if used > total:
        raise Refusal(
            400, f"The number of tokens {used} exceeds the limit of {total} tokens per request."
        )
    data = _listed(_best([relevance(query, text) for text in documents], body.get("top_k")))
    if body.get("return_documents"):
        data = [one | {"document": documents[one["index"]]} for one in data]
    usage = {"total_tokens": used}
    return Response(body={"object": "list", "data": data, "model": model, "usage": usage})


def _cohere(request: Request) -> Response:
    query, documents = _asked(request)
    body = request.body
    if body.get("model") not in _COHERE:
        raise Refusal(404, f"model '{body.get('model')}' not found")
    if len(documents) > 10_000:
        raise Refusal(400, "too many documents: the maximum is 10000")
    if "return_documents" in body:
        raise Refusal(422, "unknown field: return_documents")
    tokens = body.get("max_tokens_per_doc") or 4_096
    read = [text[: 6 * tokens] for text in documents]  # its tokens have at most six letters
    pairs = _best([relevance(query, text) for text in read], body.get("top_n"))
    meta = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
    return Response(body={"id": "0773d2a5", "results": _listed(pairs), "meta": meta})


def _jina(request: Request) -> Response:
    query, documents = _asked(request)
    body = request.body
    model = body.get("model")
    if model not in _JINA:
        raise Refusal(422, f"[model] Input should be one of {', '.join(_JINA)}")
    used = count_tokens(query) + sum(map(count_tokens, documents))
    scores = [relevance(query, text) for text in documents]
    if _JINA[model]:
        if used > _JINA_WINDOW:
            raise Refusal(422, f"Input of {used} tokens exceeds the window of {_JINA_WINDOW}")
        # Relative to the others: the same text scores lower among better ones.
        mean = sum(scores) / len(scores)
        scores = [score - 0.5 * mean for score in scores]
    results = _listed(_best(scores, body.get("top_n")))
    if body.get("return_documents", True):
        results = [one | {"document": {"text": documents[one["index"]]}} for one in results]
    return Response(body={"model": model, "usage": {"total_tokens": used}, "results": results})


def _tei(request: Request) -> Response:
    query, documents = _asked(request, "texts")
    body = request.body
    if len(documents) > _TEI_BATCH:
        raise Refusal(422, f"batch size {len(documents)} > maximum allowed batch size {_TEI_BATCH}")
    longest = max(count_tokens(query) + count_tokens(text) for text in documents)
    if longest > _TEI_PIECES and body.get("truncate") is False:
        raise Refusal(422, f"`inputs` must have less than {_TEI_PIECES} tokens. Given: {longest}")
    score = logit if body.get("raw_scores") else relevance
    pairs = _best([score(query, text) for text in documents], None)
    results: list[dict[str, Any]] = [{"index": n, "score": value} for n, value in pairs]
    if body.get("return_text"):
        results = [one | {"text": documents[one["index"]]} for one in results]
    return Response(body=results)


def _vllm(request: Request) -> Response:
    query, documents = _asked(request)
    body = request.body
    model = body.get("model", _VLLM[0])
    if model not in _VLLM:
        raise Refusal(404, f"The model `{model}` does not exist.")
    longest = max(count_tokens(query) + count_tokens(text) for text in documents)
    if longest > _VLLM_PIECES and body.get("truncate_prompt_tokens") != -1:
        raise Refusal(
            400, f"The maximum context length is {_VLLM_PIECES} tokens, but {longest} were given."
        )
    pairs = [(query, text) for text in documents]
    if model == _VLLM[1]:
        pairs = [_of_prompt(*pair) for pair in pairs]
    score = logit if body.get("use_activation") is False else relevance
    results = [
        {"index": i, "document": {"text": documents[i]}, "relevance_score": value}
        for i, value in _best([score(*pair) for pair in pairs], body.get("top_n") or None)
    ]
    usage = {"prompt_tokens": longest, "total_tokens": longest}
    return Response(body={"id": "rerank-1", "model": model, "usage": usage, "results": results})


def _of_prompt(query: str, text: str) -> tuple[str, str]:
    """Return query and text without the prompt of Qwen3-Reranker. Its scores mean nothing without
    the prompt, so both are empty then."""
    if "<Query>: " not in query or not text.startswith("<Document>: "):
        return "", ""
    if not text.endswith(_QWEN_END):
        return "", ""
    text = text.removeprefix("<Document>: ").removesuffix(_QWEN_END)
    return query.rpartition("<Query>: ")[2], text.partition("<|im_end|>")[0]


def _llamacpp(request: Request) -> Response:
    query, documents = _asked(request)
    body = request.body
    for text in documents:
        used = count_tokens(query) + count_tokens(text) + 4
        if used > _LLAMA_BATCH:
            raise Refusal(
                500,
                f"input ({used} tokens) is too large to process. increase the physical batch size"
                f" (current batch size: {_LLAMA_BATCH})",
            )
    model = str(body.get("model") or "bge-reranker-v2-m3")
    score = relevance if "qwen3" in model.lower() else logit
    pairs = _best([score(query, text) for text in documents], body.get("top_n"))
    used = sum(count_tokens(query) + count_tokens(text) for text in documents)
    usage = {"prompt_tokens": used, "total_tokens": used}
    return Response(
        body={"model": model, "object": "list", "usage": usage, "results": _listed(pairs)}
    )


ENDPOINTS: Mapping[tuple[str, str, str], Endpoint] = MappingProxyType(
    {
        ("voyage", "POST", "/v1/rerank"): _voyage,
        ("cohere", "POST", "/v2/rerank"): _cohere,
        ("jina", "POST", "/v1/rerank"): _jina,
        ("tei", "POST", "/rerank"): _tei,
        **{("vllm", "POST", path): _vllm for path in ("/rerank", "/v1/rerank", "/v2/rerank")},
        **{
            ("llamacpp", "POST", path): _llamacpp
            for path in ("/rerank", "/reranking", "/v1/rerank", "/v1/reranking")
        },
    }
)
