"""Presets are files; what they set is what was measured, and the command line starts no slower."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pincite.answering.config import AnswerConfig
from pincite.errors import ConfigError
from pincite.model import Corpus
from pincite.presets import (
    CHAT,
    EVIDENCE,
    GENERAL,
    MULTI_MODEL,
    NOTES,
    PRESETS,
    WORKSPACE,
    preset_names,
    preset_table,
)
from pincite.presets import description as description_of
from pincite.profile import SECTIONS, Profile
from pincite.stages.blend import BlendConfig
from pincite.stages.context import ContextConfig
from pincite.stages.cover import CoverageConfig
from pincite.stages.dedup import DedupConfig
from pincite.stages.diversify import DiversifyConfig
from pincite.stages.expand import ExpandConfig
from pincite.stages.fuse import FuseConfig
from pincite.stages.gate import GateConfig, RerankedThresholds
from pincite.stages.load import LoadConfig
from pincite.stages.merge import MergeConfig
from pincite.stages.next_pass import NextPassConfig
from pincite.stages.optimise import OptimiseConfig
from pincite.stages.pack import PackConfig
from pincite.stages.prepare import PrepareConfig
from pincite.stages.probe import ProbeConfig
from pincite.stages.rank_code import RankCodeConfig
from pincite.stages.rerank import RerankConfig
from pincite.stages.retrieve import RetrieveConfig
from pincite.stages.select import SelectConfig
from pincite.stages.smooth import SmoothConfig

EXPECTED = {
    GENERAL: Profile(),
    EVIDENCE: Profile(
        corpus=Corpus(topics="guide concepts example"),
        prepare=PrepareConfig(
            mode="build",
            expansions={
                "*": (
                    "{code} official usage: {query}",
                    "{corpus} {topics}: {query}",
                    "In code: {identifiers} {query}",
                )
            },
        ),
        retrieve=RetrieveConfig(
            dense_limit=80, sparse_limit=120, hnsw_ef=256, code_limit=80, symbol_limit=0
        ),
        fuse=FuseConfig(method="weighted_dbsf", apart=True),
        load=LoadConfig(pool=180, share=0.5, alone=1 / 3, vectors=False),
        smooth=SmoothConfig(weight=0.0),
        rank_code=RankCodeConfig(enabled=False),
        rerank=RerankConfig(pool=180),
        cover=CoverageConfig(candidates=30),
        select=SelectConfig(results=12, docs=3, code=3),
        pack=PackConfig(need_url=True),
    ),
    "local": Profile(
        expand=ExpandConfig(by="llm"),
        fuse=FuseConfig(method="rrf_bonus"),
        smooth=SmoothConfig(weight=0.0),
        rerank=RerankConfig(pool=30),
        blend=BlendConfig(method="tiers", retrieval="score"),
        optimise=OptimiseConfig(enabled=True),
        answer=AnswerConfig(order="u"),
    ),
    MULTI_MODEL: Profile(
        retrieve=RetrieveConfig(
            dense_limit=144, sparse_limit=144, per_result=12, code_limit=1, symbol_limit=0
        ),
        fuse=FuseConfig(method="rrf"),
        across=MergeConfig(method="rrf", depth=36, per_result=3),
        load=LoadConfig(pool=36, alone=1.0),
        smooth=SmoothConfig(weight=0.0),
        rank_code=RankCodeConfig(enabled=False),
        select=SelectConfig(results=12),
    ),
    NOTES: Profile(
        retrieve=RetrieveConfig(
            mode="vector", dense_limit=15, sparse_limit=15, code_limit=1, symbol_limit=0
        ),
        load=LoadConfig(pool=15, alone=1.0, vectors=False),
        dedup=DedupConfig(same_text=False),
        smooth=SmoothConfig(weight=0.0),
        rank_code=RankCodeConfig(enabled=False),
        rerank=RerankConfig(pool=15, top=5, instruction="", header="none", body_tokens=12_000),
        gate=GateConfig(
            signal="reranked", defined=False, reranked_probability=RerankedThresholds(0.2, 0.2)
        ),
        again=NextPassConfig(few=0, widen=False, define=False),
        context=ContextConfig(around="none"),
        answer=AnswerConfig(sentence="I could not find any relevant notes for your question."),
    ),
    CHAT: Profile(
        probe=ProbeConfig(enabled=True, threshold=0.3, exact=True),
        retrieve=RetrieveConfig(mode="vector", code_limit=1, symbol_limit=0),
        fuse=FuseConfig(method="rrf", k=60),
        smooth=SmoothConfig(weight=0.0),
        rank_code=RankCodeConfig(enabled=False),
        rerank=RerankConfig(use="never"),
        diversify=DiversifyConfig(enabled=True, fetch=20, relevance=0.5),
        context=ContextConfig(around="none"),
        answer=AnswerConfig(mode="strict", refusal="model", rewrite=True),
    ),
}
#: Models and the store are open before a command's `--preset` is looked at. What these set beside
#: the profile takes effect where a file extends them.
SYSTEMS = {NOTES: {"models", "store"}, WORKSPACE: {"log", "store"}}
EXPECTED[WORKSPACE] = EXPECTED[MULTI_MODEL]


def test_the_presets_are_those_that_were_measured() -> None:
    assert dict(PRESETS) == EXPECTED
    assert repr(dict(PRESETS)) == repr(
        {name: EXPECTED[name] for name in PRESETS}
    )  # 3 is not 3.0 in a pack


def test_a_store_has_ten_seconds_and_a_reranker_twenty_unless_somebody_says_otherwise() -> None:
    for name, profile in PRESETS.items():
        assert (profile.retrieve.timeout_s, profile.rerank.timeout_s) == (10, 20), name


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_the_profile_alone_so_that_an_option_can_choose_it(name: str) -> None:
    assert set(preset_table(name)) - set(SECTIONS) == SYSTEMS.get(name, set())


@pytest.mark.parametrize("name", PRESETS)
def test_the_first_line_of_a_preset_says_what_it_is_for(name: str) -> None:
    said = description_of(name)
    assert 30 < len(said) < 110
    assert not said.startswith("#")


def test_a_name_that_is_none_is_answered_with_the_most_similar_one_first() -> None:
    with pytest.raises(
        ConfigError,
        match="no preset is named 'multimodel'; known presets: multi-model, general, chat, e",
    ):
        description_of("multimodel")
    with pytest.raises(KeyError):
        PRESETS["../presets/general"]


def test_names_of_presets_are_known_without_opening_one() -> None:
    code = (
        "import sys\nfrom pincite.presets import PRESETS\nnames = [*PRESETS]\n"
        "known = ['general', 'chat', 'evidence', 'local', 'multi-model', 'notes',"
        " 'workspace']\n"
        "print(names == known, 'pincite.profile' in sys.modules, 'tomllib' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]
    named = ("general", "chat", "evidence", "local", "multi-model", "notes", "workspace")
    assert preset_names() == named
