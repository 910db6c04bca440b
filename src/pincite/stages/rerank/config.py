"""Settings of reranking: which candidates are judged, and the limits of the requests."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from pincite.errors import ConfigError
from pincite.model import Corpus
from pincite.support.ranges import require_range

MOST_JUDGED: Final = 250  # candidates; more cost a lot and improve little
#: The instruction of the specification that the preset `evidence` follows: its exact text in the
#: mode build with the names of its corpus. Rerankers append the question.
INSTRUCTION = """\
You are ranking evidence to help implement a correct solution using {corpus}.
Prefer: official {docs} docs that describe the exact API and constraints, and {code} source that \
demonstrates real patterns.
Prefer: content that directly answers the question and includes concrete parameters, \
function/class names, and usage patterns.
Deprioritize: tangential mentions, outdated references, or generic LLM commentary.
{task}"""


class RerankConfig(msgspec.Struct, frozen=True):
    """The number of candidates to judge, and the limits of the requests.

    `use`: the reranker that is `configured`, if there is one; `expected` adds a notice if there is
    none; `never` uses none.

    `instruction` is the instruction for rerankers that accept one, with the fields `{task}` (a
    sentence about the mode, empty for build) and those of `Corpus`; empty for none. `corpus`
    replaces the name of the corpus. `header` precedes a passage with its location. `body_tokens`
    limits the text of a passage, counted by `tokenizer` (a `tokenizer.json`), else by the
    provider's tokenizer, else by a conservative estimate.

    `budget_tokens`: the maximum cost of one request, query tokens times documents plus document
    tokens. Above it, requests have `batch` passages; a listwise reranker gets as many as fit.
    `top`: the number of results to request and keep, 0 for all.

    `start_ms` and `each_ms`: the estimated time of a request and of a document, to fit the number
    of documents into the rest of a time budget.
    """

    use: Literal["configured", "expected", "never"] = "configured"
    pool: int = 60
    timeout_s: float = 20.0
    corpus: str = ""
    instruction: str = INSTRUCTION
    header: Literal["full", "short", "none"] = "full"
    body_tokens: int = 1200
    tokenizer: str = ""
    budget_tokens: int = 500_000
    batch: int = 60
    top: int = 0
    start_ms: float = 150.0  # guess, unmeasured: no hosted reranker was available
    each_ms: float = 5.0  # guess, unmeasured

    def __post_init__(self) -> None:
        require_range(self, "rerank", "pool", least=1, most=MOST_JUDGED)
        require_range(self, "rerank", "timeout_s", above=0)
        require_range(self, "rerank", "body_tokens", "budget_tokens", "batch", least=1)
        require_range(self, "rerank", "top", "start_ms", "each_ms", least=0)
        try:
            self.instruction.format(task="", **Corpus().words)
        except (KeyError, IndexError, ValueError) as error:
            raise ConfigError(
                f"rerank.instruction: {error}; known fields:"
                f" {', '.join(f'{{{name}}}' for name in ('task', *Corpus().words))}"
            ) from error
