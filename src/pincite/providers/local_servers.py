"""Find model servers on this machine at their default ports: the models they have loaded, what they
can do, and which options they lack.

The server at a port is not trusted. It receives fixed texts only, and no key. Its answers are read
up to a limit of size and time, and shown without control characters.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

import msgspec

from pincite.errors import BadResponse
from pincite.providers.bodies import ACCEPTED, read_body
from pincite.providers.served_models import SERVED_MODELS

if TYPE_CHECKING:
    import httpx

Vendor = Literal["llamacpp", "ollama"]

_HOST: Final = "http://127.0.0.1"
#: llama.cpp listens on the first of its ports. One server has one model, so further servers use the
#: ports next to it.
USUAL: Final[tuple[tuple[Vendor, str], ...]] = (
    *(("llamacpp", f"{_HOST}:{port}") for port in range(8080, 8084)),
    ("ollama", f"{_HOST}:11434"),
)
CONNECT_S: Final = 1.0
ANSWER_S: Final = 5.0
_MOST_BYTES: Final = 4_000_000  # of an answer
_SHOWN_CHARS: Final = 120
_SHOWN_MODELS: Final = 8
#: More tokens than llama.cpp accepts by default (512), fewer than with -ub 2048.
_LONG: Final = "word " * 700
_BATCH: Final = "-ub 2048"


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answers. `can` lists its observed abilities: `dense`, `rerank`, `llm`. `lacks`
    says in words what is missing, and `hint` has the command that fixes it."""

    vendor: Vendor
    url: str
    models: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()
    can: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    status: int
    body: Any
    server: str = ""

    @property
    def message(self) -> str:
        return str(self.body)[:2_000].lower()


async def find_servers(
    places: Sequence[tuple[Vendor, str]] = USUAL,
    *,
    answer_s: float = ANSWER_S,
) -> tuple[LocalServer, ...]:
    """Return the model servers that answer at these places, in the same order. A server that does
    not answer in time is reported as such; any other program is left out."""
    import httpx

    limits = httpx.Timeout(answer_s, connect=CONNECT_S)
    # ignore the environment: a proxy would be asked instead of this machine
    headers = {"Accept-Encoding": ACCEPTED}
    async with httpx.AsyncClient(headers=headers, timeout=limits, trust_env=False) as client:
        looks = {"llamacpp": _llamacpp, "ollama": _ollama}
        found = await asyncio.gather(
            *(looks[vendor](client, url, answer_s) for vendor, url in places)
        )
    return tuple(one for one in found if one is not None)


async def _llamacpp(client: httpx.AsyncClient, url: str, limit_s: float) -> LocalServer | None:
    said = await _ask(client, f"{url}/v1/models", None, limit_s)
    if said is None or not _is_llamacpp(said):
        return None
    if said.status == 0:
        return LocalServer("llamacpp", url, lacks=(_silent(limit_s),))
    if said.status == 503:
        return LocalServer("llamacpp", url, lacks=("is loading its model",))
    if said.status in (401, 403):
        return LocalServer(
            "llamacpp", url, lacks=("requires a key",), hint="export LLAMA_API_KEY=..."
        )
    model = next(iter(_names(said.body, "data", "id")), "").rsplit("/", 1)[-1]
    ranked = await _ask(
        client, f"{url}/v1/rerank", {"query": "word", "documents": [_LONG, "word"]}, limit_s
    )
    if _does(ranked):
        return _judged(url, model, "rerank", ranked)
    made = await _ask(client, f"{url}/v1/embeddings", {"input": _LONG}, limit_s)
    if _does(made) or _without_pooling(made):
        return _judged(url, model, "dense", made)
    if made is None or ranked is None or made.status != 501:
        return LocalServer("llamacpp", url, _only(model), _only(model), lacks=(_odd(made),))
    return _writer(url, model)


def _judged(url: str, model: str, kind: str, said: _Said | None) -> LocalServer:
    """Describe a server that reranks or embeds, at least short texts."""
    lacks = []
    if _without_pooling(said):
        lacks.append("has no pooling, so it makes one vector for each token")
    elif said is not None and said.status != 200:
        lacks.append("refuses texts of more than 512 tokens")
    flags = "--reranking" if kind == "rerank" else "--embeddings --pooling mean"
    can = () if _without_pooling(said) else (kind,)
    hint = _serve(url, model, f"{flags} {_BATCH}") if lacks else ""
    return LocalServer("llamacpp", url, _only(model), _only(model), can, tuple(lacks), hint)


def _writer(url: str, model: str) -> LocalServer:
    """Describe a server that neither reranks nor embeds: a language model, unless its name says
    otherwise."""
    named = model.lower()
    for part, flags, lack in (
        ("rerank", f"--reranking {_BATCH}", "was started without --reranking"),
        ("embed", f"--embeddings --pooling mean {_BATCH}", "was started without --embeddings"),
    ):
        if part in named:
            held = _only(model)
            return LocalServer("llamacpp", url, held, held, (), (lack,), _serve(url, model, flags))
    return LocalServer("llamacpp", url, _only(model), _only(model), ("llm",))


