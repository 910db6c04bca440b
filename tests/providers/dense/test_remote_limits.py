"""What is too long, too slow, refused or secret, with dense providers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.encoders.by_name import CollectionEncoder, Models
from pincite.errors import AuthError, ConfigError, TooLarge, Unavailable
from pincite.model import CollectionSpec, Notice
from pincite.ports.query_vectors import QueryVectors
from pincite.providers.dense.voyage import address
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.registry import Registry
from pincite.providers.secret import Secret
from pincite.settings.load import load_settings
from pincite.settings.sections.models import ModelSettings
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer
from tests.providers.dense.remotes import KEY, embed, opened

pytestmark = pytest.mark.usefixtures("healthy")


def test_a_text_that_is_too_long_is_cut_with_a_warning(server: ContractServer) -> None:
    notices: list[Notice] = []
    texts = ["short", "long " * 2_000, "also short"]
    rows = embed(server, "tei", texts, on_notice=notices.append)
    assert [notice.code for notice in notices] == ["text_cut_for_model"]  # not one for each try
    assert "10,000 characters" in notices[0].message
    assert np.array_equal(rows[[0, 2]], embed(server, "tei", [texts[0], texts[2]]))


def test_a_text_that_is_refused_however_short_it_is_is_not_reported_as_cut(
    server: ContractServer,
) -> None:
    notices: list[Notice] = []

    async def session() -> None:
        async with opened(server, "tei", on_notice=notices.append) as encoder:
            server.fail("413", times=99)
            await encoder.embed_documents(["long " * 100])

    with pytest.raises(TooLarge):
        asyncio.run(session())
    assert notices == []


def test_a_text_that_is_too_long_fails_by_number_where_that_is_wanted(
    server: ContractServer,
) -> None:
    with pytest.raises(TooLarge, match=r"item 1 alone exceeds the limit.*512 tokens"):
        embed(server, "tei", ["a", "long " * 2_000], oversize="fail")


def test_a_document_beyond_the_models_context_is_embedded_in_windows(
    server: ContractServer,
) -> None:
    chunks = [f"chunk {n} " + "word " * 1_000 for n in range(40)]

    async def session() -> Any:
        async with opened(server, "voyage-context") as encoder:
            return await encoder.embed_grouped([chunks, ["alone"], []])

    many, one, none = asyncio.run(session())
    assert (many.shape, one.shape, none.shape) == ((40, 1024), (1, 1024), (0, 1024))
    sent = [inner for body in server.record.bodies for inner in body["inputs"]]
    assert [chunk for inner in sent for chunk in inner] == [*chunks, "alone"]
    assert len(sent) == 4


def test_a_document_whose_estimate_was_too_low_is_halved(server: ContractServer) -> None:
    chunks = ["; " * 1_000 for _ in range(40)]  # a token every two characters

    async def session() -> Any:
        async with opened(server, "voyage-context") as encoder:
            return await encoder.embed_grouped([chunks])

    (rows,) = asyncio.run(session())
    assert rows.shape == (40, 1024)
    assert server.record.requests > 2


def test_late_chunking_is_refused(server: ContractServer) -> None:
    with pytest.raises(ConfigError, match="late_chunking"):
        embed(server, "jina", ["x"], body={"late_chunking": True})


def test_a_missing_key_is_named_before_anything_is_sent() -> None:
    with pytest.raises(AuthError) as caught:
        asyncio.run(Registry().open("dense", "voyage:voyage-4"))
    assert "export VOYAGE_API_KEY" in caught.value.hint


def test_atlas_keys_go_to_the_host_that_takes_them() -> None:
    for key, host in (("al-x", "https://ai.mongodb.com"), ("pa-x", "")):
        setup = Registry().setup("dense", "voyage:voyage-4")
        assert address(replace(setup, key=Secret(key))) == host


def test_a_key_is_in_no_log(server: ContractServer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        embed(server, "voyage", ["x"])
        server.fail("401")
        with pytest.raises(AuthError):
            embed(server, "openai", ["x"])
    assert any(record.name.startswith("httpx") for record in caplog.records)
    assert KEY not in caplog.text


def test_a_provider_that_hangs_gives_a_query_up_in_time(server: ContractServer) -> None:
    spec = CollectionSpec(
        "main", "s", "c", "cohere/embed-v4.0@1536", 1536, model="cohere:embed-v4.0"
    )
    options = ProviderOptions(url=server.url("cohere"))

    async def ask() -> None:
        use = ModelSettings(providers={"cohere": options}, key_of=lambda _: Secret(KEY))
        async with Models(replace(load_settings({}, Path("nowhere")), use=use)) as models:
            vectors = QueryVectors(shared=False, limit_s=0.1)
            await vectors.of(CollectionEncoder(models, spec), "x")

    server.fail("slow", wait_s=0.5)
    with pytest.raises(Unavailable, match=r"cohere/\S+ returned no vector within 0\.1 s"):
        asyncio.run(ask())
