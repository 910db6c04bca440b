"""Settings of answers: the section `[answer]` of a profile."""

from __future__ import annotations

from typing import Literal

import msgspec

from pincite.errors import ConfigError
from pincite.model import ChatMode
from pincite.support.ranges import require_range

_LEAST = {
    "context_tokens": 300,
    "answer_tokens": 1,
    "facts": 0,
    "recent_turns": 0,
    "summary_tokens": 50,
}
NOTHING_FOUND = "I could not find anything about that in what is indexed."


class AnswerConfig(msgspec.Struct, frozen=True):
    """`mode`: what happens where the evidence is not good enough, see `model.ChatMode`.

    `refusal`: say a fixed `sentence` without asking a model, or let the `model` refuse in its own
    words, without any evidence. `context_tokens`: of evidence in the prompt at most, by an upper
    estimate. `order` of the evidence: by rank, or `u`, the second best last. `answer_tokens`: of
    the answer at most. `facts`: of the user's memory at most, 0 for none. `rewrite`: follow-ups are
    rewritten to questions that stand alone, for retrieval only; `recent_turns` go into that and
    into the prompt, what is older only as a summary of `summary_tokens` at most. `timeout_s`: for
    each request to the model. `prompts`: a folder whose files replace what the model is told, see
    `answering.prompt_files`; empty for the bundled ones."""

    mode: ChatMode = "strict"
    refusal: Literal["sentence", "model"] = "sentence"
    sentence: str = NOTHING_FOUND
    context_tokens: int = 4000
    order: Literal["rank", "u"] = "rank"
    answer_tokens: int = 1000
    facts: int = 5
    rewrite: bool = True
    recent_turns: int = 6
    summary_tokens: int = 300
    timeout_s: float = 120.0
    prompts: str = ""

    def __post_init__(self) -> None:
        if not self.sentence.strip():
            raise ConfigError("answer.sentence is empty; users read it if nothing is found")
        for name, least in _LEAST.items():
            require_range(self, "answer", name, least=least)
        require_range(self, "answer", "timeout_s", above=0)
