"""Servers of models on this machine: found, told apart, and said what they lack."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from pincite.providers.local_servers import LocalServer, Vendor, find_servers, summary
from pincite.testing.contract_server import ContractServer

Answers = Mapping[str, tuple[int, Any]]
LLAMA = {"data": [{"id": "/models/some.gguf", "owned_by": "llamacpp"}]}
NO = (501, {"error": {"code": 501, "message": "This server does not support it."}})
LARGE = "input (702 tokens) is too large to process. increase the physical batch size"
SMALL = (500, {"error": {"code": 500, "message": LARGE}})
NONE = (
    400,
    {"error": {"message": "Pooling type 'none' is not OAI compatible. Please use another"}},
)
FINE: tuple[int, Any] = (200, {"data": []})


@contextmanager
def served(answers: Answers) -> Iterator[tuple[str, list[str]]]:
    """A server that answers so, and what it was sent."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            heard.append(f"{self.path} {dict(self.headers)} {self.rfile.read(length)!r}")
            status, body = answers.get(self.path, (404, {}))
            if callable(body):
                body(self)
                return
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        do_POST = do_GET  # noqa: N815 - what the library calls

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited
            """Tests are quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}", heard
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def found(url: str, vendor: Vendor = "llamacpp", answer_s: float = 5.0) -> tuple[LocalServer, ...]:
    return asyncio.run(find_servers([(vendor, url)], answer_s=answer_s))


def one(answers: Answers, vendor: Vendor = "llamacpp") -> LocalServer:
    with served(answers) as (url, _):
        (server,) = found(url, vendor)
    return server


def llama(rerank: Any, embeddings: Any, model: str = "/models/some.gguf") -> LocalServer:
    said = {"data": [{"id": model, "owned_by": "llamacpp"}]}
    answers = {"/v1/models": (200, said), "/v1/rerank": rerank, "/v1/embeddings": embeddings}
    return one(answers)


@pytest.mark.parametrize(
    ("rerank", "embeddings", "can", "lack", "flag"),
    [
        (FINE, FINE, ("rerank",), "", ""),
        (SMALL, FINE, ("rerank",), "512 tokens", "--reranking -ub 2048"),
        (NO, FINE, ("dense",), "", ""),
        (NO, SMALL, ("dense",), "512 tokens", "--embeddings --pooling mean -ub 2048"),
        (NO, NONE, (), "no pooling", "--pooling mean"),
        (NO, NO, ("llm",), "", ""),
        (NO, (500, {"error": "odd"}), (), "answers 500", ""),
    ],
)
def test_what_a_server_of_llama_cpp_can_and_lacks(
    rerank: Any, embeddings: Any, can: tuple[str, ...], lack: str, flag: str
) -> None:
    server = llama(rerank, embeddings)
    assert (server.models, server.can) == (("some.gguf",), can)
    assert lack in " ".join(server.lacks)
    assert bool(lack) == bool(server.lacks)
    assert flag in server.hint


def test_a_model_that_was_started_for_something_else_is_said_so_with_the_command() -> None:
    server = llama(NO, NO, "Qwen3-Reranker-0.6B-Q8_0.gguf")
    assert server.lacks == ("was started without --reranking",)
    assert server.hint.startswith("llama-server -m Qwen3-Reranker-0.6B-Q8_0.gguf --reranking -ub")
    assert "--embeddings" in llama(NO, NO, "embeddinggemma-300M-Q8_0.gguf").hint


def test_a_server_that_loads_or_wants_a_key_says_so() -> None:
    loading = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}
    assert one({"/v1/models": (503, loading)}).lacks == ("is loading its model",)
    told = {"error": "key", **LLAMA}
    assert "LLAMA_API_KEY" in one({"/v1/models": (401, told)}).hint


def test_ollama_says_what_it_has_and_what_is_loaded() -> None:
    tags = {"models": [{"name": "qwen3:8b"}, {"name": "hf.co/a/b:Q8_0"}]}
    answers = {"/api/tags": (200, tags), "/api/ps": (200, {"models": [{"name": "qwen3:8b"}]})}
    server = one(answers, "ollama")
    assert (server.models, server.loaded) == (("qwen3:8b", "hf.co/a/b:Q8_0"), ("qwen3:8b",))
    assert server.hint == "ollama pull embeddinggemma"
    assert "330 MB" in summary(server)
    tags["models"].append({"name": "embeddinggemma:latest"})
    assert one(answers, "ollama").lacks == ()


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[" * 100_000, {"data": "x"}, {"data": [1, None, {}]}, [], None, "text", 7],
)
def test_who_is_something_else_is_left_alone(body: Any) -> None:
    for vendor in ("llamacpp", "ollama"):
        with served(dict.fromkeys(("/v1/models", "/api/tags"), (200, body))) as (url, heard):
            assert found(url, vendor) == ()
            assert len(heard) == 1


def test_nobody_there_is_no_server_and_no_wait() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        assert found(f"http://127.0.0.1:{taken.getsockname()[1]}") == ()


def test_a_server_that_accepts_and_says_nothing_is_named() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        (server,) = found(f"http://127.0.0.1:{silent.getsockname()[1]}", answer_s=0.2)
    assert (server.can, server.models) == ((), ())
    assert "gave no answer within 0.2 s" in summary(server)


def test_an_answer_without_an_end_is_not_read_to_it() -> None:
    read: list[int] = []

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        with suppress(ConnectionError):
            for number in range(1_000):
                handler.wfile.write(b"[" * 1_000_000)
                read.append(number)

    def trickling(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        with suppress(ConnectionError):
            while True:
                handler.wfile.write(b" ")
                time.sleep(0.01)

    with served({"/v1/models": (200, endless)}) as (url, _):
        assert found(url) == ()
    assert len(read) < 500
    with served({"/v1/models": (200, trickling)}) as (url, _):
        (server,) = found(url, answer_s=0.3)
        assert "no answer" in summary(server)


def test_names_that_servers_give_are_shown_without_control_and_quoted_in_commands() -> None:
    server = llama(NO, NO, "rerank\x1b]0;x\x07\u202e $(rm -rf ~)\n;ls" + "x" * 5_000)
    assert all(sign.isprintable() for sign in summary(server) + server.hint)
    assert "'" in server.hint
    assert len(server.hint) < 300


def test_strangers_are_told_no_key_and_nobody_beside_them_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", "secret")
    with served({}) as (proxy, elsewhere):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        with served({"/v1/models": (200, LLAMA), "/v1/rerank": FINE}) as (url, heard):
            assert len(found(url)) == 1
    assert elsewhere == []
    assert heard
    assert not any("secret" in line or "uthorization" in line for line in heard)


def test_the_contract_server_is_found_for_what_it_is() -> None:
    with ContractServer() as server:
        (embeds,) = found(server.url("llamacpp"))
    assert embeds.models == ("embeddinggemma-300M-Q8_0.gguf",)
    assert embeds.can == ("rerank",)
