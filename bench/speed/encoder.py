"""How much of the encoder's speed reaches the person who indexes, and how fast is the encoder?

- raw: onnxruntime alone on the product's graph, texts tokenised beforehand, one text a run, one
  thread per core. Tokens are the word pieces that the model reads (at most 256 a text).
- encoder: the product's encoder on the same texts, tokenising included.
- indexing: the whole product on the ADK documentation, with its daemon and a fresh index,
  from the call to the return of `index` (reading, chunking, weighing, encoding, storing, flush).
- efficiency: indexing / raw and encoder / raw, in tokens/s. The machine's speed drifts, so that raw
  runs before and after each of the two, and each is compared with the mean of its neighbours; the
  figure is the median of the rounds. Work share: the same with processor time in place of walls
  (raw's over indexing's), which other programs on the machine change less.
- phases: the seconds that each phase of indexing takes when nothing overlaps it, on one core but
  for encoding, which has all: reading, cutting and weighing; encoding; storing.
- torch: sentence-transformers in fp32 on as many threads, the same texts in blocks in turn, the
  better of two batch sizes; `ratio` is encoder / torch in tokens/s, the median of the blocks.
  `quality` is the dense side's nDCG@10 with each encoder.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.adk import require_docs
from bench.frame import Options, SkippedError, describe_machine
from bench.product import open_product, spec_of, temporary_folder
from bench.rivals.torch_encoder import TorchEncoder
from bench.rivals.torch_figures import TorchFigures, against
from bench.times import cpu_s
from bench.vectors import open_product_encoder
from pincite.daemon.wire.protocol import ServedIndex
from pincite.encoders.bundled import MODEL
from pincite.evals.analysis.statistics import median
from pincite.evals.golden.targets import every_chunk
from pincite.ingestion.batch import Batch
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.enrich import enrich
from pincite.ingestion.prepare import prepare_all
from pincite.model import IndexedDocument, Matrix
from pincite.providers.bundled import cache
from pincite.providers.bundled.manifest import GRAPH, INPUT, OUTPUT, TOKENIZER
from pincite.providers.bundled.minilm import MiniLmEncoder, leading_pieces
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Entry, SourceLimits, open_source
from pincite.support.fields import replace
from pincite.support.processes.gc_tuning import rarely_collect

_MAX_PIECES, _TORCH_TEXTS = 256, 512

Pieces = Sequence[NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Pace:
    """Tokens per second, and processor seconds of all processes together."""

    tokens_per_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Round:
    """`raw` ran before indexing, between it and the encoder, and after that."""

    raw: tuple[Pace, Pace, Pace]
    indexing: Pace
    encoder: Pace

    @property
    def indexing_share(self) -> float:
        """Of the raw speed around it."""
        return self.indexing.tokens_per_s / _mean(self.raw[:2])

    @property
    def encoder_share(self) -> float:
        """Of the raw speed around it."""
        return self.encoder.tokens_per_s / _mean(self.raw[1:])

    @property
    def work_share(self) -> float:
        """Raw's processor time around indexing over that of indexing."""
        return (self.raw[0].cpu_s + self.raw[1].cpu_s) / 2 / self.indexing.cpu_s


def _mean(paces: Sequence[Pace]) -> float:
    return sum(pace.tokens_per_s for pace in paces) / len(paces)


@dataclass(frozen=True, slots=True)
class EncoderFigures:
    """`busy` is the share of the indexing time in which the encoder ran."""

    chunks: int
    tokens: int
    threads: int
    rounds: tuple[Round, ...]
    indexing_efficiency: float
    encoder_efficiency: float
    work_share: float
    busy: float
    phases_s: dict[str, float]
    torch: TorchFigures | None
    torch_skipped: str = ""


