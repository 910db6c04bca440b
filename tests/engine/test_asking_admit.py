"""What a program's `admit` is asked about."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest

from pincite import Pincite
from pincite.asking import SearchOptions
from pincite.deps import Admission
from pincite.model import DocumentRecord, EvidencePack, Scope
from pincite.scope.choosing import Admit, Choice, any_admitted
from pincite.settings.load import load_settings

_MANY: Final = 100
_PAGE: Final = "---\ndocument_id: {name}\n---\n# Page {name}\n\nInvoices of {name} are sent.\n"


@pytest.fixture(scope="module")
def pincite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pincite]:
    """Many pages in one folder, a page in another with the name of the source, and a source of
    others."""
    folder = tmp_path_factory.mktemp("admit")
    (folder / "pincite.toml").write_text('[attributes]\ndocument_id = "keyword"\n', "utf-8")
    pages = {f"pages/d{n}.md": f"d{n}" for n in range(_MANY)} | {"pages/pages/e.md": "e"}
    for path, name in {**pages, "others/d.md": "theirs"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(_PAGE.format(name=name), encoding="utf-8")
    with Pincite(load_settings({}, folder, folder / ".pincite")) as opened:
        for name in ("pages", "others"):
            opened.index(folder / name, name=name, lexical=True)
        yield opened
        opened.stop()


class Asked:
    """An `admit` of these documents, and the ids that it was asked about."""

    def __init__(self, *refused: str) -> None:
        self.refused = frozenset(refused)
        self.about: list[frozenset[str]] = []

    async def __call__(self, ids: frozenset[str]) -> frozenset[str]:
        self.about.append(ids)
        return ids - self.refused


def find(pincite: Pincite, admit: Admit, scope: Scope) -> EvidencePack:
    """Ask for one of the pages."""
    return pincite.find(SearchOptions("invoices of d7", scope=scope), admit=admit)


@pytest.mark.parametrize("asked", [Scope(paths="d7.md"), Scope(ref="abc1234")])
def test_of_each_source_one_document_is_asked_about(pincite: Pincite, asked: Scope) -> None:
    admit = Asked()
    find(pincite, admit, asked)
    assert [len(one) for one in admit.about[:2]] == [1, 1]
    assert sum(map(len, admit.about)) <= 3


@pytest.mark.parametrize("paths", ["pages/*", "pages", "pages/e.md"])
def test_no_document_is_asked_about_twice_to_place_a_path(pincite: Pincite, paths: str) -> None:
    """The search of the admitted passages asks once more."""
    admit = Asked("theirs", *(f"d{n}" for n in range(_MANY)))
    pack = find(pincite, admit, Scope(paths=paths))
    assert [one.path for one in pack.evidence] == ["pages/e.md"]
    times = Counter(one for ids in admit.about for one in ids)
    assert max(times.values()) <= 2
    assert sum(times.values()) <= 2 * _MANY


def test_for_a_path_its_documents_alone_are_asked_about(pincite: Pincite) -> None:
    """The path is in the source with this name, or in its folder with the same name."""
    for path, found, name in (("pages/e.md", "pages/e.md", "e"), ("pages/d7.md", "d7.md", "d7")):
        admit = Asked()
        pack = find(pincite, admit, Scope(paths=path))
        assert [one.path for one in pack.evidence] == [found]
        assert frozenset().union(*admit.about) == {"d0", "theirs", name}
    admit = Asked("e")
    assert find(pincite, admit, Scope(paths="pages/e.md")).evidence == ()
    assert frozenset().union(*admit.about) == {"d0", "theirs", "e"}


def test_more_documents_are_asked_about_at_a_time_until_one_is_allowed() -> None:
    records = [
        DocumentRecord(
            *("acme", f"{n}.md", f"r{n}", "0" * 64, "c0ffee", 1, 1, 1, 1),
            attributes={"document_id": f"{n}"},
        )
        for n in range(100)
    ]
    none, last = Asked(*map(str, range(100))), Asked(*map(str, range(20)))
    assert not asyncio.run(any_admitted(records, none))
    assert [len(one) for one in none.about] == [1, 4, 16, 64, 15]
    assert asyncio.run(any_admitted(records, last))
    assert [len(one) for one in last.about] == [1, 4, 16]
    assert not asyncio.run(any_admitted((), last))


def test_a_workspace_checks_only_documents_of_its_choice(pincite: Pincite) -> None:
    """It reports the others that it is asked about, because the search should not have any."""
    among, check = Asked(*(f"d{n}" for n in range(_MANY) if n != 7), "e", "theirs"), Asked()

    async def all_of(_: int | None) -> tuple[str, ...]:
        return ("d7",)

    pack = find(pincite, Admission(check, Choice(among, all_of)), Scope(paths="d7.md"))
    assert [one.path for one in pack.evidence] == ["d7.md"]
    assert frozenset().union(*check.about) == {"d7"}
