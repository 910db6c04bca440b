"""Examples in docstrings of the public API are run, as they stand, over a real index."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import doctest
import inspect
import io
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pincite import AsyncPincite, EvidencePack, Pincite

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_CHECKER = doctest.OutputChecker()
_PARSER = doctest.DocTestParser()
#: Methods that Python calls, where the class documents them itself.
_SPECIAL = ("__init__", "__iter__", "__len__", "__bool__", "__getitem__")


def public_methods(of: type) -> list[str]:
    """Methods that a caller may call, with those of Python that the class documents itself."""
    found = [
        name
        for name, value in inspect.getmembers(of)
        if (name[0] != "_" and callable(value)) or (name in _SPECIAL and inspect.isfunction(value))
    ]
    return [name for name in found if not (of is EvidencePack and name == "__init__")]


def documented() -> Iterator[tuple[type, str, str]]:
    for of in (AsyncPincite, Pincite, EvidencePack):
        for name in public_methods(of):
            yield of, name, inspect.getdoc(getattr(of, name)) or ""
    for of in (AsyncPincite, Pincite):
        yield of, "class", inspect.getdoc(of) or ""


DOCUMENTED = list(documented())


async def run_example(source: str, known: dict[str, Any]) -> str:
    """What an interactive session with top-level `await` prints."""
    printed = io.StringIO()
    code = compile(source, "<docstring>", "single", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with contextlib.redirect_stdout(printed):
        try:
            result = eval(code, known)
            if inspect.iscoroutine(result):
                await result
        except Exception as error:  # noqa: BLE001 - it is what the example may say
            lines = traceback.format_exception_only(error)
            printed.write(f"Traceback (most recent call last):\n{''.join(lines)}")
    return printed.getvalue()


async def failures(doc: str, known: dict[str, Any]) -> list[str]:
    """The examples that print something else than they say."""
    wrong = []
    for example in _PARSER.get_examples(doc):
        got = await run_example(example.source, known)
        want = example.want
        if example.exc_msg is not None:
            want = f"Traceback (most recent call last):\n{example.exc_msg}"
        if not _CHECKER.check_output(want, got, _FLAGS):
            wrong.append(f">>> {example.source}{got}instead of\n{want}")
    return wrong


async def run_async(doc: str, of: type) -> list[str]:
    async with AsyncPincite(".pincite") as pincite:
        pack = await pincite.search("rotate a key", kinds="docs")
        names = {one.__name__: one for one in (AsyncPincite, Pincite, EvidencePack)}
        wrong = await failures(doc, {**names, "pincite": pincite, "pack": pack})
        await tidy(pincite)
        return wrong


async def tidy(pincite: AsyncPincite) -> None:
    """Remove what an example has written, for the next one."""
    for info in await pincite.collections():
        if info.spec.name != "main":
            await pincite.drop(info.spec.name)


def run_sync(doc: str) -> list[str]:
    with Pincite(".pincite") as pincite:
        known = {"Pincite": Pincite, "pincite": pincite}
        wrong = asyncio.run(failures(doc, known))

    async def tidied() -> None:
        async with AsyncPincite(".pincite") as again:
            await tidy(again)

    asyncio.run(tidied())
    return wrong


@pytest.mark.parametrize(
    ("of", "name", "doc"), DOCUMENTED, ids=[f"{of.__name__}.{name}" for of, name, _ in DOCUMENTED]
)
def test_every_public_method_has_an_example_that_does_what_it_says(
    of: type, name: str, doc: str
) -> None:
    assert _PARSER.get_examples(doc), f"{of.__name__}.{name} has no example"
    wrong = run_sync(doc) if of is Pincite else asyncio.run(run_async(doc, of))
    assert not wrong, "\n".join(wrong)


def test_an_example_that_is_wrong_is_noticed() -> None:
    assert asyncio.run(failures(">>> 1 + 1\n3\n", {}))
    assert asyncio.run(failures(">>> 1 / 0\n", {}))
    assert not asyncio.run(failures(">>> 1 + 1\n2\n", {}))


@pytest.mark.parametrize(
    ("of", "name"),
    [(of, name) for of in (AsyncPincite, Pincite) for name in public_methods(of)]
    + [(EvidencePack, "to_prompt"), (EvidencePack, "to_json")],
)
def test_every_docstring_explains_each_argument(of: type, name: str) -> None:
    method: Callable[..., Any] = getattr(of, name)
    doc = inspect.getdoc(method) or ""
    for argument in list(inspect.signature(method).parameters)[1:]:
        assert f"    {argument}: " in doc, f"{of.__name__}.{name} does not explain {argument}"


def test_the_synchronous_methods_have_the_same_signatures_and_complete_docstrings() -> None:
    theirs = set(public_methods(AsyncPincite)) - {*("client", "deps", "answering", "reranker")}
    assert set(public_methods(Pincite)) == theirs
    for name in theirs:
        ours, original = getattr(Pincite, name), getattr(AsyncPincite, name)
        theirs_here = str(inspect.signature(original))
        theirs_here = theirs_here.replace(
            "AsyncGenerator[AnswerEvent, None]", "Generator[AnswerEvent, None, None]"
        )
        assert str(inspect.signature(ours)) == theirs_here, name
        doc = inspect.getdoc(ours) or ""
        assert doc
        assert "await " not in doc
        assert "Async" not in doc
        assert not doc.startswith("See ")


def test_frameworks_can_evaluate_the_types_of_the_synchronous_methods() -> None:
    late = {"delete", "find", "reembed", "upsert"}  # some of their types are imported when called
    for name in set(public_methods(Pincite)) - late:
        method = getattr(Pincite, name)
        parameters = inspect.signature(method, eval_str=True).parameters.values()
        assert not [one for one in parameters if isinstance(one.annotation, str)], name
        assert not inspect.iscoroutinefunction(inspect.unwrap(method)), name


def test_help_shows_what_a_search_takes(capsys: pytest.CaptureFixture[str]) -> None:
    help(Pincite.search)
    shown = capsys.readouterr().out
    for part in ("limit: 'int | None' = None", "not_paths: exclude paths that match", ">>> pack ="):
        assert part in shown
