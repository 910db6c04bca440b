"""`[workspace.oidc]`: the token issuer that `pincite serve` accepts.

[workspace.oidc]
issuer = "https://login.example/realms/staff"
audience = "pincite"
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import msgspec

from pincite.errors import ConfigError
from pincite.settings.file.tables import take_table
from pincite.support.fields import replace
from pincite.support.ranges import require_range

#: Algorithms with public keys. With an HMAC, a server that checks tokens could also issue them.
Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
_MOST_SKEW_S: Final = 300.0


class OidcScopes(msgspec.Struct, frozen=True):
    """For each scope, the values in a token that give it; one of them is enough."""

    search: tuple[str, ...] = ("pincite:search",)
    write: tuple[str, ...] = ("pincite:write",)
    admin: tuple[str, ...] = ()


class OidcSettings(msgspec.Struct, frozen=True):
    """The table `[workspace.oidc]` of pincite.toml. Without an `issuer`, no token is accepted."""

    issuer: str = ""
    audience: str = ""
    algorithms: tuple[Algorithm, ...] = ("RS256", "ES256")
    skew_s: float = 30.0  # guess, unmeasured: of clocks that are set by NTP
    user_claim: str = "sub"
    name_claim: str = "preferred_username"
    scopes_claim: str = "scope"
    create_users: bool = False
    scopes: OidcScopes = msgspec.field(default_factory=OidcScopes)

    def __post_init__(self) -> None:
        if self.issuer:
            check_issuer_address("workspace.oidc.issuer", self.issuer)
            if not self.audience:
                raise ConfigError(
                    "workspace.oidc.audience is empty: tokens for other servers would be accepted",
                    hint=(
                        "set it to the audience that the issuer writes into tokens for this server"
                    ),
                )
        elif self.audience:
            raise ConfigError(
                "workspace.oidc has an audience but no issuer", hint='issuer = "https://..."'
            )
        if not self.algorithms:
            raise ConfigError("workspace.oidc.algorithms is empty", hint='algorithms = ["RS256"]')
        require_range(self, "workspace.oidc", "skew_s", least=0, most=_MOST_SKEW_S)
        for name in ("user_claim", "scopes_claim"):
            if not getattr(self, name):
                raise ConfigError(f"workspace.oidc.{name} is empty; it takes the name of a claim")


def take_oidc_settings(table: Mapping[str, Any], origin: str) -> OidcSettings:
    """Read the table `[workspace.oidc]`. Raises ConfigError for an unknown key or wrong value."""
    name = "workspace.oidc"
    if not isinstance(table, Mapping):
        raise ConfigError(f"{origin}: [{name}] is a table, not {table!r}")
    left = dict(table)
    scopes = OidcScopes()
    if "scopes" in left:
        scopes = take_table(
            {f"{name}.scopes": left.pop("scopes")}, f"{name}.scopes", OidcScopes, origin
        )
    return replace(take_table({name: left}, name, OidcSettings, origin), scopes=scopes)


def check_issuer_address(what: str, address: str) -> None:
    """Raise ConfigError for an address that is neither https, nor http on this machine."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ConfigError(f"{what} is not an address", hint="https://HOST/...") from None
    if not host or not address.isascii() or not address.isprintable() or " " in address:
        raise ConfigError(f"{what} is not an address", hint="https://HOST/...")
    if parts.username is not None or parts.fragment:
        raise ConfigError(f"{what} has more than a host, a port, a path and a query")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise ConfigError(
            f"{what} is not https: somebody on the network could replace the issuer's keys",
            hint="use https://...; http is for 127.0.0.1, ::1 and localhost only",
        )


def is_loopback(host: str) -> bool:
    """Return whether a host is `localhost` or a loopback address, without resolving names."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
