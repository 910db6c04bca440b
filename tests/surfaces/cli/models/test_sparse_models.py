"""Collections with another sparse side: indexed, searched, refused, mended; from a shell."""

from __future__ import annotations

import shutil

import pytest

from tests.providers.transformers.tiny_heads import masked_tensors, publish
from tests.surfaces.conftest import Cli


@pytest.fixture
def shop(cli: Cli) -> Cli:
    """A folder with two documents and a SPLADE model."""
    cli.write("docs/retry.md", "# Retry\n\nThe retry policy of the agent session.\n")
    cli.write("docs/hello.md", "# Hello\n\nHello world, hello.\n")
    publish(cli.folder / "tiny", masked_tensors())
    return cli


def first(cli: Cli, *arguments: str) -> str:
    pack = cli.json("search", *arguments, "--all")
    return str(pack["evidence"][0]["path"])


@pytest.mark.parametrize("name", ["local:tiny", "qdrant-bm25"])
def test_a_collection_keeps_the_sparse_side_that_it_was_made_with(name: str, shop: Cli) -> None:
    shop("index", "docs", "--lexical", "--sparse", name, "--language", "english")
    assert first(shop, "retry policy of the agent session") == "retry.md"
    shop.write("docs/late.md", "# World\n\nworld world world\n")
    shop("index")
    assert len(shop.json("search", "world session", "--all")["evidence"]) >= 2


def test_splade_scores_are_products_and_need_no_second_weighing(shop: Cli) -> None:
    done = shop("index", "docs", "--lexical", "--sparse", "local:tiny")
    assert "weigh" not in done.stderr
    pack = shop.json("search", "retry policy", "--all")
    kinds = {s["name"]: s["kind"] for s in pack["evidence"][0]["signals"]}
    assert kinds["sparse"] == "dot"
    (info,) = shop.json("collections")
    assert info["spec"]["sparse"].startswith("splade/tiny/fp32/")
    assert info["spec"]["average_length"] == 1.0


def test_another_sparse_side_is_refused_until_the_collection_is_rebuilt(shop: Cli) -> None:
    shop("index", "docs", "--lexical", "--language", "english")
    done = shop("index", "docs", "--sparse", "qdrant-bm25", code=1)
    assert "collections rebuild main --sparse qdrant-bm25" in done.stderr
    shop("collections", "rebuild", "main", "--lexical", "--sparse", "qdrant-bm25")
    assert shop.json("collections")[0]["spec"]["sparse_model"] == "qdrant-bm25"
    assert first(shop, "hello world") == "hello.md"
    shop("index", "docs")  # without the option it stays as it is


def test_a_model_that_has_changed_is_noticed(shop: Cli) -> None:
    shop("index", "docs", "--lexical", "--sparse", "local:tiny")
    publish(shop.folder / "tiny", masked_tensors(seed=99))
    done = shop("search", "retry", code=1)
    assert "was made with the analyser splade/tiny" in done.stderr
    assert "collections rebuild main --sparse local:" in done.stderr
    shutil.rmtree(shop.folder / "tiny")
    assert "tiny" in shop("search", "retry", code=1).stderr


@pytest.mark.parametrize(("name", "code"), [("voyage:x", 2), ("local:none", 1)])
def test_what_is_no_sparse_encoder_is_refused_before_anything_is_written(
    name: str, code: int, shop: Cli
) -> None:
    assert shop("index", "docs", "--lexical", "--sparse", name, code=code).stderr
    assert shop.json("collections") == []
