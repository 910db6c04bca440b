"""What goes on in another process is part of the trace: the daemon's stages, calls of agents."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from mcp import Client

from pincite import AsyncPincite
from pincite.ports.tracing import span, traceparent
from pincite.surfaces.mcp.server import make_server
from pincite.surfaces.mcp.tools import tools
from tests.quick_folder import quick_folder
from tests.telemetry.collectors import collector
from tests.telemetry.indexed import indexed
from tests.telemetry.watching import Seen, watched
from tests.time_limits import HANGS_S

pytestmark = pytest.mark.anyio
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


@asynccontextmanager
async def agent(engine: AsyncPincite) -> AsyncIterator[Client]:
    async with Client(make_server(engine, tools(engine))) as client:
        yield client


async def test_the_daemon_tells_its_stages_below_the_span_of_the_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with collector() as sent, quick_folder() as folder:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", sent.url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
        async with await indexed(folder) as engine:
            try:
                with watched() as seen:
                    await engine.search("rotate a key")
                ours = seen.one("pincite.search")
                assert ours.context is not None
                assert seen.children(ours) == []  # the daemon tells them, with their counts
                until_s = time.monotonic() + HANGS_S
                while not (found := [s for s in sent.spans() if s.name == "pincite.hosted"]):
                    assert time.monotonic() < until_s
                    await asyncio.sleep(0.05)
                (whole,) = found
                assert whole.trace_id.hex() == format(ours.context.trace_id, "032x")
                assert whole.parent_span_id.hex() == format(ours.context.span_id, "016x")
                stages = [s for s in sent.spans() if s.parent_span_id == whole.span_id]
                assert "pincite.stage.retrieve" in {one.name for one in stages}
                assert {s.trace_id for s in stages} == {whole.trace_id}
                counts = {one.key for stage in stages for one in stage.attributes}
                assert "pincite.candidates" in counts
                assert b"rotate" not in b"".join(sent.bodies)
                assert str(folder).encode() not in b"".join(sent.bodies)
            finally:
                await engine.stop()


async def test_nobody_is_told_of_a_span_that_is_not_recorded() -> None:
    assert traceparent() == ""
    with watched():
        assert traceparent() == ""
        with span("ours"):
            assert traceparent().startswith("00-")


def parent_of(seen: Seen, name: str) -> tuple[str, str]:
    one = seen.one(name)
    assert one.context is not None
    assert one.parent is not None
    return format(one.context.trace_id, "032x"), format(one.parent.span_id, "016x")


async def test_a_tool_is_a_span_of_the_trace_that_the_agent_names() -> None:
    with quick_folder() as folder:
        async with await indexed(folder) as engine:
            try:
                with watched() as seen:
                    async with agent(engine) as client:
                        meta = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
                        said = {"query": "rotate a key"}
                        await client.call_tool("search_evidence", said, meta=meta)  # type: ignore[arg-type]
                assert parent_of(seen, "tools/call search_evidence") == (TRACE, PARENT)
                tool = seen.one("tools/call search_evidence")
                assert tool.attributes is not None
                assert tool.attributes["gen_ai.tool.name"] == "search_evidence"
                assert "pincite.search" in [one.name for one in seen.children(tool)]
                for secret in ("rotate", "keys.md", str(folder)):
                    assert secret not in seen.all_said()
            finally:
                await engine.stop()


async def test_a_wrong_traceparent_of_an_agent_begins_a_trace_of_our_own() -> None:
    headers = ("", "x", f"00-{'0' * 32}-{PARENT}-01", "a" * 9_000, 7, None)
    with quick_folder() as folder:
        async with await indexed(folder) as engine:
            try:
                with watched() as seen:
                    async with agent(engine) as client:
                        for header in headers:
                            meta = {"traceparent": header}
                            said = {"locator": "none.md"}
                            found = await client.call_tool("read_lines", said, meta=meta)  # type: ignore[arg-type]
                            assert found.is_error
                calls = seen.named("tools/call read_lines")
                assert len(calls) == len(headers)
                for one in calls:
                    assert one.parent is None
                    assert one.attributes is not None
                    assert one.attributes["error.type"] == "tool_error"
                assert "none.md" not in seen.all_said()
            finally:
                await engine.stop()
