"""Embedding endpoints with their limits and messages: Voyage, OpenAI, Cohere and Jina, then those
of local servers: Ollama, TEI, llama.cpp, vLLM and LM Studio.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pincite.testing.contract_server.texts import count_tokens, embed, texts_of
from pincite.testing.contract_server.wire import Endpoint, Refusal, Request, Response

_SIZES = (256, 512, 1024, 2048)
# model -> usual dimensions, tokens of a request, tokens of a text
_VOYAGE = {
    "voyage-4-large": (1024, 120_000, 32_000),
    "voyage-4": (1024, 320_000, 32_000),
    "voyage-4-lite": (1024, 1_000_000, 32_000),
    "voyage-code-4": (1024, 320_000, 32_000),
    "voyage-3.5": (1024, 320_000, 32_000),
    "voyage-3.5-lite": (1024, 1_000_000, 32_000),
    "voyage-3-large": (1024, 120_000, 32_000),
    "voyage-code-3": (1024, 120_000, 32_000),
    "voyage-code-2": (1536, 120_000, 16_000),
    "voyage-law-2": (1024, 120_000, 16_000),
    "voyage-finance-2": (1024, 120_000, 32_000),
}
_CONTEXT = ("voyage-context-3", "voyage-context-4")
_OPENAI = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_COHERE = {
    "embed-v4.0": (1536, 128_000),
    "embed-english-v3.0": (1024, 512),
    "embed-multilingual-v3.0": (1024, 512),
    "embed-english-light-v3.0": (384, 512),
}
_COHERE_TYPES = ("search_document", "search_query", "classification", "clustering", "image")
_JINA = {
    "jina-embeddings-v3": (1024, 8_192),
    "jina-embeddings-v4": (2048, 32_768),
    "jina-embeddings-v5-text-small": (1024, 32_768),
    "jina-embeddings-v5-text-nano": (768, 8_192),
}
_OLLAMA = {"embeddinggemma": 768, "nomic-embed-text": 768, "qwen3-embedding:0.6b": 1024}
_OLLAMA_CONTEXT = 2_048
_TEI_BATCH, _TEI_TOKENS, _TEI_DIMENSIONS = 32, 512, 384
_TEI_MODEL = "BAAI/bge-small-en-v1.5"
_UBATCH, _LLAMA_CONTEXT = 512, 8_192
_LLAMA_MODEL = "embeddinggemma-300M-Q8_0.gguf"
_VLLM = {"Qwen/Qwen3-Embedding-0.6B": (1024, 32_768), "intfloat/e5-small-v2": (384, 512)}
_LMSTUDIO = {"text-embedding-nomic-embed-text-v1.5": (768, 2_048)}


def _listed(vectors: Sequence[Any], body: Mapping[str, Any], usage: Mapping[str, int]) -> Any:
    """Return OpenAI's list of embeddings, as numbers or as base64 of little-endian float32."""
    packed = body.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": index,
            "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
            if packed
            else vector.tolist(),
        }
        for index, vector in enumerate(vectors)
    ]
    return {"object": "list", "data": data, "model": body.get("model"), "usage": dict(usage)}


def _voyage_common(body: Mapping[str, Any], usual: int) -> int:
    if body.get("input_type") not in (None, "query", "document"):
        raise Refusal(400, f"Value '{body['input_type']}' for argument 'input_type' is not valid.")
    if body.get("output_dtype") not in (None, "float"):
        raise Refusal(400, "this server only has output_dtype 'float'")
    if body.get("encoding_format") not in (None, "base64"):
        raise Refusal(400, "Value for argument 'encoding_format' is not valid.")
    size = body.get("output_dimension") or usual
    if size != usual and (size not in _SIZES or usual != 1024):
        raise Refusal(400, f"output_dimension {size} is not supported by this model.")
    return int(size)


