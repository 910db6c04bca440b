"""Documents that a caller may not read change nothing that this caller sees, except for scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from pincite import Pincite
from pincite.asking import SearchOptions
from pincite.deps import Admission
from pincite.model import EvidencePack, Scope
from pincite.scope.choosing import Admit, Choice
from pincite.settings.load import load_settings
from pincite.support.fields import replace
from tests.search.repositories import REPOSITORIES

#: Names, slips, versions, places and bases that the visible files lack.
HIDDEN: Final = {
    "src/retri.py": "class BackofX:\n    pass\n\n\ndef simpel_flush(kafka, outbx):\n"
    '    """Kafka in Kazakhstan, zebra 3.1.4; backof outbx hmc."""\n    return kafka\n',
    "courier/client.py": "class CourierHidden(Backoff):\n    def sendx(self):\n"
    "        with_retries(1, Backoff())\n        return verify(1)\n",
    "deep/courier/queue.py": "".join(f"line{n} = {n}\n" for n in range(60)),
    "notes.py": "# 3.1.4\n# A zebra quantum ferment was removed in 3.1.4.\nlimit = 5\n",
    "public/notes.py": "public = 1\n",  # a folder with the name of a source
    **{f"{folder}/queue.py": f"{folder} = 1\n" for folder in "abcde"},
}
#: A word in each line of hidden files, so that passages alone tell which are hidden.
SEALED: Final = "  # sealed\n"
#: Other words in their place, of which the questions have none.
OTHERS: Final = {
    "BackofX": "GiraffX",
    "backof": "giraff",
    "sendx": "sortx",
    "simpel": "wimpel",
    "outbx": "inbx",
    "hmc": "qmc",
    "kafka": "camus",
    "Kafka": "Camus",
    "Kazakhstan": "Uzbekistan",
    "zebra": "koala",
    "quantum": "pumpkin",
    "ferment": "filament",
    "3.1.4": "9.2.6",
}
TRACE: Final = """Traceback (most recent call last):
  File "/srv/app/deep/courier/queue.py", line 50, in flush
  File "/srv/app/courier/signing.py", line 5, in sign
