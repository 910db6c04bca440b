"""The options of a provider: one table `[providers.NAME]` of `pincite.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from pincite.errors import ConfigError
from pincite.providers.pace import Rate

_COUNTS = ("max_items", "max_tokens", "max_item_tokens", "document_terms", "query_terms")


class ProviderOptions(msgspec.Struct, frozen=True):
    """Options of one provider. Zero and empty values stand for the provider's defaults.

    `url` is the address; `key_file` contains the key, if it is not in the environment. `timeout_s`
    limits one try, `deadline_s` all `tries` together. `max_items`, `max_tokens` (of a request) and
    `max_item_tokens` are for servers whose limits differ from the defaults. `tokenizer` is a
    `tokenizer.json` to count with. A single text that is too large is shortened with a warning if
    `oversize` is `cut`, and raises an error if it is `fail`.

    Providers that leave prompts to the client put prefixes before texts; None means the prefixes
    that the model's name implies. `body` is added unchanged to every request. `cache` stores
    vectors, so that no text is paid for twice. `scores` is the kind of a reranker's scores if the
    provider does not define it. `prompt = "server"` leaves the prompt of Qwen3-Reranker to the
    server's template.

    `prune_below`, `document_terms`, `query_terms` and `normalise` are those of `SpladeEncoder`.
    `precision` is that of graphs made from safetensors. `requests_per_minute` and
    `tokens_per_minute` apply to each model separately, for all processes of a user together;
    `rates` overrides them for single models.
    """

    url: str = ""
    key_file: str = ""
    timeout_s: float = 60.0
    deadline_s: float = 120.0
    tries: int = 3
    concurrency: int = 4
    max_items: int = 0
    max_tokens: int = 0
    max_item_tokens: int = 0
    tokenizer: str = ""
    oversize: Literal["cut", "fail"] = "cut"
    query_prefix: str | None = None
    document_prefix: str | None = None
    instruction: str = ""
    body: Mapping[str, Any] = {}
    cache: bool = True
    scores: Literal["", "probability", "logit", "cosine"] = ""
    prompt: Literal["client", "server"] = "client"
    prune_below: float | None = None
    document_terms: int = 0
    query_terms: int = 0
    normalise: bool = False
    precision: Literal["fp32", "int8", "int7"] = "fp32"
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    rates: Mapping[str, Rate] = {}

    def rate_of(self, model: str) -> Rate:
        """Return the rate limit of this model."""
        usual = Rate(self.requests_per_minute, self.tokens_per_minute)
        return self.rates.get(model, usual)

    def __post_init__(self) -> None:
        for name in ("timeout_s", "deadline_s"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be positive")
        for name in ("tries", "concurrency"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 1")
        Rate(self.requests_per_minute, self.tokens_per_minute)  # validates them
        for name in _COUNTS:
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must not be negative")
        if self.prune_below is not None and self.prune_below < 0:
            raise ConfigError(f"prune_below is {self.prune_below}; it must not be negative")
        if self.oversize not in ("cut", "fail"):
            raise ConfigError(f"oversize is {self.oversize!r}; use cut or fail")
        if self.scores not in ("", "probability", "logit", "cosine"):
            raise ConfigError(f"scores is {self.scores!r}; use probability, logit or cosine")
        if self.precision not in ("fp32", "int8", "int7"):
            raise ConfigError(f"precision is {self.precision!r}; use fp32, int8 or int7")
        if self.prompt not in ("client", "server"):
            raise ConfigError(f"prompt is {self.prompt!r}; use client or server")
