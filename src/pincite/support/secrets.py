"""Find secrets in a text and mask them.

People paste keys and passwords into questions. The patterns are those of the vendors, and of common
ways to write passwords; docs/retrieval-log.md lists them. They are specific, because a question
with a commit, a content hash or a long name must stay unchanged.

Every pattern takes linear time: a run of unlimited length is followed by nothing that can fail, or
is bounded, or begins only where a run of its characters begins.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise

from pincite.support.late_patterns import late_pattern

MASK = "[masked]"
_SHORTEST = 6  # a value that is also masked in other fields; guess, unmeasured
# A text with more secrets is masked as a whole, which limits the time for one question.
_MOST = 50  # secrets in one text; guess, unmeasured
_MOST_COMPARED = 10_000_000  # characters times known secrets, about a second

#: Keys with a prefix of their vendor.
_KEYS = late_pattern(
    r"(?<![A-Za-z0-9_])(?:"
    r"(?P<loose>(?:sk|pa|al)-[A-Za-z0-9_-]{16,})"  # OpenAI, Anthropic and more, Voyage
    r"|[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{16,}"  # Stripe
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # AWS
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"  # GitHub
    r"|gl(?:pat|ptt|dt|rt|soat|ft|cbt)-[A-Za-z0-9_.-]{16,}"  # GitLab
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"  # Slack
    r"|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"  # Google
    r"|hf_[A-Za-z0-9]{20,}"  # Hugging Face
    r"|jina_[A-Za-z0-9_-]{30,}|gsk_[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|dop_v1_[a-f0-9]{30,}"
    r"|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}"  # SendGrid
    r")"
)
#: A JSON Web Token: three parts, the first of which is base64 of `{"`.
_WEB_TOKENS = late_pattern(
    r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
_PRIVATE_KEYS = late_pattern(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r".{0,200}?[A-Za-z0-9+/=]{24}.*?(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
#: `user:password@` in an address.
_IN_ADDRESSES = late_pattern(r"(?<=://)[^\s/?#@:]{0,200}:(?P<value>[^\s/?#]{1,500})@")
_HEADERS = late_pattern(
    r"(?:\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:[a-z]{3,12}\s{1,4})?|\bbearer\s{1,4})"
    r"(?P<value>[A-Za-z0-9._~+/:=-]{8,})",
    re.IGNORECASE,
)
#: `password=...`, `"api_key": "..."`, `DB_PASSWORD: ...`, `password is ...`.
_NAMED = late_pattern(
    r"(?:(?P<strong>passwords?|passwd|passphrase|passcode|pwd|secret)"
    r"|credentials?|(?:api|access|secret|private|auth)[_ -]?key|token)"
    r"(?P<link>[\"']?[ \t]{0,4}(?::=|=(?!=)|:)[ \t]{0,4}|[ \t]{1,4}(?:is|was)[ \t]{1,4})"
    r"(?:\"(?P<double>[^\"\n]{4,500})\"|'(?P<single>[^'\n]{4,500})'"
    r"|[\"']?(?P<bare>(?:[^\s\"'`,;<>(){}\[\]&]|&(?!\w{1,40}=)){4,})(?P<next>[(\[{<]?))",
    re.IGNORECASE,
)
#: Each match of `_HEADERS` has one of these, and each of `_NAMED` one of the others. To search for
#: them first takes a tenth of the time.
_HEADER_NAMES = ("authorization", "bearer")
_SECRET_NAMES = ("passw", "passphrase", "passcode", "pwd", "secret", "credential", "key", "token")
#: Placeholders for secrets in documentation and in code.
_NO_SECRET = late_pattern(
    r"\W*|.*(?:\$\{|\{\{|\$\(|%\(|<|://|\.\.\.|\*\*\*|xxx|your|example|placeholder|change_?me).*"
    # a name such as `my_secret`; with digits in it, it is more likely a password
    r"|(?!\D*\d).*(?:password|passwd|passphrase|secret|token|credential"
    r"|(?:api|private|public)[_-]?key).*"
    r"|pass|pwd|user|true|false|none|null|nil|undefined|default|required|optional|empty",
    re.IGNORECASE | re.DOTALL,
)
_RUNS = late_pattern(r"[A-Za-z0-9+/_-]{32,}={0,2}")
_CLASSES = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789")
_DIGESTS = ("md5-", "sha1-", "sha256-", "sha384-", "sha512-")  # of contents, in lock files

# Of 20,000 random strings of base64 these let 8 % pass at 32 characters, 4 % at 40 and 2 % at 64;
# of 89,460 names in the code of 60 libraries they take 4: three tokens and packed data.
_LEAST_BITS = 4.0  # per character, by how often each occurs; hexadecimal digits have 4 at most
_LEAST_CHANGES = 0.42  # share of neighbours of different classes; names in camelCase have .2 to .4
#: Between texts that are searched as one. The text after it is searched like the beginning of a
#: text: the word before it is not an address. A private key may continue across it; then a secret
#: is found.
_BETWEEN = "\n.\n"
_LOOK_BACK = 300  # characters that are searched for the beginning of an address


def find_secrets(text: str) -> list[tuple[int, int]]:
    """Return the positions of secrets as [start, end), sorted by start, without overlaps."""
    found = [m.span() for m in _KEYS.finditer(text) if not m["loose"] or _mixed(m["loose"])]
    if "eyJ" in text:
        found += [match.span() for match in _WEB_TOKENS.finditer(text)]
    if "-----BEGIN" in text:
        found += [match.span() for match in _PRIVATE_KEYS.finditer(text)]
    if "://" in text:
        found += _values(_IN_ADDRESSES, text, lambda value: not _NO_SECRET.fullmatch(value))
    if _has_any(_HEADER_NAMES, text):
        found += _values(_HEADERS, text, _is_credential)
    if _has_any(_SECRET_NAMES, text):
        found += [span for match in _NAMED.finditer(text) if (span := _named(match))]
    found += [match.span() for match in _RUNS.finditer(text) if _is_random(text, match)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _has_any(words: Iterable[str], text: str) -> bool:
    """Return whether an ASCII text has one of the words in any case, True for other texts: `re`
    treats some of their letters as equal to those of ASCII."""
    low = text.lower()
    return not text.isascii() or any(word in low for word in words)


def may_hold_secrets(texts: Iterable[str]) -> bool:
    """Return False only if `find_secrets` finds nothing in any of the texts. It searches all of
    them at once, in a fifth of the time."""
    return bool(find_secrets(_BETWEEN.join(texts)))


def secrets_in(text: str) -> set[str]:
    """Return the secrets that are long enough to be searched for in other fields."""
    return {text[a:b] for a, b in find_secrets(text) if b - a >= _SHORTEST}


def mask(text: str, known: Collection[str] = ()) -> str:
    """Return the text with `[masked]` for every secret, and for every value in `known`, regardless
    of case."""
    found = find_secrets(text)
    if len(found) > _MOST or len(known) * len(text) > _MOST_COMPARED:
        return MASK
    parts, at = [], 0
    for start, end in found:
        parts += [text[at:start], MASK]
        at = end
    masked = "".join((*parts, text[at:]))
    if not known:
        return masked
    longest_first = sorted(known, key=lambda one: (-len(one), one))
    return re.sub("|".join(map(re.escape, longest_first)), MASK, masked, flags=re.IGNORECASE)


def _values(
    pattern: re.Pattern[str], text: str, holds: Callable[[str], bool]
) -> list[tuple[int, int]]:
    return [m.span("value") for m in pattern.finditer(text) if holds(m["value"])]


def _mixed(value: str) -> bool:
    """Return whether the value has letters and digits, in both cases or in a long run, unlike words
    with dashes between them."""
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    cases = any(map(str.isupper, value)) and any(map(str.islower, value))
    return cases or max(map(len, re.split(r"[-_.]", value))) >= 12


def _is_credential(value: str) -> bool:
    """Return whether the value of a header is a credential, and not the name of a class or a
    word."""
    cases = any(map(str.isupper, value)) and any(map(str.islower, value))
    return (_mixed(value) or (cases and len(value) >= 16)) and not _NO_SECRET.fullmatch(value)


def _named(match: re.Match[str]) -> tuple[int, int] | None:
    """Return the position of a value after a name, None if it is code: a type, another name, a
    call, a number."""
    group = next(name for name in ("double", "single", "bare") if match[name] is not None)
    value = match[group].rstrip(":.,?!")
    digit, letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    if len(value) < 4 or " " in value or _NO_SECRET.fullmatch(value):
        return None
    if not match["strong"]:
        holds = len(value) >= 8 and digit and letter
    elif match["link"].strip() in ("is", "was"):
        holds = digit and letter
    else:
        holds = group != "bare" or digit or not value.replace(".", "_").isidentifier()
    if not holds or match["next"]:
        return None
    if group == "bare" and value[0] in "$%@|/\\" and value[1:].replace("/", "").isidentifier():
        return None  # a variable, a reference, a path
    return match.start(group), match.start(group) + len(value)


def _is_random(text: str, match: re.Match[str]) -> bool:
    """Return whether letters of both cases and digits alternate at random, outside of addresses and
    paths."""
    value = match[0].rstrip("=")
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    if value.startswith(("/", *_DIGESTS)) or "://" in (before.split() or [""])[-1]:
        return False
    kinds = [next((n for n, c in enumerate(_CLASSES) if one in c), 3) for one in value]
    if not {0, 1, 2} <= set(kinds):
        return False
    pairs = list(pairwise(kinds))
    changes = sum(a != b and 3 not in (a, b) for a, b in pairs) / len(pairs)
    shares = [count / len(value) for count in Counter(value).values()]
    bits = -math.fsum(share * math.log2(share) for share in shares)
    return changes >= _LEAST_CHANGES and bits >= _LEAST_BITS