ValueError: zebra"""
#: They have words of the visible files, and one that only hidden files have or spell like it. That
#: the visible ones lack it makes their verdicts `weak`.
UNANSWERABLE: Final = (
    "call again after a failure of quantum or a secret signature",
    "call again after a failure of quantun or a secret signature",
    "how is a signature verified in a fermemt before the next attempt",
    "doubles the delay of kazakhstan before a signature is verified",
    "doubles the delay of kafka before a signature is verified",
    "where does the transport keep a zebra that waits for an attempt",
    "where does the transport keep a zebrra that waits for an attempt",
    "where does the transport keep an outbx that waits for an attempt",
)
QUESTIONS: Final = (
    *("Backoff", "Outbox", "sign", "with_retries", "Courier.send", "hmac sha256 hexdigest"),
    *("Bakoff", "Backof", "Outbx", "Couriier", "with_retris", "verfy", "SimpelQueue", "simpel"),
    *("where is Backoff defined?", "where is Bakoff defined?", "BackofX", "simpel_flush"),
    "how is a message signed with a secret",
    "how long does it wait before the next attempt",
    "how does the courier talk to Kafka in Kazakhstan?",
    "doubles the delay before the next atempt",
    "zebra quantum ferment lorem ipsum",
    "ValueError: the zebra is not ready",
    "transport.ready() kafka",
    *("courier/queue.py:5", "queue.py:5", "app/courier/signing.py:10", "courier/client.py:3"),
    *("src/retri.py:2", "queue.py:50", "courier/retry.py", "README", TRACE),
    *("what changed in 3.1.4?", "which version removed the flag 3.1.4"),
    *("callers of with_retries", "subclasses of Backoff", "usages of sign", "overrides of put"),
    *("what is limit set to?", "value of base", "tests of Backoff", "Courier.sendx"),
    *UNANSWERABLE,
)
_GIVEN: Final = ("paths", "not_paths", "kinds", "where")  # what callers ask for
TEAM: Final = {"team": "public"}


async def _public(ids: frozenset[str]) -> frozenset[str]:
    return ids & {"public"}


async def _all_public(_: int | None) -> tuple[str, ...]:
    return ("public",)


#: What restricts the caller, whether the collection requires attributes, and what checks documents.
BOUND: Final[Mapping[str, tuple[Scope, bool, Admit | None]]] = {
    "tags": (Scope(tags=TEAM), False, None),
    "bounds": (Scope(bounds={"team": ("public",)}), False, None),
    "bound_where": (Scope(bound_where="source = public"), False, None),
    "unshown": (Scope(sources="public", unshown=("sources",)), False, None),
    "passages": (Scope(bound_where="not text ~ sealed"), False, None),
    "require": (Scope(where="team = public"), True, None),
    "require and tags": (Scope(tags=TEAM), True, None),
    "workspace": (Scope(bounds={"team": ("public",)}), False, Admission(_public)),
    "bounds and admit": (Scope(bounds={"team": ("public",)}), False, _public),
    "wide bounds and admit": (Scope(bounds={"team": ("public", "hidden")}), False, _public),
    "tags and admit": (Scope(tags={"team": ["public", "hidden"]}), False, _public),
    "admit": (Scope(), False, _public),
    "choice": (
        Scope(bounds={"team": ("public",)}),
        False,
        Admission(_public, Choice(_public, _all_public)),
    ),
}


class Shelf:
    """Indexes with the same visible files and different hidden ones, by their names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[tuple[str, bool], Pincite] = {}
        self._packs: dict[tuple[str, str, str, Scope | None], EvidencePack] = {}

    def index(self, name: str, hidden: Mapping[str, str], *, require: bool) -> None:
        """Index the visible files and these hidden ones."""
        folder = self._folder / f"{name}-{require}"
        declared = '[attributes]\nteam = "keyword"\ndocument_id = "keyword"\n'
        needed = '[collections.main]\nrequire = ["team"]\n' if require else ""
        for source, files in (("public", REPOSITORIES["courier"]), ("hidden", hidden)):
            for path, text in files.items():
                (folder / source / path).parent.mkdir(parents=True, exist_ok=True)
                kept = text if source == "public" else text.replace("\n", SEALED)
                (folder / source / path).write_text(kept, encoding="utf-8")
        (folder / "pincite.toml").write_text(declared + needed, encoding="utf-8")
        opened = Pincite(load_settings({}, folder, folder / ".pincite"))
        self._open[name, require] = opened
        for source in ("public", "hidden"):
            of = {"team": source, "document_id": source}
            opened.index(folder / source, name=source, lexical=True, attributes=of)

    def ask(
        self, name: str, question: str, bound: str, within: Scope | None = None
    ) -> EvidencePack:
        """Ask as a caller who may read only the visible files, and asks for a part of them."""
        scope, require, admit = BOUND[bound]
        key = (name, question, bound, within)
        if key not in self._packs:
            given = {} if within is None else {one: getattr(within, one) for one in _GIVEN}
            asked = replace(scope, **{one: value for one, value in given.items() if value})
            options = SearchOptions(question, scope=asked)
            self._packs[key] = self._open[name, require].find(options, admit=admit)
        return self._packs[key]

    def ask_as_owner(self, name: str, question: str, scope: Scope | None = None) -> EvidencePack:
        """Ask as a caller who may read all files."""
        return self._open[name, False].search(question, scope=scope)

    def close(self) -> None:
        """Stop the daemons."""
        for one in self._open.values():
            one.stop()
            one.close()


def _with_others(text: str) -> str:
    for word, other in OTHERS.items():
        text = text.replace(word, other)
    return text


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    made = Shelf(tmp_path_factory.mktemp("hidden"))
    others = {_with_others(path): _with_others(text) for path, text in HIDDEN.items()}
    for require in (False, True):
        made.index("these", HIDDEN, require=require)
        made.index("others", others, require=require)
        made.index("none", {"none.py": "pass\n"}, require=require)
    yield made
    made.close()


def _seen(pack: EvidencePack) -> dict[str, Any]:
    """All that a caller sees of a pack, except for times and the id of the question."""
    seen = pack.to_dict()
    return {name: one for name, one in seen.items() if name not in ("debug", "timings_ms")}


def _without_scores(seen: Any) -> Any:
    if isinstance(seen, dict):
        return {
            name: _without_scores(one)
            for name, one in seen.items()
            if name not in ("signals", "value")
        }
    return [_without_scores(one) for one in seen] if isinstance(seen, list) else seen


def _differ(seen: Callable[[str, str], Any], other: str) -> list[str]:
    """The questions whose answers differ between the hidden files and other ones."""
    return [one for one in QUESTIONS if seen("these", one) != seen(other, one)]


#: Questions that tell of hidden files if only passages know which are hidden: see docs/security.md.
_TOLD: Final = {"passages": ["src/retri.py:2"]}


