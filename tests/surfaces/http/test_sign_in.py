"""Requests with a token of an issuer in place of a key: the same user, the same limits."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from pincite.settings.sections.oidc import OidcSettings
from pincite.surfaces.http.resources import RequestLimits
from pincite.workspace.access.issuer_keys import IssuerKeys
from pincite.workspace.access.tokens import link_user
from tests.surfaces.http.workspace_server import WorkspaceServer, workspace_server
from tests.workspace.conftest import issuer
from tests.workspace.issuer import AUDIENCE, Issuer, public, rsa

__all__ = ["issuer"]
pytestmark = pytest.mark.anyio


@pytest.fixture
async def served(issuer: Issuer) -> AsyncIterator[WorkspaceServer]:
    keys = IssuerKeys(OidcSettings(issuer.url, AUDIENCE))
    async with workspace_server(issuer=keys) as made:
        yield made
    await keys.close()


async def linked(
    served: WorkspaceServer, issuer: Issuer, user_id: str, subject: str = "ada"
) -> str:
    async with served.resources.workspaces.administration() as operator:
        return (await link_user(operator, user_id, issuer.url, subject)).id


async def test_a_token_opens_what_a_key_of_the_same_user_opens(
    served: WorkspaceServer, issuer: Issuer
) -> None:
    ada, bob = await served.person("Ada"), await served.person("Bob")
    await ada.upload("plans.md", "# Plans\n\nThe zanzibar plan.\n")
    await served.work()
    await linked(served, issuer, ada.id)
    await linked(served, issuer, bob.id, "bob")
    for subject, found in (("ada", ["plans.md"]), ("bob", [])):
        client = await served.client(issuer.token(subject))
        listed = (await client.get("/v1/documents")).json()["items"]
        assert [one["filename"] for one in listed] == found
        said = await client.post("/v1/search", json={"question": "the zanzibar plan"})
        assert ("zanzibar" in str(said.json()["evidence"])) is bool(found)
    assert (await ada.client.get("/v1/documents")).status_code == 200


async def test_scopes_of_a_token_bound_what_it_may(served: WorkspaceServer, issuer: Issuer) -> None:
    ada = await served.person("Ada", ["search", "write", "admin"])
    await linked(served, issuer, ada.id)
    reads = await served.client(issuer.token(scope="pincite:search"))
    assert (await reads.get("/v1/documents")).status_code == 200
    said = await reads.post("/v1/documents?filename=a.md", content=b"a")
    assert (said.status_code, said.json()["code"]) == (403, "forbidden")
    nothing = await served.client(issuer.token(scope="openid"))
    assert (await nothing.get("/v1/documents")).status_code == 403
    assert (await reads.get("/metrics")).status_code == 403


async def test_refusals_tell_nothing_of_who_is_known(
    served: WorkspaceServer, issuer: Issuer
) -> None:
    ada = await served.person("Ada")
    await linked(served, issuer, ada.id)
    refused = [
        issuer.token("eve"),
        issuer.token("ada", aud="others"),
        issuer.token("ada", key=rsa("own"), header={"kid": "one"}),
        issuer.token("ada")[:-8],
        "pin_like",
        "x" * 9_000,
    ]
    told = set()
    for token in refused:
        said = await (await served.client(token)).get("/v1/documents")
        assert said.status_code == 401
        assert said.headers["www-authenticate"] == "Bearer"
        problem = said.json()
        told.add((problem["code"], problem.get("detail") if token != "pin_like" else ""))
    assert told == {("unauthenticated", "the token is not valid"), ("unauthenticated", "")}
    said = await (await served.client(issuer.token(exp=1_000))).get("/v1/documents")
    assert said.json()["detail"] == "the token has expired"


async def test_a_sign_in_that_is_revoked_is_refused_at_once(
    served: WorkspaceServer, issuer: Issuer
) -> None:
    ada = await served.person("Ada")
    key = await linked(served, issuer, ada.id)
    client = await served.client(issuer.token())
    listed = (await client.get("/v1/keys")).json()
    assert key in [one["id"] for one in listed]
    assert (await ada.client.delete(f"/v1/keys/{key}")).status_code == 204
    assert (await client.get("/v1/documents")).status_code == 401
    assert (await ada.client.get("/v1/documents")).status_code == 200


async def test_keys_work_while_the_issuer_is_down(served: WorkspaceServer, issuer: Issuer) -> None:
    ada = await served.person("Ada")
    await linked(served, issuer, ada.id)
    issuer.answers["/keys"] = (500, b"")
    said = await (await served.client(issuer.token())).get("/v1/documents")
    assert (said.status_code, said.json()["code"]) == (503, "unavailable")
    assert issuer.url not in said.text
    assert int(said.headers["retry-after"]) > 0
    assert (await ada.client.get("/v1/documents")).status_code == 200


async def test_tokens_of_one_subject_share_one_limit(issuer: Issuer) -> None:
    keys = IssuerKeys(OidcSettings(issuer.url, AUDIENCE, create_users=True))
    async with workspace_server(limits=RequestLimits(per_minute=2), issuer=keys) as served:
        said = [
            (await (await served.client(issuer.token(jti=one))).get("/v1/documents")).status_code
            for one in "abc"
        ]
        assert said == [200, 200, 429]
        other = await served.client(issuer.token("bob"))
        assert (await other.get("/v1/documents")).status_code == 200
    await keys.close()


async def test_the_description_names_the_issuer_where_there_is_one(
    served: WorkspaceServer, issuer: Issuer
) -> None:
    described = (await (await served.client()).get("/openapi.json")).json()
    assert described["components"]["securitySchemes"]["token"] == {
        "type": "openIdConnect",
        "openIdConnectUrl": f"{issuer.url}/.well-known/openid-configuration",
    }
    assert described["security"] == [{"key": []}, {"token": []}]


async def test_a_rotated_key_signs_in_without_a_restart(
    served: WorkspaceServer, issuer: Issuer
) -> None:
    ada = await served.person("Ada")
    await linked(served, issuer, ada.id)
    issuer.keys = public(rsa("one"), rsa("new"))
    for key in (rsa("one"), rsa("new")):
        client = await served.client(issuer.token(key=key))
        assert (await client.get("/v1/documents")).status_code == 200


async def test_without_an_issuer_a_token_is_no_key(issuer: Issuer) -> None:
    async with workspace_server() as served:
        said = await (await served.client(issuer.token())).get("/v1/documents")
        assert said.status_code == 401
        described = (await (await served.client()).get("/openapi.json")).json()
        assert set(described["components"]["securitySchemes"]) == {"key"}
        assert issuer.asked == []
