"""Keys and passwords in a question do not get into the log; everything else stays as it is."""

from __future__ import annotations

import hashlib
import json
import logging
import random
import string
import time
from collections.abc import Callable

import pytest

from pincite.daemon.__main__ import WithoutSecrets
from pincite.support.secrets import MASK, find_secrets, mask, may_hold_secrets
from tests.surfaces.conftest import Cli, cli
from tests.time_limits import GROWS_S

__all__ = ["cli"]

_RANDOM = random.Random(20)
_BASE62 = string.ascii_letters + string.digits
_LONG = "q7Zt0LbX4nVd9RkW2sYp8JhF5mGc1TeB6uAo3CiD"  # 40 made up characters of base62
_HEX = "9f86d081884c7d659a2feaa0c55ad015"
#: Every one in two parts, so that nobody takes this file for a leak.
KEYS = [
    "sk-" + _LONG,
    "sk-" + _HEX,
    "sk-ant-api03-" + _LONG,
    "sk-proj-" + _LONG,
    "sk_live_" + _LONG[:24],
    "AKIA" + "IOSFODNN7EXAMPL0",
    "ghp_" + _LONG[:36],
    "github_pat_" + _LONG[:22] + "_" + _LONG,
    "glpat-" + _LONG[:20],
    "xoxb-" + "123456789012-abcdefabcdef",
    "AIza" + _LONG[:35],
    "hf_" + _LONG[:34],
    "pa-" + _LONG,
    "npm_" + _LONG[:36],
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + _LONG,
    _LONG,
]
NAMED = [
    ("password=%s", "hunter2"),
    ("password=%s", "hunter2secret"),
    ("DB_PASSWORD=%s", "MyToken2024"),
    ("PASSWORD: %s", "Tr0ub4dor&3"),
    ("DB_PASSWORD='%s'", "correct-horse-battery"),
    ('{"password": "%s"}', "opensesame"),
    ("my password is %s, why?", "hunter2hunter2"),
    ("token: %s", "a81bc81bdead4e5d"),
    ("api_key=%s", "4f9a8c7e6d5b"),
    ("Authorization: Bearer %s", "abc123def456"),
    ("curl -H 'authorization: basic %s'", "dXNlcjpwYXNzdzByZA=="),
    ("bearer %s", "mF_9.B5f-4.1JqM"),
    ("postgres://app:%s@db.internal:5432/x", "s3cr3t!pw"),
    ("https://user:%s@example.com/repo.git", "p4ss@word9"),
]
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{_LONG}\n{_LONG}\n-----END RSA PRIVATE KEY-----"
#: Questions that people ask, and code that they paste.
HARMLESS = [
    "what changed in 3f2a91c0d9e8b7a6543210fedcba98765432100f?",
    "sha256-" + hashlib.sha256(b"x").hexdigest(),
    "is 123e4567-e89b-12d3-a456-426614174000 a valid id?",
    "integrity sha512-" + _LONG * 2 + "==",
    "def login(user: str, password: str, token: str | None = None) -> None:",
    "client = Client(api_key=os.environ['API_KEY'], password=get_password())",
    "if token is None: raise; password == None",
    "max_tokens=1024 and token_count: 16_384",
    "password=${DB_PASSWORD} or <your-password> or ********",
    "how does a bearer token work with Authorization: Bearer <token>",
    "what is the access key rotation policy? secret: what is it",
    "postgres://user:password@localhost/db",
    "SSH key type sk-ecdsa-sha2-nistp256 in sk-learn-something-else",
    "HuggingFaceH4/zephyr-orpo-141b-A35b-v0.1 and MLKEM768X25519PrivateKey",
    "test_that_Http2ClientConnectionPoolManager3_closes_IdleConnections",
    "what is a -----BEGIN RSA PRIVATE KEY----- line for?",
    "https://youtube.com/playlist?list=PLwi6PfxEP7zZbBPmWiZ8QbPcuKyAY5RR3",
    "rotate_key(secret: str) stores secret = secret_of(user)",
]


@pytest.mark.parametrize("key", KEYS)
def test_keys_are_masked_wherever_they_stand(key: str) -> None:
    assert mask(f"why does {key} fail?") == f"why does {MASK} fail?"
    assert mask(f"key='{key}', what now?") == f"key='{MASK}', what now?"


@pytest.mark.parametrize(("text", "secret"), NAMED)
def test_what_is_named_a_secret_is_masked_and_its_name_is_not(text: str, secret: str) -> None:
    assert mask(text % secret) == text % MASK


def test_a_private_key_is_masked_to_its_end_or_to_that_of_the_text() -> None:
    assert mask(f"is {PEM} valid?") == f"is {MASK} valid?"
    assert mask(f"is {PEM[:60]}") == f"is {MASK}"
    assert mask(PEM.replace("\n", "\\n")) == MASK


@pytest.mark.parametrize("text", HARMLESS)
def test_questions_and_code_stay_as_they_are(text: str) -> None:
    assert mask(text) == text


def test_hashes_of_contents_and_commits_are_never_masked() -> None:
    for number in range(2_000):
        raw = str(number).encode()
        for name in (hashlib.md5(raw), hashlib.sha1(raw), hashlib.sha256(raw)):
            digest = name.hexdigest()
            assert not find_secrets(f"at {digest} and {digest[:12]}-dirty-{digest[-12:]}")
            assert not find_secrets(f"acme@{digest}-dirty-{digest[-12:]}:docs/a.md#L1-L3")


