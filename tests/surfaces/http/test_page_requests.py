"""What the page of the server asks: every request is bound to the key that it shows."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from pincite.diagnostics.explain import CandidateView, StageView
from pincite.model import Drop
from pincite.presets import preset_names
from pincite.surfaces.http.shown import readable_stages
from pincite.surfaces.page.questions import REQUESTS
from pincite.workspace.files.folder import FolderFiles
from tests.readers.pdf.files import typeset
from tests.surfaces.http.workspace_server import HOST, Person, workspace_server

QUESTION = "who sleeps under the third shelf of the archive"
MINE, THEIRS = "ocelot", "zanzibar"
NOBODY = "00000000-0000-4000-8000-000000000000"
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MARKDOWN = """# Beasts <script>window.hacked = 1</script>

The {0} of the archive sleeps under the *third* shelf, and keeps the keys.
[here](javascript:window.hacked=2)
"""
PAPER = """#set page(width: 400pt, height: 500pt)
= Lamps
Nothing of it stands on this page.
#pagebreak()
= Shelves
Every {0} of the archive sleeps under the third shelf, as the paper says.
"""
CODE = '''def feed(beast: str) -> None:
    """The {0} of the archive sleeps under the third shelf."""
'''


@dataclass(frozen=True)
class Told:
    """What one of two users was told, who both have a document of each kind. `pairs`: of what the
    other has, and of what nobody has."""

    foreign: list[httpx.Response]
    pairs: list[tuple[httpx.Response, httpx.Response]]
    sources: dict[str, Any]
    picture: Any
    stages: Any
    answer: httpx.Response


async def asked(who: Person, name: str, body: object) -> httpx.Response:
    return await who.client.post(f"/ui/api/{name}", json=body)


@pytest.fixture(scope="module")
def told() -> Told:
    async def session() -> Told:
        async with workspace_server() as made:
            people = {word: await made.person(word) for word in (MINE, THEIRS)}
            for word, who in people.items():
                await who.upload(f"{word}.md", MARKDOWN.format(word))
                await who.upload(f"{word}.py", CODE.format(word))
                await who.upload(f"{word}.pdf", typeset(PAPER.format(word)))
            await made.work()
            mine, theirs = [await citations(who) for who in people.values()]
            return await _told(people[MINE], mine, theirs)

    return asyncio.run(session())


async def citations(who: Person) -> dict[str, str]:
    """Of the documents of a user, by their kind."""
    found = (await asked(who, "ask", {"text": QUESTION})).json()
    places = [
        (one["place"].partition("#")[0].rpartition(".")[2], one["citation"])
        for one in (*found["results"], *found["closest"])
    ]
    assert {kind for kind, _ in places} == {"md", "py", "pdf"}
    return dict(places)


async def _told(me: Person, mine: dict[str, str], theirs: dict[str, str]) -> Told:
    bodies: list[tuple[str, Any]] = [("about", {})]
    bodies += [
        (name, {"text": f"{QUESTION} {THEIRS[:3]}", "preset": preset})
        for preset in ("", *preset_names())
        for name in ("ask", "why", "answer")
    ]
    bodies += [(name, {"citation": o}) for o in theirs.values() for name in ("source", "picture")]
    pairs = []
    for citation in theirs.values():
        absent = citation.replace(document_of(citation), NOBODY)
        for name in ("source", "picture"):
            there = await asked(me, name, {"citation": citation})
            pairs.append((there, await asked(me, name, {"citation": absent})))
    sources = {}
    for kind, citation in mine.items():
        said = await asked(me, "source", {"citation": citation})
        assert said.status_code == 200, said.text
        sources[kind] = said.json()
    return Told(
        [await asked(me, *one) for one in bodies],
        pairs,
        sources,
        (await asked(me, "picture", {"citation": mine["pdf"]})).json(),
        (await asked(me, "why", {"text": QUESTION})).json()["stages"],
        await asked(me, "answer", {"text": QUESTION}),
    )


def document_of(citation: str) -> str:
    """The id of the document that is cited."""
    return citation.partition("/")[2].partition("#")[0]


def test_no_request_shows_anything_of_another_user(told: Told) -> None:
    own = 0
    for found in told.foreign:
        assert THEIRS not in found.text
        words_alone = "searches by words only" in found.text  # what some presets need
        assert found.status_code in (200, 404) or words_alone, found.text
        own += MINE in found.text
    assert own >= 8  # it is not empty answers that have nothing of others


def test_what_another_user_has_is_answered_as_what_there_is_not(told: Told) -> None:
    assert len(told.pairs) == 6
    for there, nothing in told.pairs:
        assert there.status_code == nothing.status_code == 404
        (named,) = set(ID.findall(there.json()["detail"])) - {
            one for one in ID.findall(nothing.json()["detail"]) if one != NOBODY
        }
        assert there.json()["detail"].replace(named, NOBODY) == nothing.json()["detail"]


def test_documents_of_each_kind_are_shown_as_in_the_page_of_an_index(told: Told) -> None:
    found = told.sources
    assert found["md"]["path"] == f"{MINE}.md"
    drawn = json.dumps(found["md"]["rendered"]["nodes"])
    assert '["em", {}, [["cited", {}, ["third"]]]]' in drawn
    assert '["a", ' not in drawn
    assert ["keyword", "def"] in found["py"]["lines"][0]
    assert found["py"]["code"] is True
    assert found["pdf"]["pictured"] is True
    assert told.picture["address"].startswith("data:image/png;base64,")
    assert told.picture["page"] == 2
    ((left, top, right, bottom), *_) = told.picture["boxes"]
    assert 0 <= left < right <= 400
    assert 0 <= top < bottom <= 500


def test_the_way_of_a_result_is_told_stage_by_stage(told: Told) -> None:
    names = [one["stage"] for one in told.stages]
    assert names.index("retrieve") < names.index("load") < names.index("pack")
    ranked = next(one for one in told.stages if one["stage"] == "load")["ranks"]
    assert sorted(ranked.values()) == [1, 2, 3]


def test_an_answer_comes_in_lines_and_cites_own_documents(told: Told) -> None:
    assert told.answer.headers["content-type"].startswith("application/x-ndjson")
    last = json.loads(told.answer.text.splitlines()[-1])["answer"]
    assert {one["place"].partition("#")[0].rpartition(".")[0] for one in last["sources"]} == {MINE}


def test_without_a_key_that_may_search_nothing_is_told() -> None:
    async def told() -> list[httpx.Response]:
        async with workspace_server() as made:
            writer = await made.person("writer", scopes=("write",))
            nobody, wrong = await made.client(), await made.client("pin_wrong")
            bodies = [(name, {"text": "x"}) for name in REQUESTS]
            found = []
            for client in (nobody, wrong, writer.client):
                for name, body in bodies:
                    found.append(await client.post(f"/ui/api/{name}", json=body))
            return found

    statuses = [found.status_code for found in asyncio.run(told())]
    count = len(REQUESTS)
    assert statuses == [401] * 2 * count + [403] * count


IMPOSSIBLE: tuple[tuple[str, Any, int], ...] = (
    ("ask", {"text": ""}, 400),
    ("ask", {"text": "x" * 10_001}, 400),
    ("ask", {"text": "key", "preset": "../../etc"}, 400),
    ("ask", {"text": "key", "tags": {}}, 400),
    ("ask", [], 400),
    ("source", {"citation": "/etc/passwd"}, 404),
    ("source", {"citation": "documents:../../etc/passwd#L1"}, 404),
    ("source", {"citation": "x", "context": 10**6}, 400),
    ("picture", {"citation": "\x00"}, 404),
    ("judge", {"text": "key", "grade": 3, "path": "a.md"}, 400),
    ("nothing", {}, 404),
    ("__init__", {}, 404),
)


def test_a_request_that_cannot_be_is_answered_in_words() -> None:
    async def session() -> list[httpx.Response]:
        async with workspace_server() as made:
            ada = await made.person("ada")
            found = [await asked(ada, name, body) for name, body, _ in IMPOSSIBLE]
            broken = (b"[" * 90_000, b"x" * 200_000, b"\xff\xfe", b"")
            post = ada.client.post
            return found + [await post("/ui/api/ask", content=raw) for raw in broken]

    answers = asyncio.run(session())
    assert [one.status_code for one in answers] == [*(one[2] for one in IMPOSSIBLE), *[400] * 4]
    assert all(one.json()["title"] for one in answers)


def test_a_key_of_one_space_reads_nothing_of_the_others_of_its_user() -> None:
    async def told() -> tuple[httpx.Response, httpx.Response, httpx.Response]:
        async with workspace_server() as made:
            ada = await made.person("ada")
            space = (await ada.client.post("/v1/spaces", json={"name": "shared"})).json()["id"]
            narrow = await made.person("ada", space_id=space, user_id=ada.id)
            await ada.upload("own.md", MARKDOWN.format(MINE))
            await made.work()
            (own, *_) = (await asked(ada, "ask", {"text": QUESTION})).json()["results"]
            return (
                await asked(narrow, "ask", {"text": QUESTION}),
                await asked(narrow, "source", {"citation": own["citation"]}),
                await asked(narrow, "about", {}),
            )

    pack, source, about = asyncio.run(told())
    assert pack.json()["results"] == pack.json()["closest"] == []
    assert source.status_code == 404
    assert "1 space" in about.json()["words"]


def test_a_space_that_is_left_is_gone_with_the_next_request() -> None:
    async def told() -> tuple[list[httpx.Response], list[httpx.Response]]:
        async with workspace_server() as made:
            ada, bert = await made.person("ada"), await made.person("bert")
            space = (await bert.client.post("/v1/spaces", json={"name": "shared"})).json()["id"]
            member = f"/v1/spaces/{space}/members/{ada.id}"
            await bert.client.put(member, json={"role": "viewer"})
            await bert.upload("paper.pdf", typeset(PAPER.format(THEIRS)), space_id=space)
            await made.work()
            (own, *_) = (await asked(ada, "ask", {"text": QUESTION})).json()["results"]
            requests = [
                ("ask", {"text": QUESTION}),
                ("why", {"text": QUESTION}),
                ("answer", {"text": QUESTION}),
                ("source", {"citation": own["citation"]}),
                ("picture", {"citation": own["citation"]}),
            ]
            before = [await asked(ada, *one) for one in requests]
            await bert.client.delete(member)
            return before, [await asked(ada, *one) for one in requests]

    before, after = asyncio.run(told())
    assert [found.status_code for found in before] == [200] * 5
    assert [found.status_code for found in after] == [200] * 3 + [404] * 2
    assert "paper.pdf" in before[0].text
    for found in after:
        assert THEIRS not in found.text
        assert "paper.pdf" not in found.text
        assert "data:image" not in found.text


class SlowFiles(FolderFiles):
    """Files of which those of `slow` are read when `free` is set. `most` were read at once."""

    slow, most, _reading = "", 0, 0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.free = asyncio.Event()

    async def read(self, space_id: str, content_hash: str) -> bytes:
        if space_id == self.slow:
            self._reading += 1
            self.most = max(self.most, self._reading)
            await self.free.wait()
            self._reading -= 1
        return await super().read(space_id, content_hash)


def test_one_user_has_one_page_drawn_at_a_time_and_others_wait_for_none(tmp_path: Path) -> None:
    async def session() -> tuple[int, httpx.Response, list[httpx.Response]]:
        files = SlowFiles(tmp_path)
        async with workspace_server(files=files) as made:
            ada, bert = await made.person("ada"), await made.person("bert")
            asks = []
            for who in (ada, bert):
                await who.upload("paper.pdf", typeset(PAPER.format(MINE)))
                await made.work()
                (own, *_) = (await asked(who, "ask", {"text": QUESTION})).json()["results"]
                asks.append((who, "picture", {"citation": own["citation"]}))
            files.slow = ada.personal
            slow = [asyncio.create_task(asked(*asks[0])) for _ in range(4)]
            other = await asked(*asks[1])
            files.free.set()
            return files.most, other, await asyncio.gather(*slow)

    most, other, slow = asyncio.run(session())
    assert most == 1
    assert {found.status_code for found in (other, *slow)} == {200}


def test_a_passage_of_a_document_that_was_replaced_has_no_picture_of_the_new_one() -> None:
    async def session() -> list[httpx.Response]:
        async with workspace_server() as made:
            ada = await made.person("ada")
            document = await ada.upload("paper.pdf", typeset(PAPER.format(MINE)))
            await made.work()
            (own, *_) = (await asked(ada, "ask", {"text": QUESTION})).json()["results"]
            path, found = f"/v1/documents/{document['id']}/content", []
            for raw in (typeset("= Other\nWords of another paper."), b"%PDF-1.4 broken", b"text"):
                await ada.client.put(path, content=raw)
                found.append(await asked(ada, "picture", {"citation": own["citation"]}))
            return found

    other, *broken = asyncio.run(session())
    assert [found.status_code for found in (other, *broken)] == [400] * 3
    assert "another text than when" in other.json()["detail"]
    for found in broken:
        assert found.json()["detail"].startswith("broken: ")


def test_stages_before_the_documents_are_checked_tell_nothing_of_others() -> None:
    def view(*ids: str) -> tuple[CandidateView, ...]:
        return tuple(CandidateView(one, f"secret/{one}", ()) for one in ids)

    stages = [
        StageView("retrieve", 1.0, "90 found of chunks"),
        StageView("fuse", 1.0, "3 candidates", view("x", "a", "b"), (Drop("x", "secret"),)),
        StageView("load", 1.0, "2 candidates", view("a", "b")),
        StageView("gate", 1.0, "grounded: enough", view("a")),
    ]
    found = readable_stages(stages, ["a"])
    assert [one.summary for one in found] == [
        "",
        "2 candidates",
        "2 candidates",
        "grounded: enough",
    ]
    assert [one.id for one in found[1].candidates] == ["a", "b"]
    assert found[1].dropped == ()
    (nothing, hidden, *_) = readable_stages(stages[:2], [])
    assert (nothing.summary, hidden.summary, hidden.candidates) == ("", "", ())


def test_another_site_and_another_name_get_nothing_even_with_the_key() -> None:
    async def told() -> list[int]:
        async with workspace_server() as made:
            ada = await made.person("ada")
            found = []
            for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
                said = await ada.client.post("/ui/api/about", json={}, headers=headers)
                found.append(said.status_code)
            own = {"origin": f"http://{HOST}"}
            said = await ada.client.post("/ui/api/about", json={}, headers=own)
            assert said.headers["content-security-policy"].startswith("default-src 'none'; frame")
            return [*found, said.status_code]

    assert asyncio.run(told()) == [403, 421, 200]
