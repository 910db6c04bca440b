"""One loaded transformer: it takes the pieces of one text and returns the output of its head."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from pincite.errors import ModelUnavailable
from pincite.providers.bundled.manifest import INPUT
from pincite.providers.bundled.minilm import encodable
from pincite.providers.bundled.onnx_bert import BertShape, Precision
from pincite.providers.transformers.folder import ModelFolder, load_tokenizer
from pincite.providers.transformers.heads import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Head = Callable[[Path, BertShape, Precision], bytes]

# Limit of characters, as tokenising text that is cut later costs time. It is longer than any text
# of 512 pieces that is not white space or one endless word.
MOST_CHARS = 100_000


class TransformerSession:
    """Run one text, or pair, at a time on one core. Safe to share among threads."""

    def __init__(
        self, folder: ModelFolder, head: Head, precision: Precision, longest: int | None = None
    ) -> None:
        """Load the folder's graph, or make one with `head` in this `precision`.

        Raises ModelUnavailable.
        """
        import onnxruntime

        self.longest = min(longest or folder.longest, folder.longest)
        self._tokenizer = load_tokenizer(folder, self.longest)
        graph = _graph(folder, head, precision)
        self.sha256 = hashlib.sha256(graph).hexdigest()
        self.precision = precision if folder.graph is None else "onnx"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(
                graph, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ModelUnavailable(f"the model in {folder.path} cannot be run: {error}") from error
        self._inputs = tuple(one.name for one in self._session.get_inputs())
        known = {INPUT, TYPES, "input_ids", "attention_mask", "token_type_ids"}
        if unknown := set(self._inputs) - known:
            raise ModelUnavailable(
                f"the model in {folder.path} requires the inputs {sorted(unknown)}, which"
                " Pincite does not provide"
            )

    def run(self, text: str, second: str | None = None) -> NDArray[np.float32]:
        """Return the graph's first output, without its batch dimension of 1."""
        one = encodable(text[:MOST_CHARS])
        pair = None if second is None else encodable(second[:MOST_CHARS])
        encoded = self._tokenizer.encode(one, pair)
        ids = np.array(encoded.ids, np.int64)
        types = np.array(encoded.type_ids, np.int64)
        if INPUT in self._inputs:
            given = {INPUT: ids, TYPES: types}
            return np.asarray(self._session.run(None, self._of(given))[0])
        given = {"input_ids": ids, "token_type_ids": types, "attention_mask": np.ones_like(ids)}
        batched = {name: values[None] for name, values in self._of(given).items()}
        return np.asarray(self._session.run(None, batched)[0][0])

    def token(self, index: int) -> str:
        """Return the piece with this number, for people."""
        return self._tokenizer.id_to_token(index) or ""

    def _of(self, given: dict[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
        return {name: given[name] for name in self._inputs}


def _graph(folder: ModelFolder, head: Head, precision: Precision) -> bytes:
    if folder.graph is not None:
        return folder.graph.read_bytes()
    folder.require_bert()
    shape = BertShape(folder.config.heads, folder.config.layer_norm_epsilon)
    try:
        return head(folder.weights, shape, precision)
    except KeyError as error:
        raise ModelUnavailable(
            f"{folder.weights} has no tensor {error}: it is another kind of model"
        ) from error
    except Exception as error:
        raise ModelUnavailable(f"{folder.weights} cannot be read: {error}") from error