def test_nearly_all_random_strings_are_masked() -> None:
    made = ["".join(_RANDOM.choices(_BASE62, k=40)) for _ in range(1_000)]
    assert sum(bool(find_secrets(f"is {one} valid")) for one in made) > 930


@pytest.mark.parametrize(
    "piece",
    [
        *("sk-", "eyJ-", "eyJaaaaaaaa.", "-----BEGIN RSA PRIVATE KEY-----", 'password="', "aB3"),
        *("://a:", "bearer ", "authorization: ", "a: b\n", "secret=xxx", "SG.a", "password=&"),
        *("password ", "\\n", " ", "-", "password", "token."),
    ],
)
def test_no_text_keeps_the_patterns_busy(piece: str) -> None:
    """Quadratic time would be minutes with 200,000 characters."""
    long, begun = piece * (200_000 // len(piece)), time.process_time()
    mask(long)
    mask(f"bearer Aa{long}1")
    mask(f"-----BEGIN RSA PRIVATE KEY-----\n{long}", {piece * 3})
    assert time.process_time() - begun < GROWS_S / 3


def test_a_known_secret_is_masked_without_its_name_and_in_any_case() -> None:
    assert mask("no term 'HUNTER2!' is indexed", {"hunter2!"}) == f"no term '{MASK}' is indexed"


def test_the_log_has_no_secret_in_any_field_and_a_replay_says_so(cli: Cli) -> None:
    cli.write("guide.md", "# Keys\n\nTo rotate a key, call rotate_key.\n")
    cli("index", ".", "--lexical")
    secret, key = "Hunter2-zebra", KEYS[6]
    plain = "how do I rotate a key"
    cli("search", plain)
    cli(
        "search",
        f"rotate a key password={secret} {key} then {secret.lower()}",
        "--where",
        f"text ~ {key}",
        code=3,
    )
    cli(
        "search",
        f"rotate a key {key}",
        "--path",
        f"{secret}/*",
        "--where",
        f'url = "https://a:{secret}@b"',
        code=3,
    )
    cli("search", f"password={secret}", "-c", secret, code=2)
    log = (cli.folder / ".pincite" / "retrieval.jsonl").read_text()
    assert secret.lower() not in log.lower()
    assert key not in log
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["masked"] for line in lines] == [False, True, True, True]
    assert lines[0]["asked"]["text"] == plain
    assert lines[1]["asked"]["text"] == f"rotate a key password={MASK} {MASK} then {MASK}"
    assert MASK in lines[3]["error"]["message"]
    for line in lines[1:3]:
        again = cli("replay", line["query_id"]).stdout
        assert "masked" in again
    unmasked = cli("replay", lines[0]["query_id"]).stdout
    assert "masked" not in unmasked
    assert "nothing changed" in unmasked


def test_the_log_of_the_process_behind_it_has_none_either() -> None:
    record = logging.LogRecord("a", logging.ERROR, "", 1, "failed on %s", (f"token={_HEX}",), None)
    assert WithoutSecrets("%(message)s").format(record) == f"failed on token={MASK}"


def test_secrets_are_kept_where_that_is_asked_for(cli: Cli) -> None:
    cli.write("guide.md", "# Keys\n\nTo rotate a key, call rotate_key.\n")
    cli.write("pincite.toml", "[log]\nmask_secrets = false\n")
    cli("index", ".", "--lexical")
    cli("search", f"rotate a key {KEYS[6]}")
    assert KEYS[6] in (cli.folder / ".pincite" / "retrieval.jsonl").read_text()


def test_a_secret_among_many_texts_is_never_missed() -> None:
    draw = random.Random(69)
    secret = [*KEYS, *(text % value for text, value in NAMED), PEM]
    ends = [
        "see https://example.org/a",
        "postgres://app:",
        'password="',
        "token:",
        "bearer",
        "-----",
    ]
    plain = [one for one in (*HARMLESS, *ends, "", "eyJ", "words") if not find_secrets(one)]
    assert not may_hold_secrets(["how do I rotate a key?", "main", "docs/keys.md", *ends])
    for _ in range(3_000):
        texts = draw.choices(plain, k=draw.randint(0, 6))
        texts.insert(draw.randint(0, len(texts)), draw.choice(secret))
        assert may_hold_secrets(texts), texts


@pytest.mark.parametrize(
    "name",
    [
        "password", "passwords", "passwd", "passphrase", "passcode", "pwd", "secret", "credential",
        "credentials", "api key", "access_key", "secret-key", "private key", "auth_key", "token",
    ],
)  # fmt: skip
@pytest.mark.parametrize("write", [str.lower, str.upper, str.title])
def test_each_name_of_a_secret_is_known_in_any_case(name: str, write: Callable[[str], str]) -> None:
    assert mask(f"{write(name)} = 'x7Kp9Qm2tR'") == f"{write(name)} = '[masked]'"
    assert mask(f"{write(name)} = 'x7Kp9Qm2tR' — é") == f"{write(name)} = '[masked]' — é"


@pytest.mark.parametrize("name", ["Authorization:", "authorization = Basic", "Bearer", "BEARER"])
def test_each_header_of_a_credential_is_known_in_any_case(name: str) -> None:
    assert mask(f"{name} x7Kp9Qm2tRv31Lw8") == f"{name} [masked]"


def test_letters_that_equal_those_of_ascii_without_case_are_known() -> None:
    assert mask("paſſword = 'x7Kp9Qm2tR', to\u212aen: x7Kp9Qm2tRv3") == (
        "paſſword = '[masked]', to\u212aen: [masked]"
    )
