"""JSON over real HTTP: what is answered, refused, broken, late; and the key, which never shows."""

from __future__ import annotations

import asyncio
import copy
import pickle
import socket
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import msgspec
import pytest

from pincite.errors import (
    AuthError,
    BadResponse,
    ConfigError,
    Invalid,
    PinciteError,
    RateLimited,
    TooLarge,
    Unavailable,
)
from pincite.providers.addresses import check_url, join
from pincite.providers.http import Transport
from pincite.providers.retry import RetryPolicy
from pincite.providers.secret import Secret
from pincite.providers.translate import retry_after_s, said, translate
from pincite.testing.contract_server import ContractServer
from tests.providers.served import REFUSALS
from tests.time_limits import HANGS_S

KEY = "sk-do-not-show-this-0123456789"
BODY = {"model": "text-embedding-3-small", "input": ["a"]}
ONCE = RetryPolicy(tries=1)
QUICK = RetryPolicy(first_s=0.01, cap_s=0.01)
OFTEN = RetryPolicy(tries=100, first_s=0.01, cap_s=0.01)


@pytest.fixture(scope="module")
def server() -> Iterator[ContractServer]:
    with ContractServer(key=KEY) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _healthy(server: ContractServer) -> None:
    server.heal()
    server.record.clear()


def ask(
    server: ContractServer,
    retry: RetryPolicy = QUICK,
    *,
    key: str = KEY,
    timeout_s: float = HANGS_S,
    url: str = "",
    body: Mapping[str, object] = BODY,
) -> Any:
    async def session() -> Any:
        transport = Transport(
            "openai",
            url or server.url("openai"),
            key=Secret(key),
            key_variable="OPENAI_API_KEY",
            timeout_s=timeout_s,
            retry=retry,
        )
        try:
            return await transport.post("/v1/embeddings", body)
        finally:
            await transport.close()

    return asyncio.run(session())


OUTCOMES = {
    **REFUSALS,
    "cut-off": Unavailable,
    "no-json": BadResponse,
}


@pytest.mark.parametrize("fault", OUTCOMES)
def test_each_fault_is_its_error_with_what_the_server_said(
    server: ContractServer, fault: str
) -> None:
    server.fail(fault, times=9, wait_s=0.5)
    with pytest.raises(OUTCOMES[fault], match="openai at http://127") as caught:
        ask(server, ONCE, timeout_s=0.25 if fault == "slow" else HANGS_S)
    assert type(caught.value) is OUTCOMES[fault]


@pytest.mark.parametrize("fault", OUTCOMES)
def test_only_what_may_pass_is_asked_again(server: ContractServer, fault: str) -> None:
    server.fail(fault, times=2, wait_s=0.5)
    if fault == "slow":  # on a busy machine a good answer may be late as well
        assert len(ask(server, OFTEN, timeout_s=0.25)["data"]) == 1
        assert server.record.requests >= 3
    elif OUTCOMES[fault] in (RateLimited, Unavailable):
        assert len(ask(server)["data"]) == 1
        assert server.record.requests == 3
    else:
        with pytest.raises(OUTCOMES[fault]):
            ask(server)
        assert server.record.requests == 1


def test_nobody_there_says_so_and_what_to_do() -> None:
    with ContractServer() as gone:
        url = gone.url("openai")
    with pytest.raises(Unavailable, match="the request to") as caught:
        ask(gone, url=url)
    assert "running" in caught.value.hint


def test_a_wrong_key_names_the_variable_and_not_the_key(server: ContractServer) -> None:
    wrong = KEY[::-1]
    with pytest.raises(AuthError) as caught:
        ask(server, key=wrong)
    assert "OPENAI_API_KEY" in caught.value.hint
    assert wrong not in "".join(traceback.format_exception(caught.value))


def test_a_server_that_repeats_the_key_does_not_make_it_show() -> None:
    shown = Secret(KEY).redact(f"Incorrect API key provided: {KEY}.")
    assert shown == "Incorrect API key provided: ***."


def test_a_key_shows_nowhere() -> None:
    secret = Secret(KEY)
    transport = Transport("x", "http://localhost", key=secret)
    shown = (repr(secret), str(secret), f"{secret}", f"{secret!r:>40}", repr(vars(transport)))
    assert not any(KEY in one for one in shown)
    for spread in (pickle.dumps, copy.deepcopy, msgspec.json.encode):
        with pytest.raises(TypeError):
            spread(secret)
    assert secret.reveal() == KEY
    assert secret == Secret(KEY)
    assert secret != Secret("other")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"detail": "slow down"}', "slow down"),
        (b'{"detail": [{"msg": "field required", "loc": ["input"]}]}', "field required"),
        (b'{"error": {"message": "no such model", "code": 404}}', "no such model"),
        (b'{"error": "not found"}', "not found"),
        (b'{"message": "too many"}', "too many"),
        (b"<html>\n bad   gateway</html>", "<html> bad gateway</html>"),
        (b"\xff\xfe", "��"),
        (b"", ""),
    ],
)
def test_what_a_server_says_is_found_in_every_shape(body: bytes, message: str) -> None:
    assert said(body) == message


