"""Headers for pages of other origins: those of an allowed one, and none for others."""

from __future__ import annotations

import httpx
import pytest

from pincite.errors import ConfigError
from pincite.surfaces.http.app import Names, make_app
from pincite.surfaces.http.guard import GuardLimits
from pincite.surfaces.web.address import Address
from tests.surfaces.http.workspace_server import HOST, workspace_server

pytestmark = pytest.mark.anyio
APP = "https://app.example"
ASKS = {"access-control-request-method": "PATCH", "access-control-request-headers": "authorization"}


def given(said: httpx.Response) -> set[str]:
    """The headers of a response that are about other origins."""
    return {name for name in said.headers if name.startswith("access-control-")}


async def test_an_allowed_origin_is_told_what_it_may_and_others_nothing() -> None:
    async with workspace_server() as served:
        served.app = make_app(served.resources, Names((HOST,), (APP,)))
        client = (await served.person("Anna")).client
        for path in ("/v1/spaces", "/v1/nothing", "/ui/api/ask"):
            first = await client.options(path, headers={"origin": APP, **ASKS})
            assert (first.status_code, first.content) == (204, b"")
            assert first.headers["access-control-allow-origin"] == APP
            assert first.headers["vary"] == "Origin"
            assert "PATCH" in first.headers["access-control-allow-methods"]
            sent = first.headers["access-control-allow-headers"]
            assert {"authorization", "content-type", "idempotency-key", "if-match"} <= set(
                sent.split(", ")
            )
            assert int(first.headers["access-control-max-age"]) > 0
            assert first.headers["x-request-id"]
        for path, status in (("/v1/spaces", 200), ("/v1/nothing", 404), ("/healthz", 200)):
            said = await client.get(path, headers={"origin": APP})
            assert said.status_code == status
            assert said.headers["access-control-allow-origin"] == APP
            shown = said.headers["access-control-expose-headers"]
            assert {"x-request-id", "retry-after"} <= set(shown.split(", "))
            assert "access-control-allow-credentials" not in said.headers
        for origin in ("https://evil.example", "null", f"{APP}.evil.example", f"http://{HOST}"):
            for said in (
                await client.options("/v1/spaces", headers={"origin": origin, **ASKS}),
                await client.get("/v1/spaces", headers={"origin": origin}),
            ):
                assert given(said) == set()
        wrong = {"origin": APP, "host": "evil.example", **ASKS}
        assert (await client.options("/v1/spaces", headers=wrong)).status_code == 421
        plain = await client.options("/v1/spaces", headers={"origin": APP})
        assert plain.headers["allow"] == "GET, HEAD, OPTIONS, POST"


async def test_a_refusal_before_the_routes_can_be_read_by_the_page() -> None:
    async with workspace_server() as served:
        limits = GuardLimits(at_once=1, waiting=-1)
        served.app = make_app(served.resources, Names((HOST,), (APP,)), limits)
        client = await served.client()
        said = await client.get("/v1/spaces", headers={"origin": APP})
        assert (said.status_code, said.headers["access-control-allow-origin"]) == (503, APP)


@pytest.mark.parametrize(
    "origin",
    [
        *("*", "app.example", f"{APP}/", "https://App.example", ""),
        *(f"{APP}:443", "https://user@app.example", f"{APP}:", "https://[::1", f"{APP}:99999"),
        "https://stra\u00dfe.example",
    ],
)
def test_what_no_browser_sends_is_not_an_origin(origin: str) -> None:
    with pytest.raises(ConfigError, match="is not an origin") as caught:
        Address(origins=(origin,), command="pincite serve")
    assert caught.value.hint == "pincite serve --allow-origin https://app.example"


@pytest.mark.parametrize(
    ("origin", "sent"),
    [
        ("https://m\u00fcnchen.example:8443", "https://xn--mnchen-3ya.example:8443"),
        ("http://me:x@[::1]:80/x", "http://[::1]"),
    ],
)
def test_a_refused_origin_is_shown_as_browsers_send_it(origin: str, sent: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Address(origins=(origin,), command="pincite serve")
    assert caught.value.hint == f"pincite serve --allow-origin {sent}"
    assert Address(origins=(sent,)).origins == (sent,)


@pytest.mark.parametrize(
    "origin",
    ["null", "http://localhost:3000", "https://a_b.example:80", "chrome-extension://abcdefgh"],
)
def test_what_browsers_send_is_an_origin(origin: str) -> None:
    assert Address(origins=(origin,)).origins == (origin,)