async def _ollama(client: httpx.AsyncClient, url: str, limit_s: float) -> LocalServer | None:
    said = await _ask(client, f"{url}/api/tags", None, limit_s)
    if said is None:
        return None
    if said.status == 0:
        return LocalServer("ollama", url, lacks=(_silent(limit_s),))
    if said.status != 200 or not isinstance(_field(said.body, "models"), list):
        return None
    running = await _ask(client, f"{url}/api/ps", None, limit_s)
    models = _names(said.body, "models", "name")
    loaded = _names(running.body, "models", "name") if running and running.status == 200 else ()
    wanted = next(one for one in SERVED_MODELS if one.ollama)
    lacks: tuple[str, ...] = ()
    hint = ""
    if not any(name.partition(":")[0] == wanted.ollama for name in models):
        lacks = (f"has no {wanted.ollama} (about {wanted.megabytes} MB, {wanted.licence})",)
        hint = f"ollama pull {wanted.ollama}"
    return LocalServer("ollama", url, models, loaded, ("dense", "llm"), lacks, hint)


async def _ask(
    client: httpx.AsyncClient, url: str, body: Mapping[str, object] | None, limit_s: float
) -> _Said | None:
    """Return the answer, cut at a limit. Its status is 0 if it does not arrive in time. None means
    that there is no server, or that it does not speak HTTP."""
    import httpx

    try:
        async with asyncio.timeout(limit_s):
            method = "GET" if body is None else "POST"
            async with client.stream(method, url, json=body) as response:
                raw = await read_body(response, _MOST_BYTES, url)
                server = response.headers.get("server", "")
                return _Said(response.status_code, _decoded(raw), server)
    except (TimeoutError, httpx.ReadTimeout):
        return _Said(0, None)
    except (httpx.HTTPError, BadResponse):
        return None


def _decoded(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _is_llamacpp(said: _Said) -> bool:
    """Return whether this is llama.cpp. Only that server names itself so, in a header or as the
    owner of its model. A silent server counts too: no other is expected at its port."""
    owners = _names(said.body, "data", "owned_by")
    loading = said.status == 503 and "loading model" in said.message
    return said.status == 0 or "llama.cpp" in said.server or "llamacpp" in owners or loading


def _does(said: _Said | None) -> bool:
    """Return whether the answer shows that the server has this ability, even if not for a text of
    this length."""
    return said is not None and (
        said.status == 200
        or (said.status in (400, 500) and "too large to process" in said.message)
        or (said.status == 400 and "context size" in said.message)
    )


def _without_pooling(said: _Said | None) -> bool:
    return said is not None and said.status == 400 and "pooling type" in said.message


def _silent(limit_s: float) -> str:
    return f"accepts connections, but gave no answer within {limit_s:g} s"


def _odd(said: _Said | None) -> str:
    return (
        "closed the connection"
        if said is None
        else f"answers {said.status or 'too late'} when it is tried"
    )


def _serve(url: str, model: str, flags: str) -> str:
    """Return the command that starts such a server."""
    port = urlsplit(url).port or 8080
    return f"llama-server -m {shlex.quote(model or 'MODEL.gguf')} {flags} --port {port}"


def _field(body: Any, name: str) -> Any:
    return body.get(name) if isinstance(body, dict) else None


def _names(body: Any, of: str, name: str) -> tuple[str, ...]:
    """Return a field of each entry of a list, safe to show."""
    entries = _field(body, of)
    found = [_field(one, name) for one in entries] if isinstance(entries, list) else []
    return tuple(_shown(one) for one in found if isinstance(one, str) and one)


def _shown(text: str) -> str:
    """Return a name in printable characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:_SHOWN_CHARS])


def _only(model: str) -> tuple[str, ...]:
    return (model,) if model else ()


def summary(server: LocalServer) -> str:
    """Return one line with the server's model and abilities."""
    shown = ", ".join(server.models[:_SHOWN_MODELS]) or "no model"
    more = len(server.models) - _SHOWN_MODELS
    parts = [f"has {shown}{f' and {more} more' if more > 0 else ''}" if server.models else ""]
    if server.vendor == "ollama" and not server.models:
        parts = ["has no model"]
    if server.vendor == "ollama" and server.loaded:
        parts.append(f"loaded: {', '.join(server.loaded[:_SHOWN_MODELS])}")
    words = {"dense": "embeds", "rerank": "reranks", "llm": "writes"}
    if server.can and server.models:
        parts.append(" and ".join(words[one] for one in server.can))
    return "; ".join((*filter(None, parts), *server.lacks))