@pytest.mark.parametrize("other", ["others", "none"])
@pytest.mark.parametrize("bound", BOUND)
def test_hidden_documents_change_nothing_but_scores(shelf: Shelf, bound: str, other: str) -> None:
    """Scores change with the word statistics of the collection, as the page on workspaces says."""

    def seen(name: str, question: str) -> Any:
        pack = shelf.ask(name, question, bound)
        shown = (*pack.evidence, *pack.closest)
        assert {one.source for one in shown} <= {"public"}
        return _without_scores(_seen(pack))

    assert [one for one in _differ(seen, other) if one not in _TOLD.get(bound, [])] == []


#: Documents of others that no filter is known to leave out.
_CHECKED: Final = (
    *("admit", "bounds and admit", "wide bounds and admit", "tags and admit"),
    "choice",
)


@pytest.mark.parametrize("bound", [one for one in BOUND if one not in _CHECKED])
def test_whoever_is_kept_apart_is_told_of_words_that_the_visible_documents_lack(
    shelf: Shelf, bound: str
) -> None:
    for hidden in ("none", "these"):
        pack = shelf.ask(hidden, "Bakoff", bound)
        assert pack.absent_terms.index == ("Bakoff",)
        (notice,) = [one for one in pack.warnings if one.code == "similar_name"]
        assert notice.message.endswith("did you mean Backoff?")
        pack = shelf.ask(hidden, "how does the courier talk to Kafka in Kazakhstan?", bound)
        assert pack.absent_terms.index == ("talk", "Kafka", "Kazakhstan")
        a_part = None if BOUND[bound][0].where else Scope(where="path = 'courier/retry.py'")
        assert shelf.ask(hidden, "Outbox", bound, a_part).absent_terms.index == ()
        for question in UNANSWERABLE:
            pack = shelf.ask(hidden, question, bound)
            assert pack.verdict.level == "weak", question
            assert "nowhere" in pack.verdict.reason


@pytest.mark.parametrize("bound", _CHECKED)
def test_whoever_is_checked_by_document_alone_is_told_of_none(shelf: Shelf, bound: str) -> None:
    for question in ("Bakoff", "how does the courier talk to Kafka in Kazakhstan?"):
        pack = shelf.ask("none", question, bound)
        assert pack.absent_terms.index == ()
        assert "similar_name" not in [one.code for one in pack.warnings]
    assert shelf.ask_as_owner("none", "Bakoff").absent_terms.index == ("Bakoff",)


#: Parts of the index that a caller asks for: hidden files, sources and paths of the visible ones.
ASKED: Final = (
    *(Scope(paths=(path,)) for path in ("src/retri.py", "src/*", "hidden/src/retri.py", "nowhere")),
    *(Scope(paths=(path,)) for path in ("hidden/src/r*", "hidden/src/q*", "hidden")),
    *(Scope(paths=(path,)) for path in ("public/src/retri.py", "public/courier", "public", "deep")),
    Scope(paths=("courier/client.py",)),
    Scope(not_paths="*"),
    Scope(kinds="data"),
    Scope(where="path = 'src/retri.py'"),
    Scope(where="language = rust"),
    Scope(where="document_id = hidden"),
)


@pytest.mark.parametrize("other", ["others", "none"])
@pytest.mark.parametrize("bound", BOUND)
def test_nor_do_they_if_the_caller_asks_for_a_part(shelf: Shelf, bound: str, other: str) -> None:
    """Neither a notice that nothing matches nor a path in it depends on them."""
    for asked in ASKED:
        is_told = {*asked.paths} & {*_TOLD.get(bound, [])}
        if not (is_told or (asked.where and BOUND[bound][0].where)):
            one, another = (shelf.ask(name, "Backoff", bound, asked) for name in ("these", other))
            assert _without_scores(_seen(one)) == _without_scores(_seen(another)), asked


def test_the_owner_sees_the_difference(shelf: Shelf) -> None:
    def seen(name: str, question: str) -> Any:
        pack = shelf.ask_as_owner(name, question)
        return pack.verdict.level, pack.absent_terms, [one.path for one in pack.evidence]

    assert len(_differ(seen, "others")) > 10
    assert len(_differ(seen, "none")) > 20


def test_a_choice_of_collections_hides_nothing_in_them(shelf: Shelf) -> None:
    chosen = Scope(collections="main", unshown=("collections",))
    assert shelf.ask_as_owner("none", "Bakoff", chosen).absent_terms.index == ("Bakoff",)