async def run(options: Options) -> EncoderFigures:
    """Index, encode raw, encode; then the phases one by one, and torch."""
    docs = require_docs(options)
    place = docs / "docs" / "tools" if options.quick else docs
    rarely_collect()  # as the command line does
    encoder = open_product_encoder(options.models)
    folder = cache.find(MODEL, options.models)
    if folder is None:
        raise SkippedError(f"{MODEL} is not in {options.models}")
    threads = describe_machine().cores
    rounds, busy = list[Round](), list[float]()
    raw = RawEncoder(folder, threads)
    with temporary_folder() as work:
        texts = await _texts(place, work / "texts", options)
        pieces = raw.tokenise(texts)
        tokens = sum(map(len, pieces))

        def bare() -> Pace:
            watch = Watch()
            raw.run(pieces)
            return watch.pace(tokens)

        before = bare()
        for number in range(1 if options.quick else 3):
            async with open_product(work / f"index{number}", options) as engine:
                watch = Watch()
                report = (await engine.index([place]))[0]
                daemon_s = cpu_s((await engine.client().hello()).pid)
                indexing = watch.pace(tokens, daemon_s)
            busy.append(report.encode_s / (tokens / indexing.tokens_per_s))
            between = bare()
            watch = Watch()
            encoder.embed_many(texts)
            encoding = watch.pace(tokens)
            after = bare()
            rounds.append(Round((before, between, after), indexing, encoding))
            before = after
            print(f"  round {number + 1}: {rounds[-1]}", flush=True)
        phases = await _phases(place, work / "phases", options, encoder)
        torch, skipped = None, ""
        try:
            with TorchEncoder(options, work, threads) as rival:
                wanted = _TORCH_TEXTS // 8 if options.quick else _TORCH_TEXTS
                sample = texts[:: max(1, len(texts) // wanted)]
                read = sum(map(len, raw.tokenise(sample)))
                torch = await against(rival, encoder, sample, read, options)
        except SkippedError as error:
            skipped = str(error)
            print(f"  torch is skipped: {error}")
    encoder.close()
    return EncoderFigures(
        chunks=len(texts),
        tokens=tokens,
        threads=threads,
        rounds=tuple(rounds),
        indexing_efficiency=round(median([one.indexing_share for one in rounds]), 3),
        encoder_efficiency=round(median([one.encoder_share for one in rounds]), 3),
        work_share=round(median([one.work_share for one in rounds]), 3),
        busy=round(median(busy), 3),
        phases_s=phases,
        torch=torch,
        torch_skipped=skipped,
    )


async def _texts(place: Path, root: Path, options: Options) -> list[str]:
    """What the encoder reads when the place is indexed."""
    async with open_product(root, options) as engine:
        await engine.index([place])  # which also warms the disk's cache
        return [enrich(chunk) async for chunk in every_chunk(engine.client(), "main")]


class Watch:
    """Wall and processor seconds of this process since it was made."""

    def __init__(self) -> None:
        self._start = time.perf_counter(), time.process_time()

    def pace(self, tokens: int, more_cpu_s: float = 0.0) -> Pace:
        """For so many tokens, with the processor time of another process."""
        wall_s, own_s = time.perf_counter() - self._start[0], time.process_time() - self._start[1]
        return Pace(round(tokens / wall_s), round(own_s + more_cpu_s, 2))


class RawEncoder:
    """The graph in onnxruntime and the tokenizer, without the product's code around them."""

    def __init__(self, folder: Path, threads: int) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            folder / GRAPH, options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._threads = threads

    def tokenise(self, texts: Sequence[str]) -> Pieces:
        """The ids that the model reads of each text."""
        return [
            np.array(leading_pieces(self._tokenizer, text, _MAX_PIECES), np.int64) for text in texts
        ]

    def run(self, pieces: Pieces) -> None:
        """Encode all texts on all threads."""
        pending = deque(pieces)

        def work() -> None:
            while True:
                try:
                    ids = pending.popleft()
                except IndexError:
                    return
                self._session.run([OUTPUT], {INPUT: ids})

        with ThreadPoolExecutor(self._threads) as pool:
            for worker in [pool.submit(work) for _ in range(self._threads)]:
                worker.result()


async def _phases(
    place: Path, root: Path, options: Options, encoder: MiniLmEncoder
) -> dict[str, float]:
    """Seconds of each phase, one after the other."""
    sparse = Bm25Encoder("english")
    opened = open_source(place, limits=SourceLimits())
    seconds: dict[str, float] = {}
    async with open_product(root, options) as engine:
        await engine.index([place])  # makes the collection, and warms the disk's cache
        client = engine.client()
        spec = await spec_of(client)
        started_s = time.perf_counter()
        entries = [entry for entry in opened.entries() if isinstance(entry, Entry)]
        seconds["list"] = time.perf_counter() - started_s
        started_s = time.perf_counter()
        deps = IngestDeps(client, sparse, encoder)
        batches = list(prepare_all(opened, entries, spec, deps))
        seconds["read, cut, weigh"] = time.perf_counter() - started_s
        started_s = time.perf_counter()
        texts = [[text for one in batch.documents for text in one.texts] for batch in batches]
        matrices = [encoder.embed_many(each) for each in texts]
        seconds["encode"] = time.perf_counter() - started_s
        await client.reset(spec)
        seconds["store"] = await _store(client, spec.name, batches, matrices)
        started_s = time.perf_counter()
        await client.settle(spec.name)
        seconds["flush"] = time.perf_counter() - started_s
    opened.close()
    return {name: round(value, 2) for name, value in seconds.items()}


async def _store(
    client: ServedIndex, name: str, batches: Sequence[Batch], matrices: Sequence[Matrix]
) -> float:
    documents = []
    for batch, matrix in zip(batches, matrices, strict=True):
        rows = iter(matrix)
        for one in batch.documents:
            points = tuple(replace(point, dense=next(rows)) for point in one.points)
            documents.append(IndexedDocument(one.record, points))
    started_s = time.perf_counter()
    for document in documents:
        await client.replace(name, [document])
    return time.perf_counter() - started_s
