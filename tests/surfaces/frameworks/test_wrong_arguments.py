"""Wrong arguments are refused when an adapter is made, in the words of its framework."""

from __future__ import annotations

from typing import Any

import pytest

from pincite import ConfigError, UsageError
from pincite.surfaces.frameworks import dspy as our_dspy
from pincite.surfaces.frameworks import llamaindex as our_llamaindex
from pincite.surfaces.frameworks import openai_agents, pydantic_ai


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"model": "foo"}, ConfigError, "'foo' is not a model name"),
        ({"model": "nope:x"}, ConfigError, "no provider of rerank models is named 'nope'"),
        ({"model": "fastembed:x"}, ConfigError, "fastembed has no rerank models"),
        ({"top_n": 0}, UsageError, "top_n is 0; it takes a whole number from 1"),
    ],
)
def test_a_reranker_is_checked_when_it_is_made(
    given: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        our_llamaindex.PinciteRerank(**given)
    right = our_llamaindex.PinciteRerank(model="cohere:rerank-v4.0-fast", top_n=3)
    assert our_llamaindex.PinciteRerank.from_json(right.to_json()).top_n == 3


@pytest.mark.parametrize(
    ("made", "name", "close"),
    [
        (our_llamaindex.PinciteRetriever, "similarity_top_k", "limit"),
        (our_dspy.PinciteRetriever, "similarity_top_k", "k"),
        (openai_agents.evidence_tool, "top_k", "limit"),
        (pydantic_ai.evidence_tool, "kind", "kinds"),
    ],
)
def test_an_unknown_argument_is_named_with_the_right_one(made: Any, name: str, close: str) -> None:
    with pytest.raises(TypeError) as raised:
        made(".pincite", **{name: 3})
    assert str(raised.value).endswith(f"() does not take {name!r}; use {close}=")


def test_the_arguments_that_are_listed_are_those_of_the_adapter() -> None:
    unknown: dict[str, Any] = {"callback_manager": None}
    with pytest.raises(TypeError) as raised:
        our_dspy.PinciteRetriever(".pincite", **unknown)
    said = "it takes collections, k, kinds, preset, refresh, reranker, sources, tags, where"
    assert str(raised.value).endswith(said)
    with pytest.raises(TypeError, match="kinds, limit, preset"):
        openai_agents.evidence_tool(".pincite", **unknown)
