"""The models of the recipe in docs/local.md, loaded by servers on this machine. Pincite does not
fetch them: it shows their sizes and the commands that fetch them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model of the recipe: its purpose, the file of weights, their approximate size, and the
    licence. `repository` is its publisher's repository on the hub; `flags` are what llama.cpp's
    server needs besides the file; `ollama` is its name in Ollama, if Ollama has it."""

    name: str
    purpose: str
    repository: str
    file: str
    megabytes: int
    licence: str
    flags: str
    ollama: str = ""

    @property
    def fetching(self) -> str:
        """Return the command that fetches the file."""
        return f"hf download {self.repository} {self.file} --local-dir ."

    def serving(self, port: int) -> str:
        """Return the command that serves it."""
        return " ".join(
            filter(None, (f"llama-server -m {self.file}", self.flags, f"--port {port}"))
        )


#: Sizes and licences as stated on the publishers' pages, November 2026.
SERVED_MODELS: Final = (
    ServedModel(
        "embeddinggemma-300M",
        "dense",
        "ggml-org/embeddinggemma-300M-GGUF",
        "embeddinggemma-300M-Q8_0.gguf",
        330,
        "Gemma Terms of Use",
        "--embeddings --pooling mean -ub 2048",
        "embeddinggemma",
    ),
    ServedModel(
        "Qwen3-Reranker-0.6B",
        "rerank",
        "ggml-org/Qwen3-Reranker-0.6B-Q8_0-GGUF",
        "qwen3-reranker-0.6b-q8_0.gguf",
        640,
        "Apache-2.0",
        "--reranking -ub 2048",
    ),
    ServedModel(
        "qmd-query-expansion-1.7B",
        "llm",
        "tobil/qmd-query-expansion-1.7B-gguf",
        "qmd-query-expansion-1.7B-q4_k_m.gguf",
        1_200,
        "MIT, of a base under Apache-2.0",
        "",
    ),
)
