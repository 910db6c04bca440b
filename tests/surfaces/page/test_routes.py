"""What the server of the page answers, and whom."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

import httpx
import pytest

from pincite.evals.golden.questions import read_golden
from tests.surfaces.page.conftest import Served

VENDORED = {
    "preact.mjs": "bdcbd9abdf2c77c5c45326eab42191e949222d479d0d5f69467387a77040cb55",
    "htm.mjs": "ab33dd3f38059b9be4d5f5350128eefb2356639c4e0bbe9d9e8b3ba75847e9e4",
}


@pytest.mark.parametrize("name", VENDORED)
def test_vendored_files_are_those_of_their_authors(name: str) -> None:
    folder = files("pincite.surfaces.page") / "assets"
    assert sha256((folder / name).read_bytes()).hexdigest() == VENDORED[name]
    assert (folder / f"{name.removesuffix('.mjs')}.LICENSE").is_file()


def test_every_response_has_the_strict_policy(served: Served) -> None:
    for path in (
        "/",
        "/app.js",
        "/parts.js",
        "/markdown.js",
        "/visible.js",
        "/backend.js",
        "/preact.mjs",
        "/htm.mjs",
        "/style.css",
        "/none",
    ):
        found = httpx.get(served.url + path)
        assert found.status_code == (404 if path == "/none" else 200)
        policy = found.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert found.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", ""])
def test_a_name_that_rebinds_to_this_machine_is_refused(served: Served, host: str) -> None:
    assert httpx.get(served.url, headers={"Host": host}).status_code == 421
    assert served.ask("about", {}, Host=host).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1"])
def test_a_page_of_another_site_is_refused(served: Served, origin: str) -> None:
    assert served.ask("about", {}, Origin=origin).status_code == 403
    assert served.ask("about", {}, Origin=served.url).status_code == 200


@pytest.mark.parametrize("token", ["", "x", "x" * 32])
def test_without_the_token_nothing_is_told(served: Served, token: str) -> None:
    found = served.ask("about", {}, **{"X-Pincite-Token": token})
    assert found.status_code == 401
    assert "index" not in found.json()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("ask", {"text": ""}),
        ("ask", {"text": "x" * 10_001}),
        ("ask", {"text": "key", "preset": "../../etc"}),
        ("ask", {"text": "key", "other": 1}),
        ("ask", []),
        ("source", {"citation": "/etc/passwd"}),
        ("source", {"citation": "acme@v1:../../../etc/passwd#L1"}),
        ("source", {"citation": "docs/guide.md", "context": -1}),
        ("judge", {"text": "key", "grade": 4, "path": "a.md"}),
        ("judge", {"text": "key", "grade": 1}),
        ("judge", {"text": "key", "grade": 1, "path": "a.md", "start_line": 5, "end_line": 2}),
    ],
)
def test_a_request_that_cannot_be_is_answered_in_words(
    served: Served, name: str, body: object
) -> None:
    found = served.ask(name, body)
    assert found.status_code == 400
    assert found.json()["message"]


def test_bodies_that_are_too_large_or_nested_too_deeply_are_refused(served: Served) -> None:
    headers = {"X-Pincite-Token": served.token}
    for body in (b"[" * 90_000, b"x" * 200_000, b"\xff\xfe", b""):
        found = httpx.post(f"{served.url}/api/ask", content=body, headers=headers)
        assert found.status_code == 400


def test_reading_is_by_post_alone(served: Served) -> None:
    found = httpx.get(f"{served.url}/api/about", headers={"X-Pincite-Token": served.token})
    assert found.status_code == 405


def test_a_judgement_comes_back_with_the_next_search_and_can_be_taken_back(
    served: Served,
) -> None:
    question = {"text": "which step has the quetzal"}
    first = served.ask("ask", question).json()["results"][0]
    assert first["grade"] is None
    judged = {**question, **first["judged"]}
    assert served.ask("judge", {**judged, "grade": 2}).status_code == 200
    assert served.ask("ask", question).json()["results"][0]["grade"] == 2
    kept = next(q for q in read_golden(served.golden).queries if q.query == question["text"])
    assert [(one.name, one.grade) for one in kept.expected] == [(first["place"], 2)]
    assert served.ask("judge", {**judged, "grade": None}).status_code == 200
    assert served.ask("ask", question).json()["results"][0]["grade"] is None


def test_colours_are_pieces_whose_texts_are_the_lines(served: Served) -> None:
    asked = {"citation": "src/keys.py:4:1", "language": "python", "context": 30}
    found = served.ask("source", asked).json()
    assert found["lines"][3][0] == ["keyword", "def"]
    assert found["marks"] == {"3": [0, len(found["lines"][3])]}
    text = "\n".join("".join(piece for _, piece in line) for line in found["lines"])
    assert text.startswith('"""Keys."""\n\n\ndef rotate_key(')


def test_a_page_of_a_pdf_is_a_picture_with_the_boxes_of_what_is_cited(served: Served) -> None:
    found = served.ask("ask", {"text": "where does the ocelot sleep"}).json()["results"][0]
    assert found["page"] == "Page 2"
    asked = {"citation": found["citation"], "collection": found["collection"]}
    assert served.ask("source", asked).json()["pictured"]
    picture = served.ask("picture", asked).json()
    assert picture["address"].startswith("data:image/png;base64,")
    assert (picture["page"], picture["width"], picture["height"]) == (2, 400, 500)
    assert picture["boxes"]
    for left, top, right, bottom in picture["boxes"]:
        assert 0 <= left < right <= 400
        assert 0 <= top < bottom <= 500


@pytest.mark.parametrize("citation", ["docs/guide.md:1:1", "nowhere.pdf#page=1", "/etc/passwd"])
def test_what_is_on_no_page_of_an_indexed_pdf_has_no_picture(served: Served, citation: str) -> None:
    found = served.ask("picture", {"citation": citation})
    assert found.status_code == 400
    assert found.json()["message"]


def test_questions_are_not_logged_because_text_may_be_incomplete(served: Served) -> None:
    for text in ("how", "how is a k", "how is a key rotated?"):
        found = served.ask("ask", {"text": text, "preset": ""})
        assert found.status_code == 200, found.text
    index = served.golden.parents[1] / ".pincite"
    assert index.is_dir()
    assert not (index / "retrieval.jsonl").exists()
