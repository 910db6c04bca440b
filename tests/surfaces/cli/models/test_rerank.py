"""`pincite rerank` from a shell, on the contract server and on a model of a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from pincite.testing.contract_server import ContractServer
from tests.providers.transformers.tiny_heads import pair_tensors, publish
from tests.surfaces.conftest import Cli

QUERY = "how do retries wait"
LINES = b"bread\n\nretries wait with jitter\nhow do retries wait\n"


@pytest.fixture(scope="module")
def server() -> Iterator[ContractServer]:
    with ContractServer() as running:
        yield running


@pytest.fixture
def shop(server: ContractServer, cli: Cli) -> Cli:
    server.heal()
    vendors = ("cohere", "voyage", "tei")
    tables = [f'[providers.{v}]\nurl = "{server.url(v)}"\ntries = 1\n' for v in vendors]
    cli.write("pincite.toml", '[models]\nrerank = "cohere:rerank-v3.5"\n' + "".join(tables))
    return cli


def rerank(cli: Cli, *arguments: str, stdin: bytes = b"", code: int = 0) -> tuple[str, str]:
    done = cli("rerank", *arguments, stdin=stdin, code=code, CO_API_KEY="k", VOYAGE_API_KEY="k")
    return done.stdout, done.stderr


def test_lines_come_back_in_order_as_json(shop: Cli) -> None:
    found = json.loads(rerank(shop, QUERY, stdin=LINES)[0])
    assert found["model"] == "cohere:rerank-v3.5"
    assert found["kind"] == "probability"
    assert [(one["rank"], one["index"], one["document"]) for one in found["results"]] == [
        (1, 2, "how do retries wait"),
        (2, 1, "retries wait with jitter"),
        (3, 0, "bread"),
    ]


def test_arguments_and_json_lists_are_documents_too(shop: Cli) -> None:
    given = rerank(shop, QUERY, "bread", QUERY, "--text", "-n", "1")[0]
    listed = rerank(shop, QUERY, "--text", "-n", "1", stdin=json.dumps(["a\nb", QUERY]).encode())[0]
    assert given == listed == f"{QUERY}\n"


def test_the_model_can_be_named(shop: Cli) -> None:
    out, err = rerank(
        shop, QUERY, "a", "--model", "voyage:rerank-2.5", "--instruction", "Code first."
    )
    assert "in-query" in json.loads(out)["fingerprint"]
    assert err == ""
    _, err = rerank(shop, QUERY, "a", "--model", "tei:any", "--instruction", "Code first.")
    assert "instruction_unused" in err


def test_a_folder_with_a_model_will_do(shop: Cli) -> None:
    publish(shop.folder / "tiny", pair_tensors())
    found = json.loads(rerank(shop, "retry policy?", "hello", "x", "--model", "local:tiny")[0])
    assert found["fingerprint"].startswith("cross-encoder/tiny/fp32/")
    assert found["kind"] == "probability"
    assert len(found["results"]) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((" ", "a"), 2, "query is empty"),
        ((QUERY,), 2, "no documents"),
        ((QUERY, "a", "--model", "nobody:x"), 2, "known providers: "),
        ((QUERY, "a", "--model", "nothing"), 2, "is not a model name"),
        ((QUERY, "a", "--model", "local:missing/model"), 1, "offline"),
        ((QUERY, "a", "--model", "local:./missing"), 1, "the folder ./missing does not exist"),
        ((QUERY, "a", "--model", "cohere:rerank-v1"), 1, "not found"),
    ],
)
def test_what_cannot_be_is_said(
    shop: Cli, arguments: tuple[str, ...], code: int, said: str
) -> None:
    out, err = rerank(shop, *arguments, code=code)
    assert out == ""
    assert said in err


def test_without_a_reranker_it_says_what_to_configure(cli: Cli) -> None:
    said = rerank(cli, QUERY, "a", code=2)[1]
    assert "no reranker is configured" in said
    assert "--model PROVIDER:MODEL" in said
    assert "[models] with rerank" in said
