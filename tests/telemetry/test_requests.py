"""Requests of the server and jobs of its worker are spans, with what they do below them."""

from __future__ import annotations

import pytest

from pincite.surfaces.http.requests import watched_request
from tests.surfaces.http.workspace_server import workspace_server
from tests.telemetry.watching import watched

pytestmark = pytest.mark.anyio
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


async def test_a_search_over_http_is_part_of_the_trace_of_whoever_asks() -> None:
    async with workspace_server() as server:
        ann = await server.person("ann")
        await ann.upload("zebra.md", "# Zebra\n\nA zebra has stripes.\n")
        with watched() as seen:
            await server.work()
            said = await ann.client.post(
                "/v1/search", json={"question": "zebra stripes"}, headers={"traceparent": PARENT}
            )
        assert said.status_code == 200
        request = seen.one("POST /v1/search")
        assert request.context is not None
        assert request.parent is not None
        assert format(request.context.trace_id, "032x") == TRACE
        assert format(request.parent.span_id, "016x") == "b7ad6b7169203331"
        assert request.attributes is not None
        assert request.attributes["http.response.status_code"] == 200
        assert request.attributes["http.route"] == "/v1/search"
        (search,) = seen.named("pincite.search")
        assert search.context is not None
        assert search.context.trace_id == request.context.trace_id
        job = seen.one("pincite.job index")
        assert job.attributes is not None
        assert job.attributes["pincite.job.kind"] == "index"
        for secret in ("zebra", "stripes", ann.key, ann.id):
            assert secret not in seen.all_said().lower()


@pytest.mark.parametrize(
    "header", ["", "x", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "ff-1-2-3", "a" * 5_000]
)
async def test_a_wrong_traceparent_begins_a_trace_of_our_own(header: str) -> None:
    async with workspace_server() as server:
        ann = await server.person("ann")
        with watched() as seen:
            await ann.client.get("/v1/me", headers={"traceparent": header})
        (request,) = [one for one in seen.spans() if one.name.startswith("GET")]
        assert request.parent is None


async def test_paths_that_there_are_not_and_methods_that_were_made_up_give_no_names() -> None:
    async with workspace_server() as server:
        ann = await server.person("ann")
        with watched() as seen:
            await ann.client.get("/v1/documents/secretname?filename=secretname")
            await ann.client.get("/secretname")
            await ann.client.request("SECRETNAME", "/v1/search")
        assert len(seen.spans()) == 3
        assert "secretname" not in seen.all_said().lower()


async def test_an_answer_of_500_is_a_failure() -> None:
    async def fails(scope: object, receive: object, send: object) -> None:
        raise KeyError("secretname")

    scope = {"method": "GET", "headers": [], "path": "/x"}

    async def nothing(*_: object) -> dict[str, object]:
        return {}

    async def sent(_: object) -> None:
        return None

    with watched() as seen, pytest.raises(KeyError):
        await watched_request(fails, scope, nothing, sent, lambda *_: None)
    (found,) = seen.spans()
    assert found.attributes is not None
    assert found.attributes["error.type"] == "KeyError"
    assert "secretname" not in seen.all_said()
