"""Chat completions, whole and streamed, in the format of OpenAI and the local servers.

The answer depends on the prompt:

- documents to grade: grades by word overlap;
- a question with passages to judge: JSON of "yes" or "no";
- a question over numbered passages: the first sentences of those that share most words with it,
  cited, or a refusal without passages;
- a document to describe: JSON of a description, or the rest of its line that begins with `say: `;
- a query to expand: one line of each type;
- a question to rewrite: the question with the long words of the user's earlier questions;
- anything else: the last message with its words in reverse order.

A model with `backwards` in its name always reverses the words.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import msgspec

from pincite.testing.contract_server.overlap import relevance, words
from pincite.testing.contract_server.texts import count_tokens
from pincite.testing.contract_server.wire import Endpoint, Refusal, Request, Response

VENDORS = ("openai", "ollama", "llamacpp", "vllm", "lmstudio")
_ROLES = {"system", "developer", "user", "assistant", "tool"}
_WINDOW = 128_000
_DOCUMENT = re.compile(r'<document id="(\d+)">\n(.*?)\n</document>', re.DOTALL)
_QUERY = re.compile(r"<query>\n(.*?)\n</query>", re.DOTALL)
_PASSAGE = re.compile(r'<passage id="\d+">\n(.*?)\n</passage>', re.DOTALL)
_QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)
_DATA_URI = re.compile(r"data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/=]+)")
_TOLD = re.compile(r"<passage-(\w+)>\n\[(\d+)\][^\n]*\n(.*?)\n</passage-\1>", re.DOTALL)
_ASKED = re.compile(r"<question-(\w+)>\n(.*?)\n</question-\1>\Z", re.DOTALL)
_LAST = re.compile(r"<<<the last question (\w+)\n(.*?)\nthe last question \1>>>\Z", re.DOTALL)
_DESCRIBED = re.compile(r"<<<the document (\w+)\n(.*?)\nthe document \1>>>\Z", re.DOTALL)
_TOLD_TO_SAY = re.compile(r"^say: (.*)$", re.MULTILINE)
_BEFORE = re.compile(r"^user: (.*)$", re.MULTILINE)
_LONG_WORD = re.compile(r"\w{5,}")
_SENTENCE = re.compile(r".*?[.!?](?=\s|\Z)|.+", re.DOTALL)
_HEADING = re.compile(r"^(?:#.*|Section:.*|Title:.*|This passage is weak.*)\n+", re.MULTILINE)
_EXPANDED = re.compile(r"Expand this search query: (.+)")
_CITED = 2  # passages in an answer
_YES = 0.5  # least relevance of a passage that answers
_PIECE = re.compile(r"\s*\S+")


def answer_to(prompt: str, model: str = "") -> str:
    """Return the answer of the model."""
    if "backwards" in model:
        return " ".join(reversed(prompt.split()))
    rewritten = _LAST.search(prompt)
    if rewritten is not None:
        return _rewrite(rewritten[2], prompt)
    described = _DESCRIBED.search(prompt)
    if described is not None:
        return _description(described[2])
    question = _ASKED.search(prompt)
    if question is not None:
        return _cited_answer(question[2], prompt)
    expanded = _EXPANDED.match(prompt)
    if expanded is not None:
        return "lex: {0} words\nvec: Where is {0}?\nhyde: A page says {0}.".format(expanded[1])
    judged = _QUESTION.search(prompt)
    if judged is not None:
        best = max((relevance(judged[1], text) for text in _PASSAGE.findall(prompt)), default=0.0)
        said = "yes" if best >= _YES else "no"
        return msgspec.json.encode({"answers": said}).decode()
    asked = _QUERY.search(prompt)
    if asked is None:
        return " ".join(reversed(prompt.split()))
    grades = [
        {"id": int(number), "grade": round(100 * relevance(asked[1], text))}
        for number, text in _DOCUMENT.findall(prompt)
    ]
    return msgspec.json.encode({"grades": grades}).decode()


def _description(document: str) -> str:
    """Return a description of a document, or the answer that it demands: this model obeys."""
    obeyed = _TOLD_TO_SAY.search(document)
    if obeyed is not None:
        return obeyed[1]
    _, _, text = document.partition("\n\n")
    first = next((line for line in text.splitlines() if line.strip()), "")
    found = {"title": first, "category": "legal", "document_type": "contract"}
    return msgspec.json.encode(
        {**found, "data_structure": "prose", "language": "english", "dates": []}
    ).decode()


def _rewrite(question: str, prompt: str) -> str:
    """Return the question with the long words of the user's earlier questions that it lacks."""
    before = " ".join(_BEFORE.findall(prompt))
    lost = [one for one in _LONG_WORD.findall(before) if one.lower() not in words(question)]
    return " ".join((question.rstrip("?"), *dict.fromkeys(lost))) + "?"


