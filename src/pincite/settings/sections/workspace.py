"""`[workspace]`: the database and file storage of workspaces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import urlsplit

from pincite.errors import ConfigError
from pincite.settings.file.tables import take_table
from pincite.settings.sections.object_store import S3Settings, bucket_of, take_s3_settings
from pincite.settings.sections.oidc import OidcSettings, take_oidc_settings
from pincite.support.fields import replace
from pincite.support.ranges import require_range

WORKSPACES_FILE: Final = "workspaces.db"  #: the database in the index folder
#: The variables that win over the keys of the table, and may hold passwords.
ADDRESSES: Final = {
    "database": "PINCITE_DATABASE_URL",
    "operator": "PINCITE_DATABASE_OPERATOR_URL",
    "owner": "PINCITE_DATABASE_OWNER_URL",
}

#: Other forms of an address, which would be taken for a folder: `host=... password=...`, and an
#: address without its scheme. A drive of Windows is not such an address.
_KEYWORD: Final = re.compile(
    r"(?:^|\s)(?:host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=",
    re.IGNORECASE,
)
_NO_SCHEME: Final = re.compile(r"postgres(?:ql)?:|(?![a-z]:[\\/])[^/]*:[^@]*@", re.IGNORECASE)
_PASSWORD: Final = re.compile(r"password\s*=", re.IGNORECASE)
#: Upper limits: the rules read no more characters, and a worker waits no longer for one document.
#: Guesses, unmeasured.
MOST_CHARS: Final = 100_000
MOST_S: Final = 600.0


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """The table `[workspace]` of pincite.toml. `database`: a file that ends in `.db`, a folder, or
    the address of a PostgreSQL database. Relative paths count from the index folder; empty is the
    file `workspaces.db` in it. `operator` and `owner` are the addresses of the same PostgreSQL
    database for the operator and for migrations. These addresses are secret, and in no message.
    `files`: a bucket for uploaded files, `s3://BUCKET/PREFIX`; empty is a folder in the index
    folder. `oidc`: the issuer whose tokens are accepted besides keys.

    `metadata`: describe documents by `rules`, or by the `model` of `[models] llm` if its answer is
    valid. The model is sent the first `metadata_chars` characters of the text, has
    `metadata_timeout_s` seconds, and writes at most `metadata_tokens` tokens: guesses,
    unmeasured."""

    database: str = field(default="", repr=False)
    operator: str = field(default="", repr=False)
    owner: str = field(default="", repr=False)
    files: str = ""
    metadata: Literal["rules", "model"] = "rules"
    metadata_chars: int = 8_000
    metadata_timeout_s: float = 30.0
    metadata_tokens: int = 1_024
    s3: S3Settings = field(default_factory=S3Settings)
    oidc: OidcSettings = field(default_factory=OidcSettings)

    def __post_init__(self) -> None:
        if "\0" in self.database:
            raise ConfigError("workspace.database has a NUL character, so it is not a valid path")
        if _is_other_address(self.database):  # it may have a password, so no message has it
            raise ConfigError(
                "workspace.database looks like an address of PostgreSQL in another form",
                hint="write postgresql://USER@HOST/DATABASE, or ./NAME for a folder of that name",
            )
        bucket_of(self.files)
        sizes = ("metadata_chars", "metadata_tokens")
        require_range(self, "workspace", *sizes, least=1, most=MOST_CHARS)
        require_range(self, "workspace", "metadata_timeout_s", above=0, most=MOST_S)


def take_workspace_settings(
    table: dict[str, object], origin: str, environ: Mapping[str, str]
) -> WorkspaceSettings:
    """Remove `[workspace]` from the table of `origin`, and return it; variables override it. Raises
    ConfigError for an unknown key, a wrong value, or a password in the file."""
    given = table.pop("workspace", {})
    oidc, s3 = OidcSettings(), S3Settings()
    if isinstance(given, Mapping):
        if "oidc" in given:
            oidc = take_oidc_settings(given["oidc"], origin)
        if "s3" in given:
            s3 = take_s3_settings(given["s3"], origin)
        given = {key: value for key, value in given.items() if key not in ("oidc", "s3")}
    found = take_table({"workspace": given}, "workspace", WorkspaceSettings, origin)
    for key, variable in ADDRESSES.items():
        if _has_password(getattr(found, key)):
            raise ConfigError(
                f"{origin}: workspace.{key} has a password, but other people may read the file",
                hint=f"use {variable}, or the password file of PostgreSQL (PGPASSFILE)",
            )
    told = {key: environ.get(ADDRESSES[key]) or getattr(found, key) for key in ADDRESSES}
    return replace(
        found,
        database=told["database"],
        operator=told["operator"],
        owner=told["owner"],
        oidc=oidc,
        s3=s3,
    )


def _is_other_address(place: str) -> bool:
    if "://" in place:
        return False
    keywords = _KEYWORD.search(place) or ("=" in place and "/" not in place)
    return bool(keywords or _NO_SCHEME.match(place))


def _has_password(address: str) -> bool:
    if _PASSWORD.search(address):
        return True
    try:
        return bool(urlsplit(address).password)
    except ValueError:  # not an address: connecting raises the error
        return False
