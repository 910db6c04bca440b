"""Read a folder with a published transformer.

It contains either an ONNX graph (`model.onnx`, or in a folder `onnx`) of any architecture, or
`model.safetensors` of a BERT with its `config.json`. `tokenizer.json` is needed in both cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pincite.errors import ModelUnavailable

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Tokenizer

CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
GRAPHS: Final = ("model.onnx", "onnx/model.onnx")
LARGEST_PIECES: Final = 512  # their training length, even if their tables are longer


@dataclass(frozen=True, slots=True)
class Config:
    """The relevant fields of `config.json`."""

    architecture: str
    heads: int
    layer_norm_epsilon: float
    activation: str
    positions: int
    labels: int


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder of a model. `graph` is None if the graph has to be made from `weights`."""

    path: Path
    config: Config
    graph: Path | None
    weights: Path

    @property
    def longest(self) -> int:
        """Return the maximum of pieces that the model reads, including special ones."""
        return min(LARGEST_PIECES, self.config.positions)

    def require_bert(self) -> None:
        """Raise ModelUnavailable unless a graph can be made from the weights."""
        one = self.config
        if one.architecture != "bert" or one.activation != "gelu":
            raise ModelUnavailable(
                f"{self.path} contains a {one.architecture} with {one.activation}; without an"
                " ONNX graph, only BERT weights can run",
                hint=f"export it to {self.path / GRAPHS[0]}",
            )


def read_folder(path: Path) -> ModelFolder:
    """Read a folder. Raises ModelUnavailable that says which file is missing or broken."""
    if not path.is_dir():
        raise ModelUnavailable(f"the model folder {path} does not exist")
    graph = next((path / name for name in GRAPHS if (path / name).is_file()), None)
    weights = path / WEIGHTS
    if graph is None and not weights.is_file():
        raise ModelUnavailable(f"{path} contains neither {GRAPHS[0]} nor {WEIGHTS}")
    for name in (CONFIG, TOKENIZER):
        if not (path / name).is_file():
            raise ModelUnavailable(f"{path / name} is missing")
    return ModelFolder(path, _read_config(path / CONFIG), graph, weights)


def load_tokenizer(folder: ModelFolder, longest: int) -> Tokenizer:
    """Return a tokenizer that cuts at `longest` pieces, for pairs from the longer text, without
    padding.

    Raises ModelUnavailable.
    """
    from tokenizers import Tokenizer

    path = folder.path / TOKENIZER
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise ModelUnavailable(f"{path} cannot be loaded: {error}") from error
    tokenizer.enable_truncation(longest, strategy="longest_first")
    tokenizer.no_padding()
    return tokenizer


def _read_config(path: Path) -> Config:
    try:
        values: dict[str, Any] = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        architecture = str(values.get("model_type", "unknown"))
        # RoBERTa and related models count positions from the padding id + 1.
        offset = int(values.get("pad_token_id") or 0) + 1 if "roberta" in architecture else 0
        names = values.get("id2label")
        labels = len(names) if isinstance(names, dict) else int(values.get("num_labels", 2))
        return Config(
            architecture=architecture,
            heads=int(values.get("num_attention_heads", 0)),
            layer_norm_epsilon=float(values.get("layer_norm_eps", 1e-12)),
            activation=str(values.get("hidden_act", "gelu")),
            positions=int(values.get("max_position_embeddings", LARGEST_PIECES)) - offset,
            labels=labels,
        )
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        raise ModelUnavailable(f"{path} cannot be read: {error}") from error