def _voyage(request: Request) -> Response:
    body = request.body
    texts = texts_of(body, "input", most=1_000, name="The batch size limit is 1000.")
    model = body.get("model")
    if model in _CONTEXT:
        raise Refusal(400, f"Model {model} is not supported by this endpoint.")
    if model not in _VOYAGE:
        raise Refusal(400, f"Model {model} is not supported. Supported: {', '.join(_VOYAGE)}.")
    usual, total, each = _VOYAGE[model]
    size = _voyage_common(body, usual)
    prompt = 7 if body.get("input_type") else 0
    counts = [count_tokens(text) + prompt for text in texts]
    if body.get("truncation") is False and max(counts) > each:
        raise Refusal(
            400, f"A text has {max(counts)} tokens, which exceeds the context length of {each}."
        )
    counts = [min(count, each) for count in counts]
    if sum(counts) > total:
        raise Refusal(
            400,
            f"Request to model '{model}' failed. The max allowed tokens per submitted batch is"
            f" {total}. Your batch has {sum(counts)} tokens after truncation.",
        )
    vectors = [embed(text, size, model=model) for text in texts]
    return Response(body=_listed(vectors, body, {"total_tokens": sum(counts)}))


def _voyage_context(request: Request) -> Response:
    body = request.body
    if not isinstance(body, dict) or not isinstance(body.get("inputs"), list):
        raise Refusal(400, "Argument 'inputs' must be a list of lists of strings.")
    inputs, model = body["inputs"], body.get("model")
    if model not in _CONTEXT:
        raise Refusal(400, f"Model {model} is not supported by this endpoint.")
    if "truncation" in body:
        raise Refusal(400, "Argument 'truncation' is not supported by this endpoint.")
    if not inputs or not all(isinstance(one, list) and one for one in inputs):
        raise Refusal(400, "Each element of 'inputs' must be a list of strings that is not empty.")
    if not all(isinstance(text, str) and text for one in inputs for text in one):
        raise Refusal(400, "Each chunk must be a string that is not empty.")
    size = _voyage_common(body, 1024)
    counts = [sum(map(count_tokens, one)) for one in inputs]
    if len(inputs) > 1_000 or sum(map(len, inputs)) > 16_000:
        raise Refusal(400, "The maximum is 1000 inputs and 16000 chunks.")
    if max(counts) > 32_000:
        raise Refusal(400, "The total number of tokens in a list must not exceed 32000.")
    if sum(counts) > 120_000:
        raise Refusal(400, "The total number of tokens across all inputs must not exceed 120000.")
    data = []
    for index, chunks in enumerate(inputs):
        whole = "\n".join(chunks)
        # a chunk's vector has a part of its document's
        vectors = [
            0.9 * embed(chunk, size, model="voyage-context") + 0.2 * embed(whole, size, model=model)
            for chunk in chunks
        ]
        unit = [vector / (vector @ vector) ** 0.5 for vector in vectors]
        inner = _listed(unit, body, {})
        data.append({"object": "list", "index": index, "data": inner["data"]})
    usage = {"total_tokens": sum(counts)}
    return Response(body={"object": "list", "data": data, "model": model, "usage": usage})


def _openai(request: Request) -> Response:
    body = request.body
    texts = texts_of(
        body, "input", most=2_048, name="Invalid 'input': maximum array length is 2048."
    )
    model = body.get("model")
    if model not in _OPENAI:
        raise Refusal(404, f"The model `{model}` does not exist or you do not have access to it.")
    if not all(texts):
        raise Refusal(400, "'$.input' is invalid: input cannot be an empty string.")
    counts = [count_tokens(text) for text in texts]
    if max(counts) > 8_192:
        raise Refusal(
            400,
            "This model's maximum context length is 8192 tokens, however you requested"
            f" {max(counts)} tokens. Please reduce your prompt.",
        )
    if sum(counts) > 300_000:
        raise Refusal(400, f"Requested {sum(counts)} tokens, max 300000 tokens per request")
    size = body.get("dimensions") or _OPENAI[model]
    if body.get("dimensions") and not model.startswith("text-embedding-3"):
        raise Refusal(400, "This model does not support specifying dimensions.")
    if size > _OPENAI[model]:
        raise Refusal(400, f"Invalid value for 'dimensions' = {size}.")
    usage = {"prompt_tokens": sum(counts), "total_tokens": sum(counts)}
    return Response(body=_listed([embed(t, size, model=model) for t in texts], body, usage))


