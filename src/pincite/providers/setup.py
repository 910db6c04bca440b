"""The description of a provider, and the setup that its file receives to open a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Literal, get_args

from pincite.errors import AuthError, ConfigError
from pincite.model import Notice
from pincite.providers.batching import Limits
from pincite.providers.http import Transport
from pincite.providers.names import ModelName
from pincite.providers.pace import Pace
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.retry import Clock, RetryPolicy
from pincite.providers.secret import Secret
from pincite.providers.tokens import CountTokens, estimate_tokens, tokenizer_counter

Kind = Literal["dense", "sparse", "rerank", "llm"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider. `dense`, `sparse`, `rerank` and `llm` name the function that opens such a model,
    as `module:function`: an async function of a `Setup`. `key` is the environment variable of the
    key, `url` the default address, `extra` the extra to install, `also` the name of the variable in
    other programs. A key is required if `url` is https."""

    name: str
    key: str = ""
    url: str = ""
    extra: str = ""
    also: str = ""
    dense: str = ""
    sparse: str = ""
    rerank: str = ""
    llm: str = ""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the kinds of models that it supports."""
        return tuple(kind for kind in KINDS if getattr(self, kind))

    @property
    def needs_key(self) -> bool:
        """Return whether a key is required."""
        return bool(self.key) and self.url.startswith("https:")


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a provider's file needs to open a model. `dimensions` is that of an existing
    index, 0 if there is none yet; `models` is the folder of weights, `rates` the file through which
    processes share their rate limits."""

    provider: Provider
    name: ModelName
    options: ProviderOptions = field(default_factory=ProviderOptions)
    key: Secret | None = None
    dimensions: int = 0
    models: Path | None = None
    offline: bool = False
    on_notice: Callable[[Notice], None] = lambda _: None
    clock: Clock = field(default_factory=Clock)
    rates: Path | None = None

    def transport(self, url: str = "") -> Transport:
        """Return a transport to the address of the model's name, of the options, `url`, or the
        default one, in this order. Raises ConfigError if there is no valid address, AuthError if a
        required key is missing."""
        usual = url or self.provider.url
        chosen = self.name.url or self.options.url or usual
        if not chosen:
            raise ConfigError(
                f"{self.provider.name} has no default address",
                hint=f"write {self.provider.name}:http://HOST:PORT#MODEL",
            )
        if self.provider.needs_key and self.key is None:
            raise AuthError(
                f"{self.name} needs a key, but {self.provider.key} is not set",
                hint=(
                    f"export {self.provider.key}=..., or name a file: key_file in"
                    f" [providers.{self.provider.name}] of pincite.toml"
                ),
            )
        retry = RetryPolicy(tries=self.options.tries, deadline_s=self.options.deadline_s)
        return Transport(
            self.provider.name,
            chosen,
            key=self.key,
            key_variable=self.provider.key,
            timeout_s=self.options.timeout_s,
            retry=retry,
            clock=self.clock,
            pace=self._pace(chosen),
        )

    def _pace(self, url: str) -> Pace:
        """Return the pace of this model, address and key: providers count requests by these
        three."""
        key = self.key.reveal() if self.key is not None else ""
        asker = blake2b(f"{url}\0{key}".encode(), digest_size=8).hexdigest()
        name = f"{self.provider.name}:{self.name.model}"
        rate = self.options.rate_of(self.name.model)
        return Pace(name, f"{name} {asker}", rate, self.rates, self.on_notice, self.clock)

    def limits(self, usual: Limits) -> Limits:
        """Return `usual` with the limits of the options. No request exceeds the tokens of a
        minute."""
        given = self.options
        tokens = given.max_tokens or usual.tokens
        most = given.rate_of(self.name.model).tokens_per_minute
        return Limits(
            items=given.max_items or usual.items,
            tokens=min(tokens or most, most or tokens),
            item_tokens=given.max_item_tokens or usual.item_tokens,
            concurrency=given.concurrency,
        )

    def counter(self) -> CountTokens:
        """Return the configured tokenizer's counter, otherwise the estimate."""
        if not self.options.tokenizer:
            return estimate_tokens
        return tokenizer_counter(Path(self.options.tokenizer))
