"""The examples of docs/http.md, run with curl against a server in a process of its own."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.surfaces.http.described import Description
from tests.surfaces.http.example_server import serving
from tests.time_limits import HANGS_S

PAGE = Path(__file__).parents[3] / "docs/http.md"
_BLOCK = re.compile(r"```sh\n(.*?)```\n(?:```json\n(.*?)```)?", re.DOTALL)


class Example(NamedTuple):
    """Commands, and what the page says of the answer of the last one."""

    commands: tuple[str, ...]
    answer: Any


def examples() -> list[Example]:
    found = _BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [
        Example(tuple(code.strip().splitlines()), json.loads(answer) if answer else None)
        for code, answer in found
    ]


def holds(shown: Any, said: Any) -> bool:
    """Is everything that is shown so? `...` is any value; lists may go on."""
    if shown == "...":
        return said is not None
    if isinstance(shown, dict):
        return isinstance(said, dict) and all(
            name in said and holds(value, said[name]) for name, value in shown.items()
        )
    if isinstance(shown, list):
        return len(said) >= len(shown) and all(map(holds, shown, said))
    return bool(shown == said)


def route_of(command: str) -> tuple[str, str] | None:
    """Method and path of a call, the names of ids in place of ids; None for what is none."""
    words = shlex.split(command)
    if words[0] != "curl":
        return None
    path = words[-1].removeprefix("$URL").partition("?")[0]
    told = words[words.index("-X") + 1] if "-X" in words else None
    sends = {"--json", "--data-binary"} & set(words)
    return told or ("POST" if sends else "GET"), path


def check_described(description: Description, command: str, said: str) -> None:
    """Fail if the description rejects the body of a call or of its answer."""
    method, path = route_of(command) or ("", "")
    words = shlex.split(command)
    if "--json" in words:
        description.check_request(method, path, words[words.index("--json") + 1])
    if "--no-buffer" not in words:
        description.check_response(method, path, "2", said)


@pytest.mark.timeout(HANGS_S)
def test_each_example_answers_what_the_page_says() -> None:
    assert shutil.which("curl"), "apt-get install curl"
    made = {"/v1/documents": "DOCUMENT_ID", "/v1/spaces": "SPACE_ID", "/v1/feeds": "FEED_ID"}
    made |= {"/v1/conversations": "CONVERSATION_ID", "/v1/facts": "FACT_ID"}
    with serving() as served:
        description = Description(httpx.get(f"{served.url}/openapi.json").json())
        for example in examples():
            for command in example.commands:
                said = served.run(command)
                method, path = route_of(command) or ("", "")
                if path.startswith("/v1/"):
                    check_described(description, served.named(command), said)
                if (method, path) == ("GET", "/v1/documents/DOCUMENT_ID"):
                    while json.loads(said)["status"] not in ("ready", "failed"):
                        time.sleep(0.05)
                        said = served.run(command)
                if method == "POST" and path in made:
                    one = json.loads(said)
                    served.names[made[path]] = (one[0] if isinstance(one, list) else one)["id"]
                if path == "/v1/search":
                    served.names["CITATION"] = json.loads(said)["evidence"][0]["citation"]
                if path.endswith("/content") and method == "GET":
                    assert said == (served.folder / "keys.md").read_text()
                if path == "/v1/context":
                    assert "rotate_key" in said
                if "--no-buffer" in command:
                    named = [line for line in said.splitlines() if line.startswith("event: ")]
                    assert named[-1] == "event: answer"
                if path == "/metrics":
                    assert "pincite_requests_total" in said
            if example.answer is not None:
                assert holds(example.answer, json.loads(said)), (example, said)
        left = {
            (method.upper(), re.sub(r"\{(\w+)\}", lambda one: one[1].upper(), path))
            for path, operations in description.told["paths"].items()
            for method in operations
        } - {route_of(command) for example in examples() for command in example.commands}
        assert left == set()
        log = (served.folder / "log").read_text()
        assert "rotate" not in log
        assert "pin_" not in log


def test_an_answer_that_says_something_else_is_seen() -> None:
    assert holds({"a": [{"b": "..."}]}, {"a": [{"b": 1, "c": 2}, 3], "d": 4})
    others: list[Any] = [{}, {"a": []}, {"a": [{"b": None}]}, {"a": [{"c": 1}]}]
    for other in others:
        assert not holds({"a": [{"b": "..."}]}, other)
    assert not holds({"a": 1}, {"a": 2})