def test_what_a_server_says_may_be_nested_deeply() -> None:
    assert said(b"[" * 100_000).startswith("[[")


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens", TooLarge),
        (400, "Requested 300001 tokens, max 300000 tokens per request", TooLarge),
        (400, "invalid request: total number of texts must be at most 96", TooLarge),
        (400, "the input length exceeds the context length", TooLarge),
        (400, "Value 'x' for argument 'input_type' is not valid.", Invalid),
        (422, "batch size 64 > maximum allowed batch size 32", TooLarge),
        (422, "`inputs` must have less than 512 tokens. Given: 600", TooLarge),
        (422, "dimensions must be between 1 and 1024", Invalid),
        (500, "input (600 tokens) is too large to process. increase the batch", TooLarge),
        (500, "boom", Unavailable),
        (424, "model is not a re-ranker model", Invalid),
        (501, "This server does not support embeddings", Invalid),
        (402, "no balance", AuthError),
        (498, "invalid token", AuthError),
        (408, "late", Unavailable),
        (307, "", BadResponse),
    ],
)
def test_statuses_and_messages_of_the_vendors(
    status: int, message: str, kind: type[PinciteError]
) -> None:
    raw = msgspec.json.encode({"error": message})
    where = "http://max_batch.example/v1/embed"  # an address says nothing about the size
    assert type(translate(status, {}, raw, where)) is kind


def test_retry_after_is_seconds_or_a_date() -> None:
    assert retry_after_s("7") == 7
    assert retry_after_s("0.25") == 0.25
    assert retry_after_s("-3") == 0
    assert retry_after_s("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    huge = f"Wed, 21 Oct {'9' * 20} 07:28:00 GMT"  # a year that no date can have
    for nothing in (None, "", "soon", "nan", "inf", huge):
        assert retry_after_s(nothing) is None
    error = translate(429, {"retry-after": "3"}, b"", "here")
    assert isinstance(error, RateLimited)
    assert error.retry_after_s == 3


def test_addresses_may_end_in_their_version_or_a_slash() -> None:
    for base in ("http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/"):
        assert join(check_url(base), "/v1/embeddings") == "http://h:1/v1/embeddings"
    assert join("http://h/voyage", "/v1/rerank") == "http://h/voyage/v1/rerank"
    assert join("http://h/v1", "/embed") == "http://h/v1/embed"


@pytest.mark.parametrize(
    "url", ["ftp://h", "h:80", "http://", "http://me:secret@h", "http://h?key=1", "http://h#x"]
)
def test_addresses_with_anything_else_are_refused(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_url(url)
    assert "secret" not in str(caught.value) or "://h" not in url


@pytest.mark.parametrize(
    "url",
    [
        *("http://[::1", "http://h:abc", "http://h:99999", "http://h:-1", "http://h:0"),
        *("http://h /x", "http://h\r\nX: y", "http://h\x00", "http://h/\x7f", "http://a..b"),
        *("http://\u2100.x", f"http://{'a' * 64}.x"),
    ],
)
def test_addresses_that_cannot_be_are_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="is not a valid address"):
        check_url(url)


@pytest.mark.parametrize("url", ["http://[v1.x]", "http://\ufb00"])
def test_a_host_that_the_http_library_refuses_is_an_error_of_the_settings(
    server: ContractServer, url: str
) -> None:
    with pytest.raises(ConfigError, match="is not a valid address"):
        ask(server, url=url)


def test_a_lone_surrogate_is_sent_as_a_question_mark(server: ContractServer) -> None:
    sent, same, other = (
        ask(server, body=BODY | {"input": [text]})["data"]
        for text in ("lone \udcff", "lone ?", "lone x")
    )
    assert sent == same
    assert sent != other


def test_a_server_near_by_that_takes_no_connection_is_given_up_soon() -> None:
    with socket.socket() as full, ExitStack() as waiting:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(3):  # what comes now waits for a place
            one = waiting.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(full.getsockname())

        async def session() -> None:
            url = f"http://127.0.0.1:{full.getsockname()[1]}"
            transport = Transport("llamacpp", url, timeout_s=HANGS_S, retry=ONCE)
            try:
                await transport.post("/v1/embeddings", BODY)
            finally:
                await transport.close()

        with pytest.raises(Unavailable, match="in time") as caught:
            asyncio.run(session())
        assert "pincite doctor" in caught.value.hint


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://me:a-password@other.example:8443/x?token=a-secret", "https://other.example:8443"),
        ("//other.example/x", "http://other.example"),
        ("/login?token=a-secret", "/login"),
    ],
)
def test_a_redirect_names_its_target_without_secrets(location: str, target: str) -> None:
    error = translate(302, {"location": location}, b"", "here")
    assert error.message == f"here answered 302: a redirect to {target}"
    assert "a-" not in str(error)


@pytest.mark.parametrize("location", ["", "http://[::1", "http://h\x00/"])
def test_a_redirect_to_nowhere_is_an_invalid_answer_as_well(location: str) -> None:
    assert "expects status 200" in translate(302, {"location": location}, b"", "here").hint
