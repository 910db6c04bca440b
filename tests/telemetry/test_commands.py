"""Commands send their spans over OTLP and HTTP, and end whatever the collector does."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.settings.otel import spans_wanted
from tests import forked
from tests.environment import clean_environment
from tests.quick_folder import quick_folder
from tests.telemetry.collectors import collector
from tests.time_limits import HANGS_S


@pytest.fixture
def place() -> Iterator[Path]:
    with quick_folder() as folder:
        (folder / "docs").mkdir()
        (folder / "docs" / "keys.md").write_text("# Keys\n\nTo rotate a key, call rotate_key.\n")
        yield folder
        run(folder, "stop")


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {**clean_environment(), "PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "60", **variables}
    done = forked.run(words, folder, environ)
    said = (done.stdout.decode(), done.stderr.decode())
    return subprocess.CompletedProcess(done.args, done.returncode, *said)


def test_a_search_and_an_index_run_reach_a_collector(place: Path) -> None:
    with collector() as theirs:
        said = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": theirs.url,
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=abc",
            "OTEL_SERVICE_NAME": "tests",
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        assert run(place, "index", "docs", "--lexical", **said).returncode == 0
        found = run(place, "search", "rotate a key", **said)
        assert found.returncode == 0
        assert "rotate_key" in found.stdout
        until_s = time.monotonic() + HANGS_S
        wanted = {"pincite.index", "pincite.search", "pincite.hosted", "pincite.stage.retrieve"}
        # the daemon sends its part when it likes, in several pieces
        while not wanted <= (names := {one.name for one in theirs.spans()}):
            assert time.monotonic() < until_s, names
            time.sleep(0.05)
        assert theirs.resources[0]["service.name"] == "tests"
        assert theirs.headers[0]["x-key"] == "abc"
        assert b"rotate" not in b"".join(theirs.bodies)
        assert str(place).encode() not in b"".join(theirs.bodies)


def test_a_file_can_ask_for_spans_and_does_not_say_where_they_go(place: Path) -> None:
    (place / "pincite.toml").write_text("[tracing]\nenabled = true\n")
    with collector() as theirs:
        said = {"OTEL_EXPORTER_OTLP_ENDPOINT": theirs.url}
        run(place, "index", "docs", "--lexical", OTEL_SDK_DISABLED="true", **said)
        assert not theirs.bodies
        run(place, "search", "rotate a key", **said)
        assert theirs.spans()


@pytest.mark.parametrize("kind", ["refuses", "hangs", "fails", "is gone"])
def test_a_command_ends_whatever_the_collector_does(place: Path, kind: str) -> None:
    run(place, "index", "docs", "--lexical")
    with collector(503 if kind == "fails" else 403, hang=kind == "hangs") as theirs:
        url = theirs.url
        if kind == "is gone":
            with socket.create_server(("127.0.0.1", 0)) as free:
                url = f"http://127.0.0.1:{free.getsockname()[1]}"
        found = run(place, "search", "rotate a key", OTEL_EXPORTER_OTLP_ENDPOINT=url)
    assert found.returncode == 0
    assert "rotate_key" in found.stdout
    assert "Traceback" not in found.stderr
    if kind == "hangs":
        assert "did not accept all spans" in found.stderr


def test_variables_for_other_programs_that_we_cannot_use_are_told_and_stop_nothing(
    place: Path,
) -> None:
    run(place, "index", "docs", "--lexical")
    found = run(place, "search", "rotate a key", OTEL_TRACES_EXPORTER="zipkin")
    assert found.returncode == 0
    assert "spans are not sent: OTEL_TRACES_EXPORTER is 'zipkin'" in found.stderr
    grpc = {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://[::1]:1"}
    found = run(place, "search", "rotate a key", **grpc)
    assert found.returncode == 0
    assert "http/protobuf" in found.stderr


def test_a_worker_logs_json_and_nothing_else(place: Path) -> None:
    environ = {**clean_environment(), "PINCITE_OFFLINE": "1", "PINCITE_LOG_FORMAT": "json"}
    assert run(place, "workspace", "migrate").returncode == 0
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "worker", "--lexical"]
    with subprocess.Popen(
        command, cwd=place, env=environ, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        process.terminate()
        lines = [first, *process.stderr.read().splitlines()]
    said = [json.loads(line) for line in lines]
    assert said[0]["message"].startswith("working on ")
    assert said[-1]["message"] == "ended after 0 documents"


def test_a_log_format_that_there_is_not_is_refused(place: Path) -> None:
    found = run(place, "search", "x", PINCITE_LOG_FORMAT="xml")
    assert found.returncode == 2
    assert "PINCITE_LOG_FORMAT is 'xml'; use one of text, json" in found.stderr


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"}, False),
        ({"OTEL_TRACES_EXPORTER": "console"}, True),
        ({"OTEL_SERVICE_NAME": "x"}, None),
    ],
)
def test_spans_are_wanted_where_the_variables_name_a_collector(
    variables: dict[str, str], wanted: bool | None
) -> None:
    assert spans_wanted(variables) is wanted
