"""Models of the hub, with a real one that the test makes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType

from pincite.errors import ModelUnavailable
from pincite.ports import DenseEncoder
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.registry import Registry
from pincite.testing.encoders import DenseEncoderContract
from tests.providers.bundled import tiny_bert
from tests.providers.transformers.published_graph import publish_graph
from tests.providers.transformers.tiny_heads import publish

NAME = "tests/tiny"


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published graph that fastembed knows."""
    place = tmp_path_factory.mktemp("hub")
    tensors = tiny_bert.make_tensors()
    source = publish(place / "source", tensors)
    made = publish_graph(place / "tiny", source, "types", lambda *given: given[-1])
    limits = {"model_max_length": tiny_bert.MAX_PIECES, "pad_token": "[PAD]"}
    (made / "tokenizer_config.json").write_text(json.dumps(limits))
    (made / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]"}))
    TextEmbedding.add_custom_model(
        NAME, PoolingType.MEAN, True, ModelSource(hf=NAME), dim=tiny_bert.HIDDEN
    )
    return made


def registry(folder: Path) -> Registry:
    options = ProviderOptions(body={"specific_model_path": str(folder)})
    return Registry({"fastembed": options}, models=folder.parent / "models", offline=True)


class TestFastEmbed(DenseEncoderContract):
    folder: Path

    @pytest.fixture(autouse=True)
    def _folder(self, folder: Path) -> None:
        self.folder = folder

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[DenseEncoder]:
        yield await registry(self.folder).open("dense", f"fastembed:{NAME}")


def test_vectors_are_those_of_the_reference(folder: Path) -> None:
    async def embed() -> tuple[str, Any]:
        encoder = await registry(folder).open("dense", f"fastembed:{NAME}")
        return encoder.fingerprint, await encoder.embed_query("hello world")

    name, found = asyncio.run(embed())
    ids = [tiny_bert.VOCABULARY.index(piece) for piece in ("[CLS]", "hello", "world", "[SEP]")]
    assert np.allclose(found, tiny_bert.forward(tiny_bert.make_tensors(), ids), atol=1e-4)
    assert name == f"fastembed/tests/tiny@{tiny_bert.HIDDEN}"


def test_a_model_that_nobody_knows_is_named_with_what_to_do(folder: Path) -> None:
    with pytest.raises(ModelUnavailable, match="nobody/nothing") as caught:
        asyncio.run(registry(folder).open("dense", "fastembed:nobody/nothing"))
    assert "list_supported_models" in caught.value.hint
