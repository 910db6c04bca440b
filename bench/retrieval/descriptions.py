"""Descriptions of folders, indexed with their passages or not: does a search find more?

The documentation of ADK is indexed plain, then with a description of each of its folders, as
somebody who knows the folders would give them: they were written from the folders' names and the
first sentences of some index pages, with one of the questions seen before. Every question of
`adk-dev` that has an answer in the documentation is asked of both, by the usual profile and by
words alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.adk import require_docs
from bench.frame import Options, require
from bench.product import open_product, temporary_folder
from pincite.engine import AsyncPincite
from pincite.evals.analysis.compare import Difference, compare
from pincite.evals.analysis.measures import parse
from pincite.evals.golden.questions import GoldenSet, read_golden
from pincite.evals.run.results import Run
from pincite.evals.run.runner import open_subject, run_golden
from pincite.model import Scope
from pincite.profile import Profile
from pincite.settings.sections.sources import SourceConfig
from pincite.support.fields import replace

_MEASURES: Final = ("nDCG@12", "R@12", "RR@12")
_PROFILE: Final = Profile()
PROFILES: Final = {
    "default": _PROFILE,
    "words": replace(_PROFILE, retrieve=replace(_PROFILE.retrieve, mode="keyword")),
}
DESCRIPTIONS: Final = {
    "docs/2.0": "What is new in version 2.0 and how to migrate to it",
    "docs/a2a": "Agent2Agent protocol: agents that talk to remote agents",
    "docs/agents": "Kinds of agents and how to define them",
    "docs/agents/models": "Connecting agents to language models of several vendors",
    "docs/agents/workflow-agents": "Sequential, loop and parallel agents that run others in order",
    "docs/api-reference": "Where the reference of each language's API is",
    "docs/apps": "The App class, which holds configuration and life cycle of an agent system",
    "docs/artifacts": "Files and binary data that agents save and load by name and version",
    "docs/callbacks": "Functions that run before and after agents, models and tools",
    "docs/community": "Contributing, talks and posts of the community",
    "docs/context": "What an agent sees while it runs, its caching and compaction",
    "docs/deploy": "Running agents in production, in the cloud and in containers",
    "docs/evaluate": "Testing agents: trajectories, responses, criteria, simulated users",
    "docs/events": "Event objects, the record of everything that happens in a run",
    "docs/get-started": "Installation and first steps for each language",
    "docs/graphs": "Workflows as graphs of nodes and routes",
    "docs/grounding": "Answers from Google Search and from search over own data",
    "docs/integrations": "Ready-made tools, plugins and services of other vendors",
    "docs/live": "Streaming in both directions: audio, video and text in real time",
    "docs/mcp": "Model Context Protocol: using its servers and offering tools over it",
    "docs/observability": "Logs, traces and metrics of agents",
    "docs/optimize": "Improving the prompts of agents automatically",
    "docs/plugins": "Code that hooks into all agents of a runner",
    "docs/runtime": "How agents are run: event loop, command line, web interface, API server",
    "docs/safety": "Guardrails, identity and security of agents",
    "docs/sessions": "Conversations, their state, and memory across them",
    "docs/skills": "Skills, units of instructions and resources that agents load",
    "docs/tools": "Limits of tools and where to find them",
    "docs/tools-custom": "Writing tools of one's own: functions, OpenAPI, authentication",
    "docs/tutorials": "Step-by-step lessons, from one agent to teams",
    "docs/visual-builder": "Building agents in a graphical editor",
    "docs/workflows": "Patterns of several agents that work together",
}


@dataclass(frozen=True, slots=True)
class DescriptionFigures:
    """How the described index differs from the plain one, by profile; the first values are those of
    the plain one."""

    documents: int
    questions: int
    differences: dict[str, tuple[Difference, ...]]


async def run(options: Options) -> DescriptionFigures:
    """Index, ask, index with descriptions, ask again. Raises SkippedError for what is missing."""
    parse("nDCG@12")
    every = read_golden(require(options.golden / "adk-dev.jsonl", "one question per line"))
    asked = tuple(
        replace(one, expected=tuple(e for e in one.expected if e.path.startswith("docs/")))
        for one in every.queries
        if any(e.path.startswith("docs/") for e in one.expected)
    )
    golden = GoldenSet(every.name, asked[:8] if options.quick else asked)
    docs = require_docs(options)
    with temporary_folder() as work:
        plain = await _runs(work / "index", docs, golden, options, described=False)
        described = await _runs(work / "index", docs, golden, options, described=True)
    differences = {}
    for name in PROFILES:
        found = compare(plain[1][name], [described[1][name]], _MEASURES)
        differences[name] = found.differences
        for one in found.differences:
            print(f"  {name}: {one}", flush=True)
    return DescriptionFigures(plain[0], len(golden.queries), differences)


async def _runs(
    root: Path, docs: Path, golden: GoldenSet, options: Options, *, described: bool
) -> tuple[int, dict[str, Run]]:
    async with open_product(root, options) as engine:
        config = SourceConfig(
            path=str(docs),
            name="adk-docs",
            include=("docs/tools-custom/", "docs/events/") if options.quick else (),
            collection="main",
            descriptions=DESCRIPTIONS if described else {},
            index_descriptions=described,
        )
        settings = replace(engine.settings, sources=(config,))
        async with AsyncPincite(settings) as configured:
            (report,) = await configured.index([docs])
            subject = await open_subject(configured, golden, Scope())
            runs = {
                name: await run_golden(
                    subject, golden, profile, f"{name}{' described' * described}"
                )
                for name, profile in PROFILES.items()
            }
    return report.new + report.changed + report.unchanged, runs
