"""Ollama, TEI, llama.cpp, vLLM and LM Studio: what embeds, with their limits and messages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pincite.testing.contract_server.embeddings_hosted import listed
from pincite.testing.contract_server.texts import count_tokens, embed, texts_of
from pincite.testing.contract_server.wire import Endpoint, Refusal, Request, Response

_OLLAMA = {"embeddinggemma": 768, "nomic-embed-text": 768, "qwen3-embedding:0.6b": 1024}
_OLLAMA_CONTEXT = 2_048
_TEI_BATCH, _TEI_TOKENS, _TEI_DIMENSIONS = 32, 512, 384
_TEI_MODEL = "BAAI/bge-small-en-v1.5"
_UBATCH, _LLAMA_CONTEXT = 512, 8_192
_LLAMA_MODEL = "embeddinggemma-300M-Q8_0.gguf"
_VLLM = {"Qwen/Qwen3-Embedding-0.6B": (1024, 32_768), "intfloat/e5-small-v2": (384, 512)}
_LMSTUDIO = {"text-embedding-nomic-embed-text-v1.5": (768, 2_048)}


def _ollama(request: Request) -> Response:
    body = request.body
    model = body.get("model") if isinstance(body, dict) else None
    if model not in _OLLAMA:
        raise Refusal(404, f'model "{model}" not found, try pulling it first')
    if body.get("input") == "":
        return Response(body={"model": model, "embeddings": []})
    texts = texts_of(body, "input")
    cut = body.get("truncate", True)
    if not cut and max(map(count_tokens, texts)) > _OLLAMA_CONTEXT:
        raise Refusal(400, "the input length exceeds the context length")
    size = body.get("dimensions") or _OLLAMA[model]
    vectors = [embed(text, size, model=model).tolist() for text in texts]
    times = {"total_duration": 14_143_917, "load_duration": 1_019_500}
    counts = {"prompt_eval_count": sum(map(count_tokens, texts))}
    return Response(body={"model": model, "embeddings": vectors, **times, **counts})


def _tei_texts(body: Any, field: str, *, cut: bool) -> list[str]:
    texts = texts_of(body, field)
    if len(texts) > _TEI_BATCH:
        raise Refusal(422, f"batch size {len(texts)} > maximum allowed batch size {_TEI_BATCH}")
    if not all(texts):
        raise Refusal(400, "`inputs` cannot be empty")
    longest = max(map(count_tokens, texts))
    if not cut and longest > _TEI_TOKENS:
        raise Refusal(422, f"`inputs` must have less than {_TEI_TOKENS} tokens. Given: {longest}")
    return texts


def _tei(request: Request) -> Response:
    body = request.body
    texts = _tei_texts(body, "inputs", cut=body.get("truncate") is not False)
    size = body.get("dimensions") or _TEI_DIMENSIONS
    unit = body.get("normalize", True)
    return Response(body=[embed(t, size, model=_TEI_MODEL, unit=unit).tolist() for t in texts])


def _tei_openai(request: Request) -> Response:
    texts = _tei_texts(request.body, "input", cut=True)
    return _openai_shape(texts, request.body, _TEI_DIMENSIONS, _TEI_MODEL)


def _tei_info(_: Request) -> Response:
    return Response(
        body={
            "model_id": _TEI_MODEL,
            "max_input_length": _TEI_TOKENS,
            "max_batch_tokens": 16_384,
            "max_client_batch_size": _TEI_BATCH,
            "auto_truncate": True,
            "version": "1.9.3",
        }
    )


def _llamacpp(request: Request) -> Response:
    texts = texts_of(request.body, "input")
    for count in map(count_tokens, texts):
        if count > _LLAMA_CONTEXT:
            raise Refusal(
                400,
                f"the request exceeds the available context size ({_LLAMA_CONTEXT} tokens)",
            )
        if count > _UBATCH:
            raise Refusal(
                500,
                f"input ({count} tokens) is too large to process. increase the physical batch"
                f" size (current batch size: {_UBATCH})",
            )
    return _openai_shape(texts, request.body, 768, _LLAMA_MODEL)


def _served(models: Mapping[str, tuple[int, int]]) -> Endpoint:
    def endpoint(request: Request) -> Response:
        texts, model = texts_of(request.body, "input"), request.body.get("model")
        if model not in models:
            raise Refusal(404, f"The model `{model}` does not exist.")
        size, each = models[model]
        longest = max(map(count_tokens, texts))
        if longest > each:
            raise Refusal(
                400,
                f"This model's maximum context length is {each} tokens. However, you requested"
                f" {longest} tokens in the input for embedding generation.",
            )
        return _openai_shape(texts, request.body, request.body.get("dimensions") or size, model)

    return endpoint


def _models(*names: str) -> Endpoint:
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "local"} for name in names]
    return lambda _: Response(body={"object": "list", "data": data})


def _openai_shape(texts: list[str], body: Any, size: int, model: str) -> Response:
    count = sum(map(count_tokens, texts))
    usage = {"prompt_tokens": count, "total_tokens": count}
    return Response(body=listed([embed(t, size, model=model) for t in texts], body, usage))


ENDPOINTS: Mapping[tuple[str, str, str], Endpoint] = MappingProxyType(
    {
        ("ollama", "POST", "/api/embed"): _ollama,
        ("tei", "POST", "/embed"): _tei,
        ("tei", "POST", "/v1/embeddings"): _tei_openai,
        ("tei", "GET", "/info"): _tei_info,
        ("llamacpp", "POST", "/v1/embeddings"): _llamacpp,
        ("llamacpp", "GET", "/v1/models"): _models(_LLAMA_MODEL),
        ("vllm", "POST", "/v1/embeddings"): _served(_VLLM),
        ("vllm", "GET", "/v1/models"): _models(*_VLLM),
        ("lmstudio", "POST", "/v1/embeddings"): _served(_LMSTUDIO),
        ("lmstudio", "GET", "/v1/models"): _models(*_LMSTUDIO),
    }
)
