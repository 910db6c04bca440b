"""What reaches a hosted reranker: how often it is asked, and what it gets to read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from pincite.engine import AsyncPincite
from pincite.model import EvidencePack, Pool, Query
from pincite.settings.load import load_settings
from pincite.stages.rerank import RerankConfig, rerank
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer
from tests.builders import candidate
from tests.providers.served import opened
from tests.surfaces.conftest import KEY, Cli

T = TypeVar("T")
QUESTION = "how is a key rotated"


@pytest.fixture
def shop(server: ContractServer, cli: Cli) -> Cli:
    """Twenty passages about keys, found by word and judged by Voyage's reranker."""
    server.heal()
    for n in range(20):
        cli.write(f"docs/keys{n}.md", f"# Keys {n}\n\nA key is rotated by step {n}.\n")
    cli("index", "docs", "--lexical", "--name", "acme", "--ref", "v1")
    server.record.clear()
    return cli


def configure(server: ContractServer, cli: Cli, toml: str = "", options: str = "") -> None:
    cli.write(
        "pincite.toml",
        f'{toml}\n[models]\nrerank = "voyage:rerank-2.5"\n'
        f'[providers.voyage]\nurl = "{server.url("voyage")}"\ntries = 1\n{options}\n',
    )


def within(folder: Path, work: Callable[[AsyncPincite], Awaitable[T]], key: str = KEY) -> T:
    async def session() -> T:
        given = {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}
        settings = load_settings(given | ({"VOYAGE_API_KEY": key} if key else {}), folder)
        async with AsyncPincite(settings) as engine:
            return await work(engine)

    return asyncio.run(session())


def asked(server: ContractServer) -> list[Any]:
    """The bodies of all requests to rerank."""
    pairs = zip(server.record.paths, server.record.bodies, strict=True)
    return [body for path, body in pairs if path.endswith("/rerank")]


def codes(pack: EvidencePack) -> list[str]:
    return [notice.code for notice in pack.warnings]


def untimed(pack: EvidencePack) -> EvidencePack:
    return replace(pack, timings_ms={})


def test_the_first_search_of_a_process_reranks_as_every_later_one(
    server: ContractServer, shop: Cli
) -> None:
    # 20 documents with a question of 3,300 tokens each are more than the budget of a request
    configure(server, shop, "[rerank]\nbudget_tokens = 20_000\nbatch = 8")
    question = ("how is a key rotated " * 476)[:10_000]

    async def thrice(engine: AsyncPincite) -> list[EvidencePack]:
        return [await engine.search(question) for _ in range(3)]

    first, *later = map(untimed, within(shop.folder, thrice))
    assert [len(body["documents"]) for body in asked(server)] == [8, 8, 4] * 3
    assert later == [first, first]
    assert "rerank_cut" not in codes(first)


def test_a_reranker_that_cannot_be_opened_costs_the_order_only_and_is_tried_again(
    server: ContractServer, shop: Cli
) -> None:
    configure(server, shop)

    async def twice(engine: AsyncPincite) -> list[EvidencePack]:
        return [await engine.search(QUESTION) for _ in range(2)]

    first, second = map(untimed, within(shop.folder, twice, key=""))
    assert first == second
    assert codes(first)[-1] == "rerank_unavailable"
    assert "VOYAGE_API_KEY" in first.warnings[-1].message
    assert (first.plan.reranker, first.plan.instruction) == ("voyage:rerank-2.5", "")
    assert first.evidence
    assert asked(server) == []


#: Two kinds of sources, no other wordings, and nothing but the question for the reranker.
BOTH = """
preset = "evidence"
[rerank]
instruction = ""
[prepare]
expansions = {}
[select]
on_none = "keep"
"""


def with_code(cli: Cli, files: int) -> None:
    for n in range(files):
        said = f'"""How key {n} is rotated."""'
        cli.write(
            f"src/key{n}.py", f"def rotate_{n}(key: str) -> str:\n    {said}\n    return key\n"
        )
    cli("index", "src", "--lexical", "--name", "acme-code", "--ref", "v1")


def test_a_widening_pass_that_finds_nothing_new_asks_the_reranker_nothing(
    server: ContractServer, shop: Cli
) -> None:
    with_code(shop, 1)
    configure(server, shop, BOTH)
    pack = within(shop.folder, lambda engine: engine.search(QUESTION, mode="build"))
    assert pack.plan.passes == ("first", "widened code")
    assert [len(body["documents"]) for body in asked(server)] == [21]
    assert {"rerank_spared", "coverage_unmet"} <= set(codes(pack))
    assert pack.coverage["code"] == 1
    assert all(item.signals[-1].name in ("reranked", "coverage") for item in pack.evidence)
    scores = [one.value for item in pack.evidence for one in item.signals if one.name == "reranked"]
    assert len(scores) == 12


def test_a_widening_pass_that_finds_something_is_reranked(
    server: ContractServer, shop: Cli
) -> None:
    with_code(shop, 30)
    configure(server, shop, f"{BOTH}results = 4\n[retrieve]\nsparse_limit = 8\ncode_limit = 8\n")
    question = "how is a key rotated by a step of keys"
    pack = within(shop.folder, lambda engine: engine.search(question, mode="build"))
    assert pack.plan.passes == ("first", "widened code")
    first, second = asked(server)
    assert set(second["documents"]) - set(first["documents"])
    assert "rerank_spared" not in codes(pack)


