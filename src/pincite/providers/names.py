"""Parse `provider:model`, the form of model names in options and in `pincite.toml`."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from pincite.errors import ConfigError
from pincite.providers.addresses import check_url
from pincite.support.fields import replace

#: Providers of models that run in this process.
LOCAL_PROVIDERS: Final = ("bundled", "fastembed", "local")

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_DIMENSIONS = re.compile(r"@([1-9]\d{0,4})\Z")
_FORMS = "PROVIDER:MODEL, PROVIDER:MODEL@DIMENSIONS or PROVIDER:http://HOST:PORT#MODEL"


class ModelName(msgspec.Struct, frozen=True):
    """A parsed string: `voyage:voyage-4`, `openai:text-embedding-3-small@512`,
    `llamacpp:http://localhost:8081`, `vllm:http://gpu:8000#Qwen/Qwen3-Embedding-0.6B@512`.

    `model` and `url` may be empty, but not both; `dimensions` 0 means the model's own.
    """

    provider: str
    model: str = ""
    url: str = ""
    dimensions: int = 0

    def __str__(self) -> str:
        size = f"@{self.dimensions}" if self.dimensions else ""
        if not self.url:
            return f"{self.provider}:{self.model}{size}"
        return f"{self.provider}:{self.url}" + (f"#{self.model}" if self.model else "") + size

    def with_model(self, model: str) -> ModelName:
        """Return the name with the server's name of its model."""
        return replace(self, model=model)


def parse_model(text: str) -> ModelName:
    """Parse the name of a model. Raises ConfigError if it is invalid."""
    provider, colon, rest = text.strip().partition(":")
    if not colon or not _NAME.fullmatch(provider) or not rest or rest != rest.strip():
        raise ConfigError(f"{text!r} is not a model name", hint=f"write {_FORMS}")
    dimensions = 0
    if found := _DIMENSIONS.search(rest):
        dimensions, rest = int(found[1]), rest[: found.start()]
    if "://" not in rest:
        return ModelName(provider, rest, dimensions=dimensions)
    url, _, model = rest.partition("#")
    return ModelName(provider, model, check_url(url), dimensions)
