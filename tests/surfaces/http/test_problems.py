"""Errors tell users what they can act on; the log has the advice for the operator."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import (
    ConfigError,
    DiskFull,
    InvalidPoint,
    PinciteError,
    SourceError,
    StoreError,
    Unavailable,
    UsageError,
)
from pincite.surfaces.http import problems
from pincite.surfaces.http.problems import TooManyRequests, problem_of
from pincite.workspace.workspace import Workspace
from tests.surfaces.http.workspace_server import workspace_server

INSIDE = "http://10.0.0.7:6333 and /srv/pincite"
PAGE = Path(__file__).parents[3] / "docs/http.md"
#: Errors of the framework and of the guard, and of too little capacity.
BESIDE = {
    (405, "method_not_allowed"),
    (403, "wrong_origin"),
    (421, "wrong_host"),
    (500, "internal"),
    (503, "rate_limited"),
}


def test_the_page_lists_every_status_with_its_codes() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {(int(status), code) for status, code in rows}
    assert listed == {(status, code) for _, status, code in problems._CODES} | BESIDE
    assert {status for status, _ in listed} >= {500, 502, 507}


@pytest.mark.parametrize(
    "error",
    [
        PinciteError(INSIDE, hint=INSIDE),
        InvalidPoint(INSIDE, hint=INSIDE),
        SourceError(INSIDE, hint=INSIDE),
        StoreError(INSIDE, hint=INSIDE),
        DiskFull(INSIDE, hint=INSIDE),
        ConfigError(INSIDE, hint=INSIDE),
        Unavailable(INSIDE, hint=INSIDE),
        OSError(INSIDE),
    ],
)
def test_a_fault_of_the_server_has_no_detail(error: Exception) -> None:
    problem = problem_of(error, "r1")
    assert problem.status >= 500
    assert (problem.detail, problem.hint) == ("", "")


@pytest.mark.parametrize(
    "hint",
    [
        'pincite search "how do I ..."',
        "to add them, run `pincite index --upgrade`",
        "search one of them: -c guides",
        'set [models] llm = "PROVIDER:MODEL"',
        "set rerank.pool = 20",
        "pip install 'pincite[documents]'",
        "choose a shorter path with PINCITE_INDEX",
        "fix it in pincite.toml",
    ],
)
def test_advice_for_the_operator_is_left_out(hint: str) -> None:
    problem = problem_of(UsageError("the query is empty", hint=hint))
    assert (problem.status, problem.detail, problem.hint) == (400, "the query is empty", "")


@pytest.mark.parametrize(
    "hint",
    [
        "Authorization: Bearer pin_...",
        "ask an owner of the space",
        "use (a or b) and c, or two searches",
        "use a filter: course = 'ml' or course = 'nlp'",
        "make another user an owner",
        "pass the `next` of one of your pages",
        "give a text, a list of texts, a number, true or false, or a date",
    ],
)
def test_advice_for_the_client_stays(hint: str) -> None:
    assert problem_of(UsageError("no", hint=hint)).hint == hint


def test_a_server_at_its_limit_says_so() -> None:
    busy = TooManyRequests("the server is at its limit of requests", 1.0, status=503)
    assert problem_of(busy).detail == busy.message


def test_every_way_leaves_the_advice_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "pincite.http")

    async def told() -> list[tuple[int, dict[str, Any]]]:
        async with workspace_server() as made:
            anna = await made.person("Anna")
            await anna.upload("keys.md", "# Keys\n\nTo rotate a key, call `rotate`.\n")
            await made.work()
            asked = [
                ("/v1/search", {"question": " "}),
                ("/v1/search", {"question": "rotate", "by": "vector"}),
                ("/ui/api/ask", {"text": " "}),
                ("/ui/api/judge", {"text": "rotate", "path": "keys.md", "grade": 1}),
            ]
            said = [await anna.client.post(path, json=body) for path, body in asked]
            return [(one.status_code, one.json()) for one in said]

    found = asyncio.run(told())
    assert [status for status, _ in found] == [400] * len(found)
    details = [problem["detail"] for _, problem in found]
    assert details == [
        "the query is empty",
        "this server searches by words only",
        "the query is empty",
        "this server keeps no judgements",
    ]
    assert found[0][1]["hint"].startswith("write a question")
    assert found[1][1]["hint"].startswith("leave out `by`")
    for _, problem in found:
        assert "pincite" not in f"{problem['detail']} {problem.get('hint', '')}"
    assert "pincite index --upgrade" in caplog.text


@pytest.mark.parametrize("path", ["/v1/answers", "/ui/api/answer"])
def test_a_fault_within_a_stream_is_logged_and_not_told(
    path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(*_: object, **__: object) -> AsyncIterator[object]:
        if path:
            raise StoreError(INSIDE, hint="pincite status")
        yield None

    monkeypatch.setattr(Workspace, "answer_stream", fails)

    async def told() -> tuple[str, str]:
        async with workspace_server() as made:
            anna = await made.person("Anna")
            body: dict[str, object] = {"text": "rotate"}
            if path.startswith("/v1"):
                body = {"question": "rotate", "stream": True}
            said = await anna.client.post(path, json=body)
            return said.text, said.headers["x-request-id"]

    text, request_id = asyncio.run(told())
    last = next(line for line in reversed(text.splitlines()) if line.strip())
    shown = json.loads(last.removeprefix("data: "))
    shown = shown.get("problem", shown)
    assert "Temporarily unavailable" in (shown.get("message") or shown["title"])
    assert INSIDE not in text
    assert "pincite status" not in text
    assert f"{request_id} StoreError: {INSIDE}" in caplog.text
    assert "pincite status" in caplog.text
