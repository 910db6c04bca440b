"""Run all-MiniLM-L6-v2 and similar models on ONNX Runtime: one text per run, one thread per run.

A run uses one core because the matrix of one text is too small to share; a pool keeps all cores
busy instead. There are no batches: a text's vector would depend on its neighbours (see `onnx_bert`)
for a speed-up of a tenth at best (see docs/decisions/0002-bundled-model.md).
"""

from __future__ import annotations

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
from pincite.support.capabilities import cores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from pincite.model import Matrix, Vector

# A prefix of a long text is tokenised first. 4,096 characters give more than 256 pieces for nearly
# all prose and code; each further attempt is eight times as long.
FIRST_LOOK_CHARS = 4_096
LOOK_FACTOR = 8
# WordPiece gives at most 100 pieces per word (longer words become [UNK]), so the cut at the end of
# a prefix spoils at most its last 100 pieces; the rest allows for a cut [MASK] or similar.
SPOILT_PIECES = 128


class MiniLmEncoder:
    """A `DenseEncoder` over a folder made by `fetch.fetch`. Safe to share among threads."""

    def __init__(self, folder: Path, *, threads: int | None = None, load: bool = True) -> None:
        """Open the model. `threads` (at least 1) is the number of texts encoded in parallel, by
        default the number of cores of this process. The model is loaded now, in about 0.1 s.
        Without `load` it is loaded with the first text, which saves time for callers that only
        compare fingerprints.

        Raises ModelUnavailable if the folder has no manifest. Loading raises it if the folder is
        incomplete or its files cannot be loaded.
        """
        self._folder = folder
        self._manifest = read_manifest(folder)
        self._loading = Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        if load:
            self._model()
        self._threads = threads or cores()
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="pincite-encoder")

    @property
    def fingerprint(self) -> str:
        """Return `model/precision/start of the graph's SHA-256/pieces`."""
        return self._manifest.fingerprint

    @property
    def dimensions(self) -> int:
        """Return the length of every vector."""
        return self._manifest.dimensions

    @property
    def languages(self) -> frozenset[str]:
        """Return the stemmer names of the languages that the model supports; empty means all."""
        return frozenset(self._manifest.languages)

    async def embed_query(self, text: str) -> Vector:
        """Return a vector of shape (dimensions,), float32, L2 norm 1. Does not wait for documents
        in progress."""
        from anyio import to_thread

        return await to_thread.run_sync(self._embed, self._manifest.query_prefix + text)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Return a matrix of shape (len(texts), dimensions), float32, rows in the order of `texts`,
        L2 norm 1."""
        from anyio import to_thread

        return await to_thread.run_sync(self.embed_many, texts)

    def embed_many(self, texts: Sequence[str]) -> Matrix:
        """Embed as `embed_documents` does, for callers without an event loop; blocks until all are
        done."""
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
            pending.clear()  # one failed or was interrupted: the others stop
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of word pieces of each whole text with [CLS] and [SEP], however many
        the model reads."""
        # encode_batch would start its own threads, which warn on stderr at a fork.
        tokenizer, _ = self._model()
        return [len(tokenizer.encode(encodable(text))) for text in texts]

    def close(self) -> None:
        """Stop the workers. Embedding documents after this raises RuntimeError."""
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
    """Return [CLS], the first pieces of the text and [SEP]: at most `limit` ids in all.

    The ids equal those of tokenising the whole text and cutting it, but a huge text costs
    milliseconds. Pieces depend only on their own word. So all but the last `SPOILT_PIECES` of a
    prefix are pieces of the whole text, and a prefix with that many to spare is long enough.
    """
    look_chars = FIRST_LOOK_CHARS
    ids = tokenizer.encode(text[:look_chars]).ids
    while look_chars < len(text) and len(ids) < limit + SPOILT_PIECES:
        look_chars *= LOOK_FACTOR
        ids = tokenizer.encode(text[:look_chars]).ids
    return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]


def encodable(text: str) -> str:
    """Replace lone surrogates, which have no UTF-8 form."""
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