def _cited_answer(question: str, prompt: str) -> str:
    told = [
        (int(number), _HEADING.sub("", text).strip()) for _, number, text in _TOLD.findall(prompt)
    ]
    if not told:
        return "Nothing about that was found."
    told.sort(key=lambda one: (-relevance(question, one[1]), one[0]))
    sentences = [(number, _SENTENCE.match(text)) for number, text in told[:_CITED] if text]
    return " ".join(f"{' '.join(one[0].split())} [{number}]" for number, one in sentences if one)


def _chat(request: Request) -> Response:
    body = request.body
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list) or not messages:
        raise Refusal(400, "'messages' must be a list that is not empty")
    messages = [_as_text(one, str(body.get("model", ""))) for one in messages]
    for one in messages:
        if one.get("role") not in _ROLES or not isinstance(one.get("content"), str):
            raise Refusal(400, "each message needs a role and a content")
    if not body.get("model") and request.vendor != "llamacpp":
        raise Refusal(400, "you must provide a model parameter")
    used = sum(count_tokens(one["content"]) for one in messages)
    if used > _WINDOW:
        raise Refusal(400, f"This model's maximum context length is {_WINDOW} tokens.")
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or 10**9
    pieces = _PIECE.findall(answer_to(messages[-1]["content"], str(body.get("model", ""))))
    finish = "stop" if len(pieces) <= limit else "length"
    pieces = pieces[:limit]
    usage = {"prompt_tokens": used, "completion_tokens": len(pieces)}
    usage["total_tokens"] = sum(usage.values())
    base = {"id": "chatcmpl-1", "created": 1_700_000_000, "model": body.get("model", "model")}
    if body.get("stream"):
        with_usage = (body.get("stream_options") or {}).get("include_usage")
        return Response(stream=_stream(base, pieces, finish, usage if with_usage else None))
    message = {"role": "assistant", "content": "".join(pieces), "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return Response(body={**base, "object": "chat.completion", "choices": [choice], "usage": usage})


def _as_text(message: Any, model: str) -> Any:
    """Return the message with the text of its parts as content."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    return {**message, "content": _seen(message["content"], model)}


def _seen(parts: list[Any], model: str) -> str:
    """Return the text of the parts. A model with vision describes pictures by type, size and hash;
    others refuse them."""
    found = []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text" and isinstance(part.get("text"), str):
            found.append(part["text"])
            continue
        if kind != "image_url":
            raise Refusal(400, f"Invalid content part type: {kind!r}")
        if "text-only" in model:
            raise Refusal(400, "image input is not supported by this model")
        match = _DATA_URI.fullmatch(str((part.get("image_url") or {}).get("url", "")))
        try:
            data = b64decode(match[2], validate=True) if match else b""
        except ValueError:
            data = b""
        if not match or not data:
            raise Refusal(400, "Invalid image_url: expected a base64-encoded data URI")
        found.append(f"{match[1]} {len(data)} {sha256(data).hexdigest()}")
    return "\n".join(found)


def _stream(
    base: Mapping[str, Any], pieces: list[str], finish: str, usage: Mapping[str, int] | None
) -> Iterator[bytes]:
    def event(choices: list[Any], **more: Any) -> bytes:
        chunk = {**base, "object": "chat.completion.chunk", "choices": choices, **more}
        return b"data: " + msgspec.json.encode(chunk) + b"\n\n"

    def choice(delta: Mapping[str, str], reason: str | None = None) -> list[Any]:
        return [{"index": 0, "delta": delta, "finish_reason": reason}]

    yield event(choice({"role": "assistant", "content": ""}))
    for piece in pieces:
        yield event(choice({"content": piece}))
    yield event(choice({}, finish))
    if usage is not None:
        yield event([], usage=usage)
    yield b"data: [DONE]\n\n"


ENDPOINTS: Mapping[tuple[str, str, str], Endpoint] = MappingProxyType(
    {(vendor, "POST", "/v1/chat/completions"): _chat for vendor in VENDORS}
)
