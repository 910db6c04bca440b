"""Who signs in by a token is a user of ours; and nonsense in tokens and keys, by the hundred."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import Unauthenticated, UsageError
from pincite.settings.sections.oidc import OidcSettings
from pincite.support.terminal import hidden_in
from pincite.workspace.access import issuer_keys
from pincite.workspace.access.issuer_keys import IssuerKeys
from pincite.workspace.access.keys import make_key
from pincite.workspace.access.tokens import TokenRefused, link_user, read_token, verify_token
from pincite.workspace.access.verification import Caller, verify_key
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.removal import remove_user
from tests.workspace.issuer import AUDIENCE, Issuer, curve, now, rsa
from tests.workspace.postgres_server import Server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def keys(issuer: Issuer) -> AsyncIterator[IssuerKeys]:
    made = IssuerKeys(OidcSettings(issuer.url, AUDIENCE))
    yield made
    await made.close()


def part(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.fixture
async def workspaces(tmp_path: Path) -> AsyncIterator[SqliteWorkspaces]:
    made = SqliteWorkspaces(tmp_path / "workspaces.db")
    await made.migrate()
    yield made
    await made.close()


async def signed_in(workspaces: SqliteWorkspaces, keys: IssuerKeys, token: str) -> Caller:
    return await verify_token(workspaces, keys, token, now())


async def test_a_token_is_the_access_of_the_user_it_is_linked_to(
    workspaces: SqliteWorkspaces, issuer: Issuer, keys: IssuerKeys
) -> None:
    with pytest.raises(TokenRefused, match="not valid"):
        await signed_in(workspaces, keys, issuer.token())
    async with workspaces.administration() as operator:
        ada = await operator.add_user("Ada")
        key = await link_user(operator, ada.id, issuer.url, "ada")
    caller = await signed_in(workspaces, keys, issuer.token(scope="pincite:search"))
    assert caller.access.user_id == ada.id
    assert caller.access.scopes == caller.key.scopes == ("search",)
    async with workspaces.administration() as operator:
        with pytest.raises(UsageError, match="already"):
            await link_user(operator, ada.id, issuer.url, "ada")
        assert (await operator.keys())[0].last_used is not None
        await operator.revoke_key(key.id)
    with pytest.raises(TokenRefused, match="not valid"):
        await signed_in(workspaces, keys, issuer.token())
    async with workspaces.administration() as operator:
        bob = await operator.add_user("Bob")
        with pytest.raises(UsageError, match="already"):
            await link_user(operator, bob.id, issuer.url, "ada")
        assert (await link_user(operator, ada.id, issuer.url, "ada")).id == key.id
    assert (await signed_in(workspaces, keys, issuer.token())).key.id == key.id


async def test_a_key_that_was_revoked_stays_so(workspaces: SqliteWorkspaces) -> None:
    async with workspaces.administration() as operator:
        ada, new = await operator.add_user("Ada"), make_key()
        key = await operator.add_key(ada.id, "laptop", new.hash, new.prefix, ["search"])
        await operator.revoke_key(key.id)
        await operator.restore_sign_in(key.id)
    with pytest.raises(Unauthenticated, match="revoked"):
        await verify_key(workspaces, new.text, now())


async def test_the_same_subject_of_another_issuer_is_somebody_else(
    workspaces: SqliteWorkspaces, issuer: Issuer, keys: IssuerKeys
) -> None:
    async with workspaces.administration() as operator:
        ada = await operator.add_user("Ada")
        await link_user(operator, ada.id, "https://login.example", "ada")
    with pytest.raises(TokenRefused):
        await signed_in(workspaces, keys, issuer.token())


async def test_who_comes_first_is_made_a_user_once_where_that_is_configured(
    workspaces: SqliteWorkspaces, issuer: Issuer
) -> None:
    keys = IssuerKeys(OidcSettings(issuer.url, AUDIENCE, create_users=True))
    with pytest.raises(TokenRefused):
        await verify_token(workspaces, keys, issuer.token(scope="openid"), now())
    token = issuer.token(preferred_username="Ada\n\0 L", email="ada@example.org")
    callers = await asyncio.gather(
        *(verify_token(workspaces, keys, token, now()) for _ in range(6))
    )
    async with workspaces.administration() as operator:
        (user,) = await operator.users()
        assert len(await operator.keys()) == 1
    assert {one.access.user_id for one in callers} == {user.id}
    assert (user.name, user.email) == ("Ada L", "ada@example.org")
    await keys.close()


async def test_users_who_sign_in_are_made_in_postgresql_as_well(
    postgres: Server, migrated: str, issuer: Issuer
) -> None:
    place = postgres.database(migrated)
    workspaces = PostgresWorkspaces(place.app, operator=place.operator)
    keys = IssuerKeys(OidcSettings(issuer.url, AUDIENCE, create_users=True))
    callers = await asyncio.gather(
        *(verify_token(workspaces, keys, issuer.token("ada"), now()) for _ in range(6))
    )
    async with workspaces.administration() as operator:
        (user,) = await operator.users()
        (key,) = await operator.keys()
        await operator.revoke_key(key.id)
    assert {(one.access.user_id, one.key.id) for one in callers} == {(user.id, key.id)}
    with pytest.raises(TokenRefused, match="not valid"):
        await verify_token(workspaces, keys, issuer.token("ada"), now())
    async with workspaces.administration() as operator:
        await link_user(operator, user.id, issuer.url, "ada")
    assert (await verify_token(workspaces, keys, issuer.token("ada"), now())).key.id == key.id
    await workspaces.close()
    await keys.close()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(), inside, max_size=3),
    max_leaves=6,
)
CLAIMS = st.sampled_from(["iss", "aud", "exp", "nbf", "iat", "sub", "scope", "typ", "email"])


class KnownKeys(IssuerKeys):
    """Keys that are here already, and no issuer."""

    async def key(self, name: str | None, algorithm: str) -> Any:
        return rsa("one") if algorithm == "RS256" else curve("two")


def known() -> tuple[KnownKeys, Issuer]:
    issuer = Issuer("https://login.example", [])
    return KnownKeys(OidcSettings(issuer.url, AUDIENCE)), issuer


@given(st.dictionaries(CLAIMS, VALUES, min_size=1, max_size=4))
def test_whatever_a_signed_token_claims_it_names_somebody_or_is_refused(
    over: dict[str, Any],
) -> None:
    keys, issuer = known()
    try:
        found = asyncio.run(read_token(keys, issuer.token(**over), now()))
    except TokenRefused:
        return
    claims = issuer.claims(**over)
    assert (found.issuer, found.subject) == (issuer.url, claims["sub"])
    assert claims["iss"] == issuer.url
    assert AUDIENCE in claims["aud"]
    assert claims["exp"] > now().timestamp() - 31
    assert not hidden_in(found.name)


@given(st.text(st.characters(max_codepoint=300), max_size=60) | st.binary(max_size=60).map(part))
def test_a_text_that_nobody_signed_is_refused(text: str) -> None:
    keys, issuer = known()
    head, body, code = issuer.token().split(".")
    for one in (text, f"{text}.{body}.{code}", f"{head}.{text}.{code}", f"{head}.{body}.{text}"):
        with pytest.raises(TokenRefused):
            asyncio.run(read_token(keys, one, now()))


@given(
    st.lists(
        VALUES
        | st.dictionaries(
            st.sampled_from(["kty", "n", "e", "x", "y", "crv", "use", "alg", "kid", "key_ops"]),
            VALUES | st.sampled_from(["RSA", "EC", "P-256", "AQAB"]),
        )
    )
)
def test_whatever_an_issuer_lists_as_keys_none_is_made_of_nonsense(listed: list[Any]) -> None:
    for one in listed:
        key = issuer_keys._usable(one)
        assert key is None or key.raw_value.key_size >= 256


async def test_a_token_of_a_removed_or_disabled_user_makes_no_user(
    workspaces: SqliteWorkspaces, issuer: Issuer
) -> None:
    keys = IssuerKeys(OidcSettings(issuer.url, AUDIENCE, create_users=True))
    token = issuer.token("ada", preferred_username="Ada")
    user_id = (await verify_token(workspaces, keys, token, now())).access.user_id
    async with workspaces.administration() as operator:
        await operator.disable_user(user_id)
    with pytest.raises(TokenRefused, match="not valid") as refused:
        await verify_token(workspaces, keys, token, now())
    assert "disabled" in refused.value.reason
    await remove_user(workspaces, user_id)
    with pytest.raises(TokenRefused, match="not valid") as refused:
        await verify_token(workspaces, keys, token, now())
    assert "removed" in refused.value.reason
    async with workspaces.administration() as operator:
        assert await operator.users() == ()
        other = await operator.add_user("Ada again")
        await link_user(operator, other.id, issuer.url, "ada")
    again = await verify_token(workspaces, keys, token, now())
    assert again.access.user_id == other.id
    await keys.close()
