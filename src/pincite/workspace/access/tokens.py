"""Verify a token of an issuer and return its access, as for a key.

The issuer decides who may sign in, their name and their scopes. The database maps a sign-in to a
user, in the table of keys, as a key without a secret. So sign-ins are listed, counted and revoked
as keys are. Spaces and roles are never read from a token.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from pincite.errors import Unauthenticated, UsageError
from pincite.settings.sections.oidc import OidcSettings
from pincite.support.decodable import ready
from pincite.support.fields import replace
from pincite.support.terminal import hidden_in, without_hidden
from pincite.workspace.access.issuer_keys import IssuerKeys
from pincite.workspace.access.keys import SECRETLESS
from pincite.workspace.access.verification import Caller
from pincite.workspace.checks import EMAIL_CHARS, NAME_CHARS, SCOPES, is_blank
from pincite.workspace.model import Access, ApiKey, KeyScope
from pincite.workspace.ports import Administration, Workspaces

if TYPE_CHECKING:
    from joserfc.jws import JWSRegistry

_MOST_CHARS: Final = 8_192  # guess: tokens with hundreds of groups; servers cut headers at 16 KB
_HEADER_BYTES: Final = 2_048
_KID_CHARS: Final = 256
_SUBJECT_CHARS: Final = 255  # OpenID Connect Core 1.0, section 2
_TYPES: Final = ("", "jwt", "at+jwt", "application/at+jwt")
_NOT_FOR_ACCESS: Final = ("id", "refresh", "offline", "logout")  # the names that Keycloak uses


class TokenRefused(Unauthenticated):
    """A token is refused. `reason` is for the operator; the client is told only of the refusal."""

    def __init__(self, reason: str, message: str = "the token is not valid") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Identity:
    """The claims of a valid token: `subject` at the issuer, a display name, and the scopes."""

    issuer: str
    subject: str
    name: str
    email: str
    scopes: tuple[KeyScope, ...]

    @property
    def prefix(self) -> str:
        """Return the prefix of this identity in the table of keys; no key has it."""
        return sign_in_prefix(self.issuer, self.subject)


class _Claims(msgspec.Struct):
    iss: str
    aud: str | list[str]
    exp: float
    nbf: float | None = None
    iat: float | None = None
    typ: str = ""
    cnf: Any = None


def sign_in_prefix(issuer: str, subject: str) -> str:
    """Return the prefix in the table of keys for a subject of an issuer."""
    return "oidc_" + hashlib.sha256(f"{issuer}\0{subject}".encode()).hexdigest()


async def link_user(operator: Administration, user_id: str, issuer: str, subject: str) -> ApiKey:
    """Link a subject of an issuer to a user, or restore a revoked link. The link of a removed user
    is replaced. Raise UsageError if the subject is already linked."""
    if not _is_subject(subject):
        raise UsageError(f"a subject has 1 to {_SUBJECT_CHARS} printable characters")
    prefix = sign_in_prefix(issuer, subject)
    if found := await operator.key_by_prefix(prefix):
        if found.user == "removed":
            await operator.drop_sign_in(found.key.id)
        elif found.key.user_id == user_id and found.key.revoked is not None:
            await operator.restore_sign_in(found.key.id)
            return replace(found.key, revoked=None)
        else:
            raise UsageError(
                f"this subject already belongs to user {found.key.user_id}",
                hint=f"to block it: pincite workspace key revoke {found.key.id}",
            )
    name = f"OIDC {subject}"[:NAME_CHARS]
    return await operator.add_key(
        user_id, name, SECRETLESS, prefix, cast("tuple[KeyScope, ...]", SCOPES)
    )


async def verify_token(
    workspaces: Workspaces, issuer: IssuerKeys, text: str, now: datetime
) -> Caller:
    """Return the caller that a token identifies. Raise TokenRefused for an invalid token or an
    unknown user, and WorkspaceUnavailable if the issuer or the database cannot be reached."""
    identity = await read_token(issuer, text, now)
    async with workspaces.administration() as operator:
        found = await operator.key_by_prefix(identity.prefix)
        if found is not None:
            await operator.used(found.key.id)
    if found is not None and found.user != "enabled":
        raise TokenRefused(f"the user of this subject is {found.user}: pincite workspace user")
    if found is not None:
        return _caller(found.key, identity)
    if not issuer.settings.create_users:
        raise TokenRefused("no user is linked to this subject: pincite workspace user link")
    if not identity.scopes:
        raise TokenRefused("the subject is new, and the token has no scope of this server")
    return _caller(await _created(workspaces, identity), identity)


async def read_token(issuer: IssuerKeys, text: str, now: datetime) -> Identity:
    """Return the identity in a token after checking its signature and every claim. Raise
    TokenRefused and WorkspaceUnavailable."""
    from joserfc import jws
    from joserfc.errors import JoseError

    if len(text) > _MOST_CHARS or not text.isascii():
        raise TokenRefused(
            f"it has more than {_MOST_CHARS:,} characters, or characters outside of ASCII"
        )
    settings = issuer.settings
    registry = _registry(settings)
    try:
        _check_head(text)
        header = jws.extract_compact(text.encode(), registry=registry).headers()
        name, algorithm = _named_key(header, settings)
        key = await issuer.key(name, algorithm)
        if key is None:
            raise TokenRefused("the issuer does not have this key")
        signed = jws.deserialize_compact(text, key, registry=registry)
        claims = msgspec.json.decode(signed.payload, type=dict[str, Any])
    except (JoseError, msgspec.DecodeError, ValueError, RecursionError) as error:
        raise TokenRefused(f"it is not a validly signed token: {error}") from error
    return _identity(claims, settings, now.timestamp())


def _check_head(text: str) -> None:
    """Check that the header is an object, because joserfc accepts other values. Raise
    ValueError."""
    head = text.partition(".")[0]
    msgspec.json.decode(urlsafe_b64decode(head + "=" * (-len(head) % 4)), type=dict[str, Any])


def _registry(settings: OidcSettings) -> JWSRegistry:
    from joserfc.jws import JWSRegistry

    registry = JWSRegistry(algorithms=settings.algorithms, strict_check_header=False)
    registry.max_header_length = _HEADER_BYTES
    return registry


def _named_key(header: Mapping[str, Any], settings: OidcSettings) -> tuple[str | None, str]:
    """Return the name of the key and the algorithm that the header claims. Both are unverified."""
    algorithm, name, kind = header.get("alg"), header.get("kid"), header.get("typ", "")
    if algorithm not in settings.algorithms:
        raise TokenRefused(f"its algorithm is not one of {', '.join(settings.algorithms)}")
    if "crit" in header or "b64" in header:
        raise TokenRefused("it requires extensions of JWS, which are not supported")
    if not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise TokenRefused("its header says that it is not an access token")
    if name is not None and not (isinstance(name, str) and len(name) <= _KID_CHARS):
        raise TokenRefused("its kid is not the name of a key")
    return name, str(algorithm)


def _identity(claims: Mapping[str, Any], settings: OidcSettings, now: float) -> Identity:
    try:
        known = msgspec.convert(claims, ready(_Claims))
    except msgspec.ValidationError as error:
        raise TokenRefused(f"a claim is missing or wrong: {error}") from error
    skew = settings.skew_s
    if known.iss != settings.issuer:
        raise TokenRefused("it comes from another issuer")
    if settings.audience not in ([known.aud] if isinstance(known.aud, str) else known.aud):
        raise TokenRefused(f"its audience is not {settings.audience!r}")
    if not all(isfinite(one) for one in (known.exp, known.nbf or 0.0, known.iat or 0.0)):
        raise TokenRefused("one of its times is not a number")
    if known.exp + skew <= now:
        raise TokenRefused("it has expired", "the token has expired")
    if max(known.nbf or 0.0, known.iat or 0.0) > now + skew:
        raise TokenRefused("it is not valid yet, or the clocks differ by more than skew_s")
    if known.typ.lower() in _NOT_FOR_ACCESS:
        raise TokenRefused(f"it is a token of type {known.typ!r}, not an access token")
    if known.cnf is not None:
        raise TokenRefused("it is bound to another key (cnf), which is not supported")
    subject = _claim(claims, settings.user_claim)
    if not _is_subject(subject):
        raise TokenRefused(f"its claim {settings.user_claim!r} does not name a user")
    if settings.user_claim == "email" and claims.get("email_verified") is not True:
        raise TokenRefused("the issuer has not verified its address")
    given = set(_texts(_claim(claims, settings.scopes_claim)))
    scopes = [one for one in SCOPES if given & set(getattr(settings.scopes, one))]
    return Identity(
        settings.issuer,
        subject,
        _line(_claim(claims, settings.name_claim), NAME_CHARS) or _line(subject, NAME_CHARS),
        _line(claims.get("email"), EMAIL_CHARS),
        cast("tuple[KeyScope, ...]", tuple(scopes)),
    )


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """Return a claim by its name, or by a path such as `realm_access.roles`. Names of claims may
    contain dots themselves."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split(" ")
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _is_subject(value: object) -> bool:
    if not isinstance(value, str) or not 0 < len(value) <= _SUBJECT_CHARS:
        return False
    return not hidden_in(value) and not is_blank(value) and value == value.strip()


def _line(value: object, most: int) -> str:
    """Return a text without its hidden characters as one line of at most `most` characters. It is
    empty if nothing of it is visible."""
    text = value if isinstance(value, str) else ""
    found = without_hidden(text, "").strip()[:most]
    return "" if is_blank(found) else found


def _caller(key: ApiKey, identity: Identity) -> Caller:
    if key.revoked is not None:
        raise TokenRefused("the sign-in of this subject has been revoked")
    scopes = tuple(one for one in key.scopes if one in identity.scopes)
    key = replace(key, scopes=scopes)
    return Caller(key, Access(key.user_id, key.space_id, scopes=scopes))


async def _created(workspaces: Workspaces, identity: Identity) -> ApiKey:
    """Create a user. If another request of the same subject was first, return the key that it
    made."""
    try:
        async with workspaces.administration() as operator:
            user = await operator.add_user(identity.name, identity.email)
            return await link_user(operator, user.id, identity.issuer, identity.subject)
    except UsageError:
        async with workspaces.administration() as operator:
            found = await operator.key_by_prefix(identity.prefix)
        if found is None:
            raise
        return found.key
