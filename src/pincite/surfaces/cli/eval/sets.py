"""`pincite eval check, import, export, gen, label`: golden sets."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pincite.support.counted import counted
from pincite.surfaces.cli.confirm import answer
from pincite.surfaces.cli.eval.common import (
    FILE,
    collections_option,
    golden_argument,
    progress_line,
    read_questions,
    scope_of,
)
from pincite.surfaces.cli.options import index_option, json_option, tag_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pincite.engine import AsyncPincite
    from pincite.evals.golden.generate import Asks
    from pincite.evals.golden.label import Passage
    from pincite.evals.golden.questions import GoldenQuery
    from pincite.model import Scope, SourceType

_LINES = 24
_KEYS = "3 answers, 2 helps, 1 related, 0 not relevant, s skip, n next question, q quit"


@click.command()
@golden_argument
@json_option
def check(golden: Path, json_: bool) -> None:
    """Check the file of a golden set; errors name the line and the field."""
    from pincite.surfaces.text.render import to_json

    found = read_questions(golden)
    counts = {
        "questions": len(found.queries),
        "judged": sum(query.relevant for query in found.queries),
        "off_topic": sum(query.off_topic for query in found.queries),
        "near": sum(query.near for query in found.queries),
        "conversations": sum(bool(query.conversation) for query in found.queries),
        "synthetic": sum(bool(query.synthetic) for query in found.queries),
        "expected": sum(len(query.expected) for query in found.queries),
    }
    if json_:
        show(to_json({**counts, "fingerprint": found.fingerprint}))
        return
    named = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    show(f"{named}; fingerprint {found.fingerprint}")


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@click.option("-o", "--out", type=FILE, required=True, help="The golden set to write.")
@click.option("--qrels", type=FILE, help="TREC judgements; SOURCE is then a file of topics.")
@click.option(
    "--split", default="test", show_default=True, help="The qrels of a BEIR folder to use."
)
@click.option("--corpus", is_flag=True, help="Also index the documents of a BEIR folder.")
@click.option("-c", "--collection", help="The name of their collection; default: the folder.")
@click.option(
    "--kind",
    type=click.Choice(["docs", "code"]),
    help="The kind of the documents of --corpus; default: docs.",
)
@click.option("--lexical", is_flag=True, help="Keyword search only, without an embedding model.")
@index_option
def import_(
    source: Path,
    out: Path,
    qrels: Path | None,
    split: str,
    corpus: bool,
    collection: str | None,
    kind: SourceType | None,
    lexical: bool,
    index: Path | None,
) -> None:
    """Create a golden set from a BEIR folder, or from TREC topics and qrels.

    A line of topics is an id, a tab and a question.
    """
    from pincite.evals.golden.beir import read_beir
    from pincite.evals.golden.questions import format_golden, write_whole
    from pincite.evals.golden.trec import read_trec

    _require_new(out)
    if kind and (qrels is not None or not corpus):
        raise click.UsageError("--kind is for the documents of --corpus")
    if qrels is not None:
        golden, texts = read_trec(source, qrels), {}
    else:
        beir = read_beir(source, split)
        golden, texts = beir.golden(), dict(beir.documents)
    written = format_golden(out, golden.queries)  # refuses what is wrong before anything is indexed
    if corpus and qrels is None:
        name = collection or source.name
        run(
            lambda engine: _index(engine, name, texts, lexical, kind or "docs"),
            index,
            measured=True,
        )
    write_whole(out, written)
    say(f"wrote {counted(len(golden.queries), 'question')} to {out}")


def _require_new(out: Path) -> None:
    """Raise UsageError for an existing file, whose judgements would be lost."""
    if out.exists():
        raise click.UsageError(f"{out} already exists; choose another file")


async def _index(
    engine: AsyncPincite, name: str, texts: dict[str, str], lexical: bool, kind: SourceType
) -> None:
    from pincite.encoders.bundled import open_encoder
    from pincite.evals.golden.corpora import PART, index_corpus

    encoder = None
    if not lexical:
        settings = engine.settings
        encoder = open_encoder(settings.models, threads=settings.threads, load=False)
    try:
        client = engine.client(create=True)
        with progress_line("indexing") as told:
            await index_corpus(client, name, texts, encoder, source_type=kind, progress=told)
        await client.settle(name)
    finally:
        if encoder is not None:
            encoder.close()
    were = "was indexed as" if len(texts) == 1 else "were indexed, each as"
    said = f"{name}: {counted(len(texts), 'document')} {were} one chunk"
    say(f"{said}; `pincite status` counts parts of {PART} chunks as documents")


@click.command()
@click.argument("source", type=FILE)
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), required=True)
def export(source: Path, out: Path) -> None:
    """Write a golden set as TREC topics and qrels, or a run as a TREC run, into a folder."""
    from pincite.errors import UsageError
    from pincite.evals.golden.trec import write_qrels, write_run, write_topics
    from pincite.evals.run.results import load_run

    if source.suffix == ".json":
        write_run(out / "run.txt", load_run(source))
        say(f"wrote the run to {out / 'run.txt'}")
        return
    if source.suffix != ".jsonl":
        raise UsageError(f"{source} is neither a golden set (.jsonl) nor a run (.json)")
    golden = read_questions(source)
    write_topics(out / "topics.tsv", golden)
    write_qrels(out / "qrels.txt", golden)
    say(f"wrote topics.tsv and qrels.txt to {out}")


@click.command()
@click.option("-n", "--count", default=50, show_default=True, type=click.IntRange(min=1))
@click.option("-o", "--out", type=FILE, required=True, help="The golden set to write.")
@click.option("--seed", default=0, show_default=True)
@click.option("--llm", help="PROVIDER:MODEL that writes them; default: rules.")
@click.option(
    "--near", is_flag=True, help="Questions on the same subject without an answer, by rule."
)
@collections_option
@tag_option
@index_option
def gen(
    count: int,
    out: Path,
    seed: int,
    llm: str | None,
    near: bool,
    collection: tuple[str, ...],
    tags: tuple[str, ...],
    index: Path | None,
) -> None:
    """Generate synthetic questions from the index. They do not replace real ones."""
    from pincite.errors import UsageError
    from pincite.evals.golden.generate import generate
    from pincite.evals.golden.near import generate_near
    from pincite.evals.golden.questions import write_golden
    from pincite.scope.tagged_index import searchables_within

    async def work(engine: AsyncPincite) -> tuple[GoldenQuery, ...]:
        scope = scope_of(collection, tags)
        deps = await engine.deps(scope)
        within = searchables_within(deps.collections, scope.tags)
        if near:
            return await generate_near(within, count, deps.terms, seed=seed)
        async with writer(engine, llm) as ask:
            return await generate(within, count, ask=ask, seed=seed)

    _require_new(out)
    if near and llm:
        raise click.UsageError("--near makes questions by rule; omit --llm")
    questions = run(work, index, measured=True)
    if not questions and near:
        raise UsageError(
            "the rules found nothing to make near questions of: they need short headings, or names"
            " of several words in code",
            hint='write some by hand, with "off_topic": true and "near": true',
        )
    if not questions:
        raise UsageError("the indexed documents have too little text to ask about")
    write_golden(out, questions)
    then = "judge the results: pincite eval label"
    if near:
        then = "read them, and delete those that the files do answer"
    say(f"wrote {len(questions)} synthetic questions to {out}; {then}")


@asynccontextmanager
async def writer(engine: AsyncPincite, name: str | None) -> AsyncIterator[Asks | None]:
    """Yield the language model with this name as a function from prompt to text; None without a
    name."""
    if name is None:
        yield None
        return
    from pincite.encoders.by_name import Models
    from pincite.ports import Message

    models = Models(engine.settings)
    model = await models.registry.open("llm", name)

    async def ask(prompt: str) -> str:
        return str((await model.complete([Message("user", prompt)])).text)

    try:
        yield ask
    finally:
        await model.close()


@click.command()
@golden_argument
@click.option("--add", multiple=True, metavar="QUESTION", help="A new question, judged first.")
@click.option("--only", multiple=True, metavar="ID", help="Only these questions.")
@click.option("--depth", default=10, show_default=True, help="Passages per ranking.")
@collections_option
@tag_option
@index_option
def label(
    golden: Path,
    add: tuple[str, ...],
    only: tuple[str, ...],
    depth: int,
    collection: tuple[str, ...],
    tags: tuple[str, ...],
    index: Path | None,
) -> None:
    """Judge search results for the questions of GOLDEN; each judgement is saved at once.

    The passages come from all rankings of a search. Passages that have a judgement are not shown
    again.
    """
    known = list(read_questions(golden).queries) if golden.exists() or not add else []
    scope = scope_of(collection, tags)
    run(lambda engine: _label(engine, golden, known, add, only, depth, scope), index, measured=True)


async def _label(
    engine: AsyncPincite,
    golden: Path,
    queries: list[GoldenQuery],
    add: tuple[str, ...],
    only: tuple[str, ...],
    depth: int,
    scope: Scope,
) -> None:
    from pincite.errors import UsageError
    from pincite.evals.golden.label import judge, next_id, pool
    from pincite.evals.golden.questions import GoldenQuery, write_golden

    for text in add:
        queries.append(GoldenQuery(next_id(queries), text))
    added = {query.id for query in queries[len(queries) - len(add) :]}
    unknown = sorted(set(only) - {query.id for query in queries})
    if unknown:
        raise UsageError(f"{golden} has no question {unknown[0]!r}")
    deps = await engine.deps(scope)
    judged = 0
    for place, query in sorted(enumerate(queries), key=lambda one: one[1].id not in added):
        if query.off_topic or (only and query.id not in only):
            continue
        passages = await pool(query, deps, engine.settings.profile, scope, depth)
        say(f"\n{query.id}: {query.text}\n{counted(len(passages), 'passage')} to judge. {_KEYS}")
        for number, passage in enumerate(passages, start=1):
            key = _ask(passage, number, len(passages))
            if not key:
                kept = [one for one in queries if one.expected or one.id not in added]
                if judged:
                    write_golden(golden, kept)
                raise UsageError(
                    f"the input ended before {query.id} was judged; wrote {judged} judgements to"
                    f" {golden}",
                    hint="run it on a terminal, or give a key for each passage; q ends it",
                )
            if key in ("n", "q"):
                break
            if key.isdigit():
                queries[place] = judge(queries[place], passage.chunk, int(key))
                write_golden(golden, queries)
                judged += 1
        else:
            key = "n"
        if key == "q":
            break
    if add:
        write_golden(golden, queries)
    say(f"wrote {judged} judgements to {golden}")


def _ask(passage: Passage, number: int, total: int) -> str:
    """Return the key that the user chooses for a passage, "" at the end of the input."""
    from pincite.model.citation import place_of

    chunk = passage.chunk
    ranks = ", ".join(f"{stage} {rank}" for stage, rank in passage.found_by)
    lines = chunk.text.split("\n")
    shown = "\n".join(f"    {line}" for line in lines[:_LINES])
    more = f"\n    ... {len(lines) - _LINES} more lines" if len(lines) > _LINES else ""
    say(f"\n[{number}/{total}] {place_of(chunk)}\n{shown}{more}")
    say(f"    ({ranks})")
    while True:
        line = answer("grade> ")
        if not line:
            return ""
        key = line.strip().lower()
        if key in ("0", "1", "2", "3", "s", "n", "q"):
            return key
        say(_KEYS)


COMMANDS: Final = (check, import_, export, gen, label)
