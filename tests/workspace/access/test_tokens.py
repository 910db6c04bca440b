"""Tokens of an issuer, which listens on this machine: what is taken, and all that is refused."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import trustme

from pincite.errors import ConfigError, WorkspaceUnavailable
from pincite.settings.sections.oidc import OidcScopes, OidcSettings
from pincite.support.fields import replace
from pincite.workspace.access import issuer_keys
from pincite.workspace.access.issuer_keys import IssuerKeys
from pincite.workspace.access.tokens import TokenRefused, read_token
from tests.workspace.issuer import AUDIENCE, Issuer, curve, issuing, now, public, rsa

pytestmark = pytest.mark.anyio


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Reader:
    """What reads tokens, with a clock of its own for how long keys are kept."""

    keys: IssuerKeys
    clock: Clock

    async def read(self, text: str) -> str:
        return (await read_token(self.keys, text, datetime.now(UTC))).subject

    async def refusal(self, text: str) -> str:
        with pytest.raises(TokenRefused) as raised:
            await self.read(text)
        return raised.value.reason


@pytest.fixture
async def reader(issuer: Issuer) -> AsyncIterator[Reader]:
    clock = Clock()
    keys = IssuerKeys(OidcSettings(issuer.url, AUDIENCE), clock)
    yield Reader(keys, clock)
    await keys.close()


def part(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


async def test_a_token_of_the_issuer_names_its_subject_and_scopes(
    issuer: Issuer, reader: Reader
) -> None:
    found = await read_token(reader.keys, issuer.token("ada", preferred_username="Ada"), now())
    assert (found.subject, found.name, found.scopes) == ("ada", "Ada", ("search", "write"))
    assert await reader.read(issuer.token(aud=["other", AUDIENCE])) == "ada"
    assert await reader.read(issuer.token(header={"typ": "at+jwt"})) == "ada"


async def test_tokens_of_elliptic_curves_are_taken_where_they_are_allowed(
    issuer: Issuer, reader: Reader
) -> None:
    issuer.keys = public(rsa("one"), curve("two"))
    token = issuer.token(key=curve("two"), header={"alg": "ES256"})
    assert await reader.read(token) == "ada"
    only_rsa = OidcSettings(issuer.url, AUDIENCE, algorithms=("RS256",))
    with pytest.raises(TokenRefused) as raised:
        await read_token(IssuerKeys(only_rsa), token, now())
    assert "algorithm" in raised.value.reason


async def test_a_token_that_nobody_has_signed_is_refused(issuer: Issuer, reader: Reader) -> None:
    for name in ("none", "None", "NONE", ""):
        unsigned = f"{part({'alg': name, 'kid': 'one'})}.{part(issuer.claims())}."
        assert "algorithm" in await reader.refusal(unsigned)
    assert issuer.asked == []


async def test_a_token_whose_hmac_has_the_public_key_as_its_secret_is_refused(
    issuer: Issuer, reader: Reader
) -> None:
    for secret in (rsa("one").as_pem(private=False), rsa("one").as_der(private=False)):
        signed = f"{part({'alg': 'HS256', 'kid': 'one'})}.{part(issuer.claims())}"
        code = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
        assert "algorithm" in await reader.refusal(f"{signed}.{part(code)}")


async def test_a_key_of_the_issuer_that_is_a_shared_secret_is_not_used(
    issuer: Issuer, reader: Reader
) -> None:
    issuer.keys = [{"kty": "oct", "k": part(b"x" * 32), "kid": "one"}]
    assert await reader.refusal(issuer.token()) == "the issuer does not have this key"


@pytest.mark.parametrize(
    ("over", "reason"),
    [
        ({"iss": "https://login.example"}, "another issuer"),
        ({"aud": "others"}, "its audience is not"),
        ({"aud": []}, "its audience is not"),
        ({"aud": None}, "claim is missing"),
        ({"exp": 1_000}, "expired"),
        ({"exp": None}, "claim is missing"),
        ({"exp": "99999999999"}, "claim is missing or wrong"),
        ({"exp": True}, "claim is missing or wrong"),
        ({"exp": float("nan")}, "not a validly signed token"),
        ({"nbf": 99_999_999_999}, "not valid yet"),
        ({"iat": 99_999_999_999}, "not valid yet"),
        ({"sub": None}, "does not name a user"),
        ({"sub": ""}, "does not name a user"),
        ({"sub": " "}, "does not name a user"),
        ({"sub": 7}, "does not name a user"),
        ({"sub": "x" * 256}, "does not name a user"),
        ({"sub": "a\nb"}, "does not name a user"),
        ({"sub": "a\0"}, "does not name a user"),
        ({"typ": "ID"}, "not an access token"),
        ({"typ": "Refresh"}, "not an access token"),
        ({"cnf": {"jkt": "x"}}, "bound to another key"),
    ],
)
async def test_a_claim_that_is_wrong_refuses_a_token(
    issuer: Issuer, reader: Reader, over: dict[str, Any], reason: str
) -> None:
    assert reason in await reader.refusal(issuer.token(**over))


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"kid": "nobody's"}, "does not have this key"),
        ({"kid": "x" * 257}, "not the name of a key"),
        ({"typ": "logout+jwt"}, "not an access token"),
        ({"typ": "dpop+jwt"}, "not an access token"),
        ({"alg": "PS256"}, "algorithm"),
        ({"x5c": ["x" * 4_000]}, "not a validly signed token"),
    ],
)
async def test_a_header_that_is_wrong_refuses_a_token(
    issuer: Issuer, reader: Reader, header: dict[str, Any], reason: str
) -> None:
    assert reason in await reader.refusal(issuer.token(header=header))


@pytest.mark.parametrize("head", [["alg"], ["RS256"], "alg", "x", 1, None, True, [], {}, [["alg"]]])
async def test_a_header_that_is_no_object_refuses_a_token(
    issuer: Issuer, reader: Reader, head: object
) -> None:
    _, body, code = issuer.token().split(".")
    assert await reader.refusal(f"{part(head)}.{body}.{code}")
    assert issuer.asked == []


async def test_extensions_that_are_critical_are_refused(issuer: Issuer, reader: Reader) -> None:
    _, body, code = issuer.token().split(".")
    for header in ({"crit": ["exp"]}, {"crit": ["b64"], "b64": False}, {"b64": True}):
        head = part({"alg": "RS256", "kid": "one", **header})
        assert "extensions" in await reader.refusal(f"{head}.{body}.{code}")
    assert "not the name of a key" in await reader.refusal(
        f"{part({'alg': 'RS256', 'kid': 7})}.{body}.{code}"
    )


async def test_a_key_that_a_token_brings_itself_is_not_used(issuer: Issuer, reader: Reader) -> None:
    own = rsa("own")
    for header in (
        {"jwk": own.as_dict(private=False)},
        {"jku": f"{issuer.url}/own"},
        {"x5u": f"{issuer.url}/own"},
    ):
        token = issuer.token(key=own, header={"kid": "one", **header})
        assert "not a validly signed token" in await reader.refusal(token)
    assert "/own" not in issuer.asked


async def test_a_token_that_was_changed_is_refused(issuer: Issuer, reader: Reader) -> None:
    head, body, code = issuer.token().split(".")
    other = part(issuer.claims("eve"))
    for changed in (
        f"{head}.{other}.{code}",
        f"{head}.{body}.",
        f"{head}.{body}",
        f"{head}.{body}.{code}.{code}",
        f"{head}.{body}.{part(bytes(256))}",
        f".{body}.{code}",
        "...",
        "x",
        "",
        "é" * 40,
        "[" * 8_000,
        f"{part(b'[' * 1_400)}.{body}.{code}",
    ):
        assert await reader.refusal(changed)


async def test_a_huge_token_is_refused_before_it_is_read(issuer: Issuer, reader: Reader) -> None:
    token = issuer.token(groups=["x" * 100] * 100)
    assert "more than 8,192 characters" in await reader.refusal(token)
    assert issuer.asked == []


async def test_clocks_may_differ_by_the_skew(issuer: Issuer, reader: Reader) -> None:
    now = int(datetime.now(UTC).timestamp())
    assert await reader.read(issuer.token(exp=now - 10)) == "ada"
    assert await reader.read(issuer.token(nbf=now + 10, iat=now + 10)) == "ada"
    assert "expired" in await reader.refusal(issuer.token(exp=now - 100))
    assert "not valid yet" in await reader.refusal(issuer.token(nbf=now + 100))


async def test_a_rotated_key_is_found_and_its_predecessor_is_forgotten(
    issuer: Issuer, reader: Reader
) -> None:
    assert await reader.read(issuer.token()) == "ada"
    reader.clock.now += 31
    issuer.keys = public(rsa("new"))
    assert await reader.read(issuer.token(key=rsa("new"))) == "ada"
    assert await reader.refusal(issuer.token()) == "the issuer does not have this key"


async def test_names_of_keys_that_there_are_not_do_not_make_the_issuer_work(
    issuer: Issuer, reader: Reader
) -> None:
    for number in range(30):
        await reader.refusal(issuer.token(header={"kid": str(number)}))
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]
    assert await reader.read(issuer.token()) == "ada"
    reader.clock.now += 31
    await asyncio.gather(*(reader.refusal(issuer.token(header={"kid": "x"})) for _ in range(8)))
    assert len(issuer.asked) == 4


async def test_a_withdrawn_key_is_refused_when_keys_are_read_anew(
    issuer: Issuer, reader: Reader
) -> None:
    assert await reader.read(issuer.token()) == "ada"
    issuer.keys = public(rsa("new"))
    reader.clock.now += 601
    assert await reader.refusal(issuer.token()) == "the issuer does not have this key"


async def test_without_the_issuer_keys_hold_for_an_hour_and_no_longer(
    issuer: Issuer, reader: Reader
) -> None:
    assert await reader.read(issuer.token()) == "ada"
    issuer.answers["/keys"] = (500, b"")
    reader.clock.now += 3_000
    assert await reader.read(issuer.token()) == "ada"
    with pytest.raises(WorkspaceUnavailable, match="answered 500"):
        await reader.read(issuer.token(key=rsa("new")))
    reader.clock.now += 601
    with pytest.raises(WorkspaceUnavailable, match="answered 500"):
        await reader.read(issuer.token())
    del issuer.answers["/keys"]
    reader.clock.now += 31
    assert await reader.read(issuer.token()) == "ada"


async def test_an_issuer_that_is_down_is_said_to_be(reader: Reader, issuer: Issuer) -> None:
    settings = replace(reader.keys.settings, issuer="http://127.0.0.1:1")
    keys = IssuerKeys(settings)
    with pytest.raises(WorkspaceUnavailable, match="the request to"):
        await read_token(keys, issuer.token(), now())
    await keys.close()


async def test_a_slow_issuer_is_left_after_a_while(
    issuer: Issuer, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuer_keys, "_TIMEOUT_S", 0.3)
    issuer.hold = Event()
    with pytest.raises(WorkspaceUnavailable, match=r"no answer within 0\.3 s"):
        await reader.read(issuer.token())


async def test_many_who_come_while_keys_are_read_are_let_in(issuer: Issuer, reader: Reader) -> None:
    issuer.hold = Event()
    waiting = [asyncio.create_task(reader.read(issuer.token())) for _ in range(100)]
    await asyncio.to_thread(issuer.was_asked.wait, 10)
    issuer.hold.set()
    assert await asyncio.gather(*waiting) == ["ada"] * 100
    assert len(issuer.asked) == 2


async def test_while_an_issuer_is_slow_known_keys_hold_and_not_all_wait_for_others(
    issuer: Issuer, reader: Reader
) -> None:
    assert await reader.read(issuer.token()) == "ada"
    unknown = issuer.token(key=rsa("new"))
    issuer.hold = Event()
    reader.clock.now += 601
    first = asyncio.create_task(reader.read(issuer.token()))
    await asyncio.sleep(0)
    assert await reader.read(issuer.token("bob")) == "bob"
    assert not first.done()
    waiting = [asyncio.create_task(reader.read(unknown)) for _ in range(300)]
    for _ in range(50):
        await asyncio.sleep(0)
    refused = [one.exception() for one in waiting if one.done()]
    assert len(refused) == 45
    assert {str(one).partition(";")[0] for one in refused} == {
        "too many requests wait for the token issuer"
    }
    issuer.hold.set()
    assert await first == "ada"
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert sum(isinstance(one, TokenRefused) for one in ended) == 255


async def test_who_hangs_up_does_not_take_the_keys_from_others(
    issuer: Issuer, reader: Reader
) -> None:
    issuer.hold = Event()
    first = asyncio.create_task(reader.read(issuer.token()))
    await asyncio.to_thread(issuer.was_asked.wait, 10)
    first.cancel()
    second = asyncio.create_task(reader.read(issuer.token()))
    await asyncio.sleep(0)
    issuer.hold.set()
    assert await second == "ada"
    assert len(issuer.asked) == 2


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("/.well-known/openid-configuration", b"[]", "did not return a JSON object"),
        ("/.well-known/openid-configuration", b"{" * 100_000, "did not return a JSON object"),
        ("/.well-known/openid-configuration", b"{}", "another issuer"),
        ("/keys", b'{"keys": 7}', "not a list"),
        ("/keys", json.dumps({"keys": [{}] * 65}).encode(), "not a list"),
        ("/keys", b" " * 300_000, "more than 256,000 bytes"),
        ("/keys", b"\xff", "did not return a JSON object"),
    ],
)
async def test_an_issuer_that_says_nonsense_is_named(
    issuer: Issuer, reader: Reader, path: str, body: bytes, reason: str
) -> None:
    issuer.answers[path] = (200, body)
    with pytest.raises(WorkspaceUnavailable, match=reason):
        await reader.read(issuer.token())


@pytest.mark.parametrize(
    "address", ["http://login.example/keys", "file:///etc/passwd", "http://10.0.0.1/keys", "x", 7]
)
async def test_an_issuer_does_not_lead_to_addresses_without_tls(
    issuer: Issuer, reader: Reader, address: object
) -> None:
    told = json.dumps({"issuer": issuer.url, "jwks_uri": address}).encode()
    issuer.answers["/.well-known/openid-configuration"] = (200, told)
    with pytest.raises(WorkspaceUnavailable, match="jwks_uri"):
        await reader.read(issuer.token())


async def test_an_issuer_that_sends_elsewhere_is_not_followed(
    issuer: Issuer, reader: Reader
) -> None:
    issuer.answers["/keys"] = (302, b"")
    with pytest.raises(WorkspaceUnavailable, match="answered 302"):
        await reader.read(issuer.token())


async def test_keys_that_are_weak_private_or_broken_are_left_out(
    issuer: Issuer, reader: Reader
) -> None:
    weak = rsa("weak", 1024)
    issuer.keys = [
        *public(weak),
        rsa("private").as_dict(private=True),
        {**rsa("enc").as_dict(private=False), "use": "enc"},
        {"kty": "RSA", "kid": "broken", "n": "AQAB", "e": 7},
        {"kty": "EC", "kid": "broken", "crv": "P-256", "x": "AA", "y": "AA"},
        {"kty": "new", "kid": "x"},
        *public(rsa("one")),
    ]
    for key in (weak, rsa("private"), rsa("enc")):
        assert await reader.refusal(issuer.token(key=key)) == "the issuer does not have this key"
    assert await reader.read(issuer.token()) == "ada"


async def test_without_a_name_the_only_key_that_fits_is_taken(
    issuer: Issuer, reader: Reader
) -> None:
    issuer.keys = public(rsa("one"), curve("two"))
    assert await reader.read(issuer.token(header={"kid": None})) == "ada"
    issuer.keys = public(rsa("one"), rsa("new"))
    reader.clock.now += 601
    assert (
        await reader.refusal(issuer.token(header={"kid": None}))
        == "the issuer does not have this key"
    )


async def test_scopes_come_from_the_claim_that_is_configured(issuer: Issuer) -> None:
    scopes = OidcScopes(search=("reader", "writer"), write=("writer",), admin=("root",))
    for claim, over, found in (
        ("realm_access.roles", {"realm_access": {"roles": ["writer"]}}, ("search", "write")),
        ("https://a.b/roles", {"https://a.b/roles": ["root"]}, ("admin",)),
        ("roles", {"roles": [7, {}, "reader"]}, ("search",)),
        ("roles", {"roles": {"reader": 1}}, ()),
        ("scope", {"scope": "readers writer2"}, ()),
        ("sub.x", {}, ()),
    ):
        settings = OidcSettings(issuer.url, AUDIENCE, scopes_claim=claim, scopes=scopes)
        keys = IssuerKeys(settings)
        identity = await read_token(keys, issuer.token(**over), now())
        assert identity.scopes == found
        await keys.close()


async def test_an_address_names_a_user_only_where_it_was_verified(issuer: Issuer) -> None:
    keys = IssuerKeys(OidcSettings(issuer.url, AUDIENCE, user_claim="email"))
    for verified in (False, None, "true"):
        with pytest.raises(TokenRefused):
            await read_token(keys, issuer.token(email="a@b.c", email_verified=verified), now())
    token = issuer.token(email="a@b.c", email_verified=True)
    assert (await read_token(keys, token, now())).subject == "a@b.c"
    await keys.close()


async def test_an_issuer_whose_certificate_nobody_knows_is_not_asked(issuer: Issuer) -> None:
    with issuing(trustme.CA().issue_cert("localhost")) as unknown:
        assert unknown.url.startswith("https://localhost:")
        keys = IssuerKeys(OidcSettings(unknown.url, AUDIENCE))
        with pytest.raises(WorkspaceUnavailable, match=r"(?i)certificate"):
            await read_token(keys, unknown.token(), now())
        assert unknown.asked == []
        await keys.close()


@pytest.mark.parametrize("name", ["\u200d\u200c", "\u202e\u200d", "\u200d\u3000", " "])
async def test_a_name_of_which_nothing_is_visible_is_replaced_by_the_subject(
    issuer: Issuer, name: str
) -> None:
    keys = IssuerKeys(OidcSettings(issuer.url, AUDIENCE))
    token = issuer.token(name=name, preferred_username=name, email=name)
    found = await read_token(keys, token, now())
    assert (found.name, found.email) == ("ada", "")
    await keys.close()


async def test_an_issuer_of_the_authority_in_ssl_cert_file_is_asked(
    issuer: Issuer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with issuing(authority.issue_cert("localhost")) as known:
        known.keys = issuer.keys
        keys = IssuerKeys(OidcSettings(known.url, AUDIENCE))
        assert (await read_token(keys, known.token(), now())).subject == "ada"
        await keys.close()


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ({"issuer": "http://login.example"}, "not https"),
        ({"issuer": "ftp://login.example"}, "not https"),
        ({"issuer": "login.example"}, "not an address"),
        ({"issuer": "https://me:secret@login.example"}, "has more"),
        ({"issuer": "https://[::1"}, "not an address"),
        ({"issuer": "https://a b"}, "not an address"),
        ({"audience": ""}, "audience is empty"),
        ({"issuer": ""}, "no issuer"),
        ({"algorithms": ()}, "algorithms is empty"),
        ({"skew_s": -1.0}, "skew_s"),
        ({"skew_s": 3_600.0}, "skew_s"),
        ({"skew_s": float("nan")}, "skew_s"),
        ({"user_claim": ""}, "user_claim is empty"),
    ],
)
def test_settings_that_would_let_anybody_in_are_refused(over: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        OidcSettings(**{"issuer": "https://login.example", "audience": AUDIENCE, **over})
