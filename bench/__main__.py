"""`python -m bench [--only NAME ...] [--quick] [--out FILE]`: measure, and write the results."""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

import pincite
from bench.frame import (
    RESULTS,
    ROOT,
    Options,
    SkippedError,
    entry,
    load_results,
    save_results,
)
from bench.product import compile_package
from pincite.errors import UsageError
from pincite.settings.load import load_settings

#: Subjects and their rooms, in the order in which they are run: the ones that time something first.
SUBJECTS: Final[Mapping[str, str]] = {
    "cli": "speed",
    "freshness": "speed",
    "latency": "speed",
    "large_code": "speed",
    "encoder": "speed",
    "providers": "speed",
    "quality": "retrieval",
    "partial": "retrieval",
    "code_search": "source_code",
    "reading": "answering",
    "golden": "retrieval",
    "evidence": "answering",
    "refusals": "answering",
    "citations": "answering",
    "evaluation": "retrieval",
    "agents": "answering",
    "stores": "storage",
    "thresholds": "answering",
    "conversations": "answering",
    "diversity": "retrieval",
    "answers": "answering",
    "first_word": "speed",
    "page": "speed",
    "ablation": "source_code",
    "local": "local_preset",
}
#: These take an hour or more, and run only when they are asked for.
LONG: Final[Mapping[str, str]] = {
    "million": "storage",
    "records": "storage",
    "documents": "speed",
    "tenants": "storage",
    "wordings": "local_preset",
    "descriptions": "retrieval",
    "keywords": "retrieval",
    "watching": "speed",
    "docstrings": "source_code",
    "symbols": "source_code",
    "copied": "source_code",
    "passages": "source_code",
    "held_out": "source_code",
    "short": "retrieval",
    "home": "speed",
    "qmd": "rivals",
    "load": "speed",
    "frameworks": "rivals",
}

PHASES: Final = ("plain", "scalar", "binary", "disk", "lexical", "dense", "import")

Program = Callable[[Options], Awaitable[object]]


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=(*SUBJECTS, *LONG), default=tuple(SUBJECTS), metavar="NAME"
    )
    parser.add_argument("--quick", action="store_true", help="subsets only, as a smoke test")
    parser.add_argument("--out", type=Path, help="the file of results, which is brought up to date")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--golden", type=Path, default=ROOT.parent / "shared" / "golden")
    parser.add_argument("--cache", type=Path, help="where document vectors are kept")
    parser.add_argument("--wheel", type=Path, help="the golden set's wheel; default: download it")
    parser.add_argument(
        "--torch", type=Path, help="a Python with sentence-transformers; default: this one"
    )
    parser.add_argument("--semble", type=Path, help="a Python with semble; default: left out")
    parser.add_argument("--qmd", type=Path, help="the command of qmd, for `qmd`")
    parser.add_argument(
        "--frameworks",
        type=Path,
        help="a Python with the BM25 retrievers of LlamaIndex and LangChain",
    )
    parser.add_argument("--llama", type=Path, help="a Python with llama-cpp-python[server]")
    parser.add_argument("--gguf", type=Path, help="weights for it, for `wordings`")
    parser.add_argument("--trees", type=Path, help="a folder of checkouts, for `held_out`")
    parser.add_argument("--hybrid", action="store_true", help="with the model too, in `held_out`")
    parser.add_argument("--documents", type=Path, help="a folder of PDFs, for `documents`")
    parser.add_argument(
        "--chunks", type=int, default=0, help="size for `stores`, `million`, `records`, `home`"
    )
    parser.add_argument(
        "--phase",
        nargs="+",
        default=(),
        choices=PHASES,
        help="those of `million` or `records` to take anew",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """0 unless a subject failed."""
    given = parse_arguments(arguments)
    settings = load_settings(os.environ, Path.cwd())
    options = Options(
        data=given.data,
        golden=given.golden,
        cache=given.cache or settings.models.parent / "bench",
        models=settings.models,
        wheel=given.wheel,
        torch=given.torch,
        semble=given.semble,
        qmd=given.qmd,
        frameworks=given.frameworks,
        quick=given.quick,
        chunks=given.chunks,
        documents=given.documents,
        trees=given.trees,
        hybrid=given.hybrid,
        llama=given.llama,
        gguf=given.gguf,
        phases=tuple(given.phase),
    )
    out = given.out or RESULTS / ("quick.json" if given.quick else "latest.json")
    compile_package(Path(pincite.__file__).parent)
    failed = []
    for name in given.only:
        program = program_of(name)
        print(f"{name}:", flush=True)
        started_s = time.monotonic()
        try:
            figures, skipped = asyncio.run(run(program, options)), ""
        except (SkippedError, UsageError) as error:
            figures, skipped = None, str(error)
            print(f"  {name} is skipped: {error}")
        except Exception as error:  # noqa: BLE001 - the other subjects are still worth having
            print(f"  {name} failed: {type(error).__name__}: {error}")
            failed.append(name)
            continue
        results = load_results(out)
        duration_s = time.monotonic() - started_s
        results.subjects[name] = entry(options.quick, duration_s, figures, skipped)
        save_results(out, results)
        print(f"  {duration_s:.0f} s", flush=True)
    print(f"{out}" if not failed else f"{out}; failed: {', '.join(failed)}")
    return 1 if failed else 0


def program_of(subject: str) -> Program:
    """Its `run`, in the module of its name in its room."""
    room = SUBJECTS.get(subject) or LONG[subject]
    program: Program = import_module(f"bench.{room}.{subject}").run
    return program


async def run(program: Program, options: Options) -> object:
    """One subject."""
    return await program(options)


if __name__ == "__main__":
    raise SystemExit(main())
