"""all-MiniLM-L6-v2 and its like on ONNX Runtime: one text a run, one thread a run.

A run uses one core because a matrix of one text is too small to share; a pool keeps all cores
busy instead. Batches are not used: they would make a text's vector depend on its neighbours
(see `onnx_bert`) and be a tenth faster at best (see docs/decisions/0002-bundled-model.md).
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from pincite.errors import ModelUnavailable
from pincite.providers.bundled.manifest import (
    GRAPH,
    INPUT,
    OUTPUT,
    TOKENIZER,
    find_damage,
    read_manifest,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from pincite.model import Matrix, Vector

# A long text is tokenised from a beginning that is long enough. 4,096 characters are more than
# the 256 pieces of nearly all prose and code; the next looks are eight times as long.
FIRST_LOOK_CHARS = 4_096
LOOK_FACTOR = 8
# WordPiece gives at most 100 pieces for a word (longer ones become [UNK]), so the cut at the end
# of a look spoils at most its last 100 pieces; some more for a cut [MASK] or its like.
SPOILT_PIECES = 128


class MiniLmEncoder:
    """A `DenseEncoder` over a folder that `weights.fetch` made. Safe to share among threads."""

    def __init__(self, folder: Path, *, threads: int | None = None, load: bool = True) -> None:
        """`threads` (at least 1) is how many texts are encoded at once, by default as many as
        there are cores for this process. The model is loaded now, in about 0.1 s, or without
        `load` with its first text: who only compares fingerprints is spared that.

        Raises ModelUnavailable if there is no manifest in the folder. Loading raises it if the
        folder is incomplete or its files cannot be loaded.
        """
        self._folder = folder
        self._manifest = read_manifest(folder)
        self._loading = Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        if load:
            self._model()
        self._threads = threads or usable_cores()
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="pincite-encoder")

    @property
    def fingerprint(self) -> str:
        """`model/precision/beginning of the graph's SHA-256/pieces`."""
        return self._manifest.fingerprint

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._manifest.dimensions

    @property
    def languages(self) -> frozenset[str]:
        """Stemmer names of the languages that the model knows; empty = all."""
        return frozenset(self._manifest.languages)

    async def embed_query(self, text: str) -> Vector:
        """Shape (dimensions,), float32, L2 norm 1. Does not wait for documents in progress."""
        from anyio import to_thread

        return await to_thread.run_sync(self._embed, self._manifest.query_prefix + text)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Shape (len(texts), dimensions), float32, rows in the order of `texts`, L2 norm 1."""
        from anyio import to_thread

        return await to_thread.run_sync(self.embed_many, texts)

    def embed_many(self, texts: Sequence[str]) -> Matrix:
        """As `embed_documents`, for callers without an event loop; blocks until all are done."""
        import numpy as np

        prefix = self._manifest.document_prefix
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        pending = deque(range(len(texts)))  # each worker takes the next text when it is free

        def work() -> None:
            while pending:
                try:
                    row = pending.popleft()
                except IndexError:
                    return  # another worker took the last one
                vectors[row] = self._embed(prefix + texts[row])

        workers = [self._pool.submit(work) for _ in range(min(self._threads, len(texts)))]
        try:
            for worker in workers:
                worker.result()
        finally:
            pending.clear()  # one failed, or we were interrupted: the others stop
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Word pieces of each whole text with [CLS] and [SEP], however many the model reads."""
        # encode_batch would start threads of its own, which warn on stderr when we fork.
        tokenizer, _ = self._model()
        return [len(tokenizer.encode(encodable(text))) for text in texts]

    def close(self) -> None:
        """Let the workers end. Embedding documents after this raises RuntimeError."""
        self._pool.shutdown()

    def _embed(self, text: str) -> Vector:
        import numpy as np

        tokenizer, session = self._model()
        ids = leading_pieces(tokenizer, encodable(text), self._manifest.max_pieces)
        vector: Vector = session.run([OUTPUT], {INPUT: np.array(ids, np.int64)})[0]
        return vector

    def _model(self) -> tuple[Tokenizer, InferenceSession]:
        with self._loading:
            if self._loaded is None:
                if damage := find_damage(self._manifest, self._folder, hashes=False):
                    raise ModelUnavailable(
                        f"the model in {self._folder} is damaged: {damage}",
                        hint="pincite models fetch",
                    )
                self._loaded = _load_tokenizer(self._folder), _load_session(self._folder)
            return self._loaded


def leading_pieces(tokenizer: Tokenizer, text: str, limit: int) -> list[int]:
    """[CLS], the first pieces of the text, [SEP]: at most `limit` ids in all.

    The same ids as tokenising the whole text and cutting, but a huge text costs milliseconds.
    Pieces depend on their own word only, so all but the last `SPOILT_PIECES` of a beginning are
    pieces of the whole, and a beginning that has that many to spare will do.
    """
    look_chars = FIRST_LOOK_CHARS
    ids = tokenizer.encode(text[:look_chars]).ids
    while look_chars < len(text) and len(ids) < limit + SPOILT_PIECES:
        look_chars *= LOOK_FACTOR
        ids = tokenizer.encode(text[:look_chars]).ids
    return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]


def usable_cores() -> int:
    """The cores that this process may run on, or all of them where the system does not say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, which have no UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _load_tokenizer(folder: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:
        raise _cannot_load(folder / TOKENIZER, error) from error
    # The published file cuts at 128 pieces and pads to 128.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _load_session(folder: Path) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(
            folder / GRAPH, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise _cannot_load(folder / GRAPH, error) from error


def _cannot_load(path: Path, error: Exception) -> ModelUnavailable:
    return ModelUnavailable(f"{path} cannot be loaded: {error}", hint="pincite models fetch")
