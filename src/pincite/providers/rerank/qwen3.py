"""The prompt of Qwen3-Reranker, for servers that leave it to the client.

From the model's card: the question is a chat turn, and the score is the share of `yes` among `yes`
and `no` as the next word.
"""

from __future__ import annotations

from typing import Final

#: The default task that the model was trained with.
INSTRUCTION: Final = "Given a web search query, retrieve relevant passages that answer the query"
_BEFORE: Final = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and"
    ' the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n'
    "<|im_start|>user\n"
)
_AFTER: Final = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
_MARK: Final = "<|"


def is_qwen3(model: str) -> bool:
    """Return whether the name says Qwen3-Reranker."""
    plain = model.lower()
    return "qwen3" in plain and "rerank" in plain


def query_part(instruction: str, query: str) -> str:
    """Return the part of the prompt before the document."""
    task = _plain(instruction or INSTRUCTION)
    return f"{_BEFORE}<Instruct>: {task}\n<Query>: {_plain(query)}\n"


def document_part(text: str) -> str:
    """Return the document and the rest of the prompt."""
    return f"<Document>: {_plain(text)}{_AFTER}"


def _plain(text: str) -> str:
    """Return text that cannot end its turn: special tokens of the tokenizer are broken up."""
    return text.replace(_MARK, "< |")
