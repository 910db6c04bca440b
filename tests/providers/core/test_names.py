"""`provider:model` in all its forms."""

from __future__ import annotations

import pytest

from pincite.errors import ConfigError
from pincite.providers.names import ModelName, parse_model

FORMS = {
    "voyage:voyage-4": ModelName("voyage", "voyage-4"),
    "openai:text-embedding-3-small@512": ModelName("openai", "text-embedding-3-small", "", 512),
    "ollama:qwen3-embedding:0.6b": ModelName("ollama", "qwen3-embedding:0.6b"),
    "llamacpp:http://localhost:8081": ModelName("llamacpp", "", "http://localhost:8081"),
    "vllm:http://gpu:8000#Qwen/Qwen3-Embedding-0.6B@512": ModelName(
        "vllm", "Qwen/Qwen3-Embedding-0.6B", "http://gpu:8000", 512
    ),
}


@pytest.mark.parametrize("text", FORMS)
def test_a_name_is_read_and_written(text: str) -> None:
    assert parse_model(text) == FORMS[text]
    assert str(parse_model(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "voyage", "voyage:", ":x", "Voyage:x", "voyage: x", "x:ftp://h", "x:http://a:b@h"],
)
def test_what_names_no_model_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_model(text)
    assert caught.value.hint
