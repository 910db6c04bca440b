"""Every fault against every dense provider: the right result, or the named error."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from pincite.errors import (
    AuthError,
    BadResponse,
    Gone,
    Invalid,
    PinciteError,
    RateLimited,
    TooLarge,
    Unavailable,
)
from pincite.providers.dense.vectors import to_matrix
from pincite.providers.http import Transport
from pincite.providers.registry import Registry
from pincite.providers.secret import Secret
from pincite.testing.contract_server import FAULTS, ContractServer
from tests.providers.dense.remotes import KEY, MODELS, opened
from tests.providers.llm.raw_server import RawServer
from tests.time_limits import HANGS_S

TEXTS = ["the brown turnstile", "a recipe for bread", "rotates when pushed"]
#: fault -> what comes of it if it happens once, and if it happens always; None is the result
OUTCOMES: dict[str, tuple[type[PinciteError] | None, type[PinciteError]]] = {
    "400": (None, Invalid),
    "401": (AuthError, AuthError),
    "403": (AuthError, AuthError),
    "404": (Gone, Gone),
    "408": (None, Unavailable),
    "409": (None, Unavailable),
    "410": (Gone, Gone),
    "413": (None, TooLarge),
    "422": (None, Invalid),
    "424": (None, Unavailable),
    "429": (None, RateLimited),
    "429-retry-after": (None, RateLimited),
    "500": (None, Unavailable),
    "503": (None, Unavailable),
    "slow": (None, Unavailable),
    "cut-off": (None, Unavailable),
    "no-json": (BadResponse, BadResponse),
    "wrong-count": (BadResponse, BadResponse),
    "nan": (BadResponse, BadResponse),
}
OFTEN = 50  # on a busy machine a good answer may be late as well
RIGHT: dict[str, Any] = {}  # by vendor, asked for once
#: Their answers carry no index: the order of the list is all there is, and cannot be wrong.
WITHOUT_INDEX = ("cohere", "ollama", "tei")


def embed(server: ContractServer, vendor: str, fault: str, times: int, **values: Any) -> Any:
    async def session() -> Any:
        if vendor not in RIGHT:
            async with opened(server, vendor) as encoder:
                RIGHT[vendor] = await encoder.embed_documents(TEXTS)
        timeout_s = 0.15 if fault == "slow" else HANGS_S
        async with opened(server, vendor, timeout_s=timeout_s, **values) as encoder:
            server.fail(fault, times=times, wait_s=0.25)
            try:
                return RIGHT[vendor], await encoder.embed_documents(TEXTS)
            finally:
                server.heal()

    return asyncio.run(session())


def test_every_fault_has_an_outcome() -> None:
    assert {*OUTCOMES, "wrong-order"} == set(FAULTS)


@pytest.mark.parametrize("vendor", MODELS)
@pytest.mark.parametrize("fault", OUTCOMES)
def test_a_fault_that_happens_once(server: ContractServer, vendor: str, fault: str) -> None:
    error, _ = OUTCOMES[fault]
    if error is None:
        right, found = embed(server, vendor, fault, 1, tries=OFTEN if fault == "slow" else 3)
        assert np.array_equal(found, right)
    else:
        with pytest.raises(error, match=r"\w+") as caught:
            embed(server, vendor, fault, 1)
        assert type(caught.value) is error


@pytest.mark.parametrize("vendor", MODELS)
@pytest.mark.parametrize("fault", OUTCOMES)
def test_a_fault_that_stays(server: ContractServer, vendor: str, fault: str) -> None:
    with pytest.raises(OUTCOMES[fault][1]) as caught:
        embed(server, vendor, fault, 99, oversize="fail")
    assert type(caught.value) is OUTCOMES[fault][1]
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("vendor", [v for v in MODELS if v not in WITHOUT_INDEX])
def test_order_is_restored_by_index(server: ContractServer, vendor: str) -> None:
    right, found = embed(server, vendor, "wrong-order", 1)
    assert np.array_equal(found, right)


def test_a_number_that_is_too_large_for_a_vector_is_refused_without_a_warning() -> None:
    with pytest.raises(BadResponse, match="not finite"):
        to_matrix([[1.0, 1e300]], 1, 2, "here")


HUGE = b"1" + b"0" * 400


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("compatible", b'{"data": [{"index": 0, "embedding": [%b, 1]}]}' % HUGE, "invalid vector"),
        ("compatible", b'{"data": [{"index": %b, "embedding": [1]}]}' % HUGE, "with index 1000"),
        ("compatible", b'{"data": [{"index": 0}]}', "without 'embedding'"),
        ("compatible", b'{"data": [{"index": 0, "embedding": null}]}', "not a list of numbers"),
        ("ollama", b'{"embeddings": [[1, -%b]]}' % HUGE, "invalid vector"),
    ],
)
def test_a_vector_that_no_float_can_hold_or_that_is_missing_is_an_invalid_answer(
    name: str, raw: bytes, said: str
) -> None:
    async def session(url: str) -> None:
        await Registry().open("dense", f"{name}:{url}#a-model")

    with RawServer(raw) as url, pytest.raises(BadResponse, match=said):
        asyncio.run(session(url))


@pytest.mark.parametrize("value", ["-1", '"many"', "[[]]", "1.5"])
def test_a_limit_that_is_no_count_is_an_invalid_answer(value: str) -> None:
    told = f'{{"model_id": "any", "max_input_length": {value}}}'.encode()
    with RawServer(told) as url, pytest.raises(BadResponse, match="max_input_length"):
        asyncio.run(Registry({}).open("dense", f"tei:{url}"))


def test_no_message_about_a_vector_has_the_key() -> None:
    async def session() -> None:
        raw = b'{"data": [{"index": 0, "embedding": ["Bearer sk-VERYSECRET0"]}]}'
        with RawServer(raw) as url:
            transport = Transport("test", url, key=Secret("sk-VERYSECRET0"))
            answer = await transport.post("/v1/embeddings", {})
            await transport.close()
        to_matrix([answer["data"][0]["embedding"]], 1, 1, "here")

    with pytest.raises(BadResponse, match=r"Bearer \*\*\*") as caught:
        asyncio.run(session())
    assert "VERYSECRET" not in str(caught.value)