def test_a_document_says_nothing_of_what_is_not_known(server: ContractServer) -> None:
    whole = candidate("a", 0.9, text="rotate", url="https://acme.example/a", headings=("Keys",))
    bare = candidate("b", 0.8, text="key", start_line=0, end_line=0, ref="", path="", repo="")

    async def judge() -> None:
        async with opened(server, "rerank", "voyage:rerank-2.5") as reranker:
            await rerank(Query(QUESTION), Pool((whole, bare)), reranker, RerankConfig())

    server.record.clear()
    asyncio.run(judge())
    (body,) = asked(server)
    headers = [text.partition("\n\n")[0].split("\n") for text in body["documents"]]
    names = [[line.partition(": ")[0] for line in header] for header in headers]
    assert names == [
        ["SOURCE", "REPO", "REF", "LOC", "LINES", "CHUNK", "IN"],
        ["SOURCE", "CHUNK"],
    ]
    assert all(line.partition(": ")[2] for header in headers for line in header)


def test_documentation_without_an_address_is_not_even_judged_where_one_is_required(
    server: ContractServer, shop: Cli
) -> None:
    rule = r"(.*)\.md=>https://acme.example/\1/"
    for n in range(3):
        shop.write(f"pages/page{n}.md", f"# Page {n}\n\nA key is rotated on page {n}.\n")
    shop("index", "pages", "--lexical", "--name", "acme-web", "--ref", "v1", "--url-rule", rule)
    with_code(shop, 1)
    configure(server, shop, '[select]\nneed_url = true\non_none = "keep"')
    pack = within(shop.folder, lambda engine: engine.search(QUESTION))
    (body,) = asked(server)
    assert len(body["documents"]) == 4
    assert {item.url for item in pack.evidence if item.source_type == "docs"} == {
        f"https://acme.example/page{n}/" for n in range(3)
    }
    (said,) = [one.message for one in pack.warnings if one.code == "url_required"]
    assert said.startswith("20 of 24 candidates were left out")

    for source in ("acme-web", "acme-code"):
        shop("collections", "forget", source)
    server.record.clear()
    nothing = within(shop.folder, lambda engine: engine.search(QUESTION))
    assert (nothing.verdict.level, nothing.evidence) == ("none", ())
    assert "url_required" in codes(nothing)
    assert asked(server) == []


def publish(place: Path) -> Path:
    """A tokenizer for which every letter is a token."""
    tokenizer = Tokenizer(models.WordLevel({"x": 0}, unk_token="x"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("[\\s\\S]"), "isolated")
    tokenizer.save(str(place))
    return place


def long_document(cli: Cli) -> None:
    cli.write("docs/long.md", "# Long\n\n" + "A key is rotated by hand, with care. " * 12)
    cli("index", "docs", "--lexical", "--name", "acme", "--ref", "v1")


def bodies(server: ContractServer) -> list[str]:
    """The texts that were sent, without their headers."""
    return [text.partition("\n\n")[2] for body in asked(server) for text in body["documents"]]


@pytest.mark.parametrize("named", ["rerank", "provider"])
def test_a_text_is_cut_by_the_tokenizer_of_the_reranker(
    server: ContractServer, shop: Cli, named: str
) -> None:
    long_document(shop)
    line = f'tokenizer = "{publish(shop.folder / "letters.json")}"'
    own, providers = (line, "") if named == "rerank" else ("", line)
    configure(server, shop, f"[rerank]\nbody_tokens = 60\n{own}", providers)
    server.record.clear()
    pack = within(shop.folder, lambda engine: engine.search(QUESTION))
    assert max(map(len, bodies(server))) == 60
    (said,) = [one.message for one in pack.warnings if one.code == "rerank_text_cut"]
    assert said == "1 of 21 texts were cut to 60 tokens"


def test_a_text_is_cut_by_an_estimate_from_above_where_no_tokenizer_is_named(
    server: ContractServer, shop: Cli
) -> None:
    long_document(shop)
    configure(server, shop, "[rerank]\nbody_tokens = 60")
    server.record.clear()
    pack = within(shop.folder, lambda engine: engine.search(QUESTION))
    (cut,) = [text for text in bodies(server) if text.startswith("# Long")]
    assert 20 <= len(cut.split()) < 60
    (said,) = [one.message for one in pack.warnings if one.code == "rerank_text_cut"]
    assert "estimated conservatively" in said
    assert "rerank.tokenizer" in said
    logged = (shop.folder / ".pincite/retrieval.jsonl").read_text(encoding="utf-8").splitlines()
    assert said in logged[-1]


def test_a_tokenizer_that_cannot_be_read_is_said_with_its_path(
    server: ContractServer, shop: Cli
) -> None:
    configure(server, shop, '[rerank]\ntokenizer = "missing.json"')
    done = shop("search", QUESTION, code=2, VOYAGE_API_KEY=KEY)
    assert "missing.json is not a tokenizer" in done.stderr
    assert "Traceback" not in done.stderr