def _cohere(request: Request) -> Response:
    body = request.body
    texts = texts_of(
        body, "texts", most=96, name="invalid request: total number of texts must be at most 96"
    )
    model, kind = body.get("model"), body.get("input_type")
    if model not in _COHERE:
        raise Refusal(404, f"model '{model}' not found, make sure the correct model ID was used")
    if kind not in _COHERE_TYPES:
        raise Refusal(400, "invalid request: valid input_type must be provided with the model")
    usual, each = _COHERE[model]
    size = body.get("output_dimension") or usual
    if size != usual and (model != "embed-v4.0" or size not in (256, 512, 1024, 1536)):
        raise Refusal(400, "invalid request: output_dimension is not supported")
    counts = [count_tokens(text) for text in texts]
    if body.get("truncate") == "NONE" and max(counts) > each:
        raise Refusal(400, f"invalid request: a text is too long: the maximum is {each} tokens")
    vectors = [embed(text, size, model=model).tolist() for text in texts]
    meta = {"api_version": {"version": "2"}, "billed_units": {"input_tokens": sum(counts)}}
    found = {"id": "0773d2a5", "embeddings": {"float": vectors}, "texts": texts, "meta": meta}
    return Response(body={**found, "response_type": "embeddings_by_type"})


def _jina(request: Request) -> Response:
    body = request.body
    texts = texts_of(body, "input", most=2_048)
    model = body.get("model")
    if model not in _JINA:
        raise Refusal(422, f"model {model} is not a valid model")
    usual, each = _JINA[model]
    size = body.get("dimensions") or usual
    if not isinstance(size, int) or not 0 < size <= usual:
        raise Refusal(422, f"dimensions must be between 1 and {usual}")
    counts = [count_tokens(text) for text in texts]
    if not body.get("truncate") and max(counts) > each:
        raise Refusal(400, f"Input text exceeds the maximum length of {each} tokens")
    name = f"{model}:{body.get('task', '').partition('.')[0]}"
    unit = bool(body.get("normalized"))
    vectors = [embed(text, size, model=name, unit=unit) for text in texts]
    usage = {"total_tokens": sum(counts), "prompt_tokens": sum(counts)}
    return Response(body=_listed(vectors, body, usage))


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


def _models(*names: str, owner: str = "local") -> Endpoint:
    data = [{"id": name, "object": "model", "created": 0, "owned_by": owner} for name in names]
    return lambda _: Response(body={"object": "list", "data": data})


def _openai_shape(texts: list[str], body: Any, size: int, model: str) -> Response:
    count = sum(map(count_tokens, texts))
    usage = {"prompt_tokens": count, "total_tokens": count}
    return Response(body=_listed([embed(t, size, model=model) for t in texts], body, usage))


ENDPOINTS: Mapping[tuple[str, str, str], Endpoint] = MappingProxyType(
    {
        ("voyage", "POST", "/v1/embeddings"): _voyage,
        ("voyage", "POST", "/v1/contextualizedembeddings"): _voyage_context,
        ("openai", "POST", "/v1/embeddings"): _openai,
        ("cohere", "POST", "/v2/embed"): _cohere,
        ("jina", "POST", "/v1/embeddings"): _jina,
        ("ollama", "POST", "/api/embed"): _ollama,
        ("tei", "POST", "/embed"): _tei,
        ("tei", "POST", "/v1/embeddings"): _tei_openai,
        ("tei", "GET", "/info"): _tei_info,
        ("llamacpp", "POST", "/v1/embeddings"): _llamacpp,
        ("llamacpp", "GET", "/v1/models"): _models(_LLAMA_MODEL, owner="llamacpp"),
        ("vllm", "POST", "/v1/embeddings"): _served(_VLLM),
        ("vllm", "GET", "/v1/models"): _models(*_VLLM),
        ("lmstudio", "POST", "/v1/embeddings"): _served(_LMSTUDIO),
        ("lmstudio", "GET", "/v1/models"): _models(*_LMSTUDIO),
    }
)
