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
    """The settings of answers. `mode` decides what happens if the evidence is not good enough, see
    `model.ChatMode`.

    With `refusal` `sentence` the fixed `sentence` is the answer, without a request to a model; with
    `model` the model refuses in its own words, without any evidence. `context_tokens` is the most
    evidence in the prompt, by an upper estimate. Evidence is in `order` of rank, or with `u` the
    second best comes last. `answer_tokens` limits the answer, `facts` the facts from the user's
    memory, 0 for none. With `rewrite`, follow-up questions become standalone questions, for
    retrieval only. `recent_turns` are used for that and in the prompt; older turns are there only
    as a summary of at most `summary_tokens`. `timeout_s` limits each request to the model.
    `prompts` is a folder whose files replace the instructions to the model, see
    `answering.prompt_files`; "" for the bundled ones.
    """

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
