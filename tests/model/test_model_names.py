"""Fingerprints have the owner of a model, also those that an earlier version stored."""

from __future__ import annotations

import msgspec
import pytest

from pincite.model import CollectionSpec
from pincite.model.model_names import name_in_fingerprint, with_owner


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        ("orgA/embed-x", "orgA/embed-x"),
        ("embed-x", "embed-x"),
        ("/models/embed-x.gguf", "embed-x.gguf"),
        ("./models/embed-x.gguf", "embed-x.gguf"),
    ],
)
def test_the_owner_of_a_model_is_kept_and_the_folder_of_a_file_is_not(
    model: str, kept: str
) -> None:
    assert name_in_fingerprint(model) == kept


@pytest.mark.parametrize(
    ("fingerprint", "model", "full"),
    [
        ("vllm/x@8+ab", "vllm:http://gpu:8000#orgA/x", "vllm/orgA/x@8+ab"),
        ("vllm/x@8", "vllm:orgA/x@8", "vllm/orgA/x@8"),
        ("vllm/orgA/x@8", "vllm:orgA/x", "vllm/orgA/x@8"),
        ("vllm/x.gguf@8", "vllm:http://gpu:8000#/models/x.gguf", "vllm/x.gguf@8"),
        ("voyage/voyage-4@1024", "voyage:voyage-4", "voyage/voyage-4@1024"),
        ("other/x@8", "vllm:orgA/x", "other/x@8"),
        ("minilm/1", "", "minilm/1"),
    ],
)
def test_a_fingerprint_of_an_earlier_version_gets_the_owner_of_the_stored_name(
    fingerprint: str, model: str, full: str
) -> None:
    assert with_owner(fingerprint, model) == full


def test_a_stored_collection_of_an_earlier_version_keeps_its_vectors_and_revisions() -> None:
    stored = b'{"name": "a", "sparse": "s", "chunker": "c", "dense": "vllm/x@8", "model": "%b"}'
    spec = msgspec.json.decode(stored % b"vllm:http://gpu:8000#orgA/x", type=CollectionSpec)
    assert spec.dense == "vllm/orgA/x@8"
    assert spec.made_with == ("vllm/orgA/x@8", "vllm/x@8")
    assert msgspec.json.decode(msgspec.json.encode(spec), type=CollectionSpec) == spec
