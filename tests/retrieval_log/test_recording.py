"""A search leaves one line that says everything but the text of chunks."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import stat
from pathlib import Path

import msgspec
import pytest

from pincite.deps import Deps
from pincite.errors import ConfigError, UsageError
from pincite.model import Attributes, EvidencePack, Fused, Question, Scope, Signal
from pincite.ports import CollectionInfo, Reranker, Searchable
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import (
    Asked,
    Event,
    LogFiles,
    Recorder,
    events,
    file_recorder,
    find_event,
    found_by,
)
from pincite.retrieval_log.masking import masked
from pincite.search import search
from pincite.settings.load import load_settings
from pincite.settings.sections.retrieval_log import LogSettings
from pincite.testing.fakes import OverlapReranker
from pincite.trace import Trace
from tests.small_search import TEXTS, TopicEncoder, make

QUESTION = "how do I rotate a key with a new secret"


@pytest.fixture(scope="module")
def collection() -> Searchable:
    return asyncio.run(make(TopicEncoder(), TEXTS))


async def record(
    recorder: Recorder,
    collection: Searchable,
    text: str = QUESTION,
    reranker: Reranker | None = None,
) -> tuple[EvidencePack, Trace]:
    ticks = itertools.count()
    trace = Trace(lambda: float(next(ticks)))
    analyser = Bm25Encoder().analyser
    deps = Deps([collection], lambda t: frozenset(analyser.terms(t)), guess_language, reranker)
    question = Question(text, Scope(paths=("*",)))
    with recorder.entry(Asked.of(question, Profile()), trace) as entry:
        entry.infos = [CollectionInfo(collection.spec, (), 3, 3, 30)]
        pack = entry.pack = await search(question, deps, Profile(), trace)
    return pack, trace


def event_of(collection: Searchable, reranker: Reranker | None = None) -> Event:
    heard: list[Event] = []
    recorder = Recorder(heard.append, name=lambda: "0123abcd", now=lambda: "2026-01-01T00:00:00Z")
    asyncio.run(record(recorder, collection, reranker=reranker))
    (event,) = heard
    return event


def test_the_line_has_what_is_needed_to_reproduce_a_miss(collection: Searchable) -> None:
    event = event_of(collection, OverlapReranker())
    assert event.query_id == "0123abcd"
    assert event.asked.text == QUESTION
    assert event.asked.scope.paths == ("*",)
    assert event.asked.profile["retrieve"]["hnsw_ef"] == 128
    assert event.request["limits"]["dense"] == 30
    assert list(event.request["collections"]) == ["main"]
    assert event.collections["main"].dense == "topics/1"
    assert event.reranker is not None
    assert (event.reranker.model, event.reranker.judged) == ("overlap", len(event.found))
    assert {hit.chunk_id for hit in event.found} >= {item.chunk_id for item in event.shown}
    assert set(event.found[0].scores) == {"dense", "sparse", "fused"}
    assert event.shown[0].place == "keys#L1"
    assert event.shown[0].score.name == "reranked"
    assert event.verdict is not None
    assert event.coverage["docs"] == len(event.shown)


def test_the_line_has_the_best_two_hundred_hits_and_no_more() -> None:
    trace = Trace(lambda: 0.0)
    signal = Signal("fused", "rrf", 0.5)
    trace.tap("fuse", tuple(Fused("main", f"c{n}", (signal,)) for n in range(250)))
    found = found_by(trace)
    assert [one.chunk_id for one in found] == [f"c{n}" for n in range(200)]


def test_the_line_has_no_text_of_a_chunk(collection: Searchable) -> None:
    line = msgspec.json.encode(event_of(collection)).decode()
    assert not [text for text in TEXTS.values() if text[:20] in line]


def test_the_line_can_be_read_back(collection: Searchable) -> None:
    event = event_of(collection)
    assert msgspec.json.decode(msgspec.json.encode(event), type=Event).shown == event.shown


def test_a_line_of_before_is_read_with_the_names_of_today(
    collection: Searchable, tmp_path: Path
) -> None:
    line = msgspec.to_builtins(event_of(collection))
    line["asked"]["scope"] = {
        "sources": ["acme"],
        "source_types": ["code"],
        "allow": ["src/*"],
        "block": ["*.md"],
        "where": "source_type = code",
    }
    files = LogFiles(tmp_path, LogSettings())
    for scope in (line["asked"]["scope"], {"kinds": ["docs"], "paths": ["a"]}, {"allow": 3}):
        files.append(msgspec.json.encode(line | {"asked": line["asked"] | {"scope": scope}}))
    assert [event.asked.scope for event in events(files)] == [
        Scope(kinds=("docs",), paths=("a",)),
        Scope((), ("acme",), ("code",), None, ("src/*",), ("*.md",), "source_type = code"),
    ]


def test_a_pack_is_the_same_with_and_without_a_log(collection: Searchable) -> None:
    heard: list[Event] = []
    logged, trace = asyncio.run(record(Recorder(heard.append), collection))
    silent, other = asyncio.run(record(Recorder(None), collection))
    assert msgspec.json.encode(logged) == msgspec.json.encode(silent)
    assert (trace.query_id, other.query_id) == (heard[0].query_id, "")


def test_a_search_that_fails_is_logged_with_its_error(collection: Searchable) -> None:
    heard: list[Event] = []
    with pytest.raises(UsageError):
        asyncio.run(record(Recorder(heard.append), collection, text="  "))
    assert heard[0].error is not None
    assert heard[0].error.type == "UsageError"
    assert heard[0].shown == ()


def test_the_file_is_private_and_a_line_is_one_line(collection: Searchable, tmp_path: Path) -> None:
    recorder = file_recorder(tmp_path, LogSettings())
    asyncio.run(record(recorder, collection, text="two\nlines about a key"))
    path = tmp_path / "retrieval.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (line,) = path.read_text().splitlines()
    assert json.loads(line)["asked"]["text"] == "two\nlines about a key"


def test_nothing_is_written_when_the_log_is_off(collection: Searchable, tmp_path: Path) -> None:
    asyncio.run(record(file_recorder(tmp_path, LogSettings(enabled=False)), collection))
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_written_fails_no_search_and_says_so_once(
    collection: Searchable, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "retrieval.jsonl").mkdir()
    recorder = file_recorder(tmp_path, LogSettings())
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            pack, _trace = asyncio.run(record(recorder, collection))
            assert pack.evidence
    assert len([r for r in caplog.records if "not logged" in r.message]) == 1


@pytest.fixture
def files(tmp_path: Path, collection: Searchable) -> LogFiles:
    files = LogFiles(tmp_path, LogSettings())
    ids = iter(["aaaa1111", "aaaa2222", "bbbb3333"])
    recorder = Recorder(lambda e: files.append(msgspec.json.encode(e)), name=lambda: next(ids))
    for text in ("first key", "second key", "third key"):
        asyncio.run(record(recorder, collection, text=text))
    return files


def test_a_search_is_found_by_the_beginning_of_its_id(files: LogFiles) -> None:
    assert find_event(files, "aaaa2").asked.text == "second key"
    assert find_event(files, "last").asked.text == "third key"


@pytest.mark.parametrize(("query_id", "said"), [("aa", "too short"), ("aaaa", "2"), ("cccc", "no")])
def test_an_id_that_names_no_single_search_is_refused(
    files: LogFiles, query_id: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        find_event(files, query_id)


def test_a_line_that_was_cut_off_is_passed_over(files: LogFiles) -> None:
    files.append(b'{"query_id":"dddd')
    assert next(events(files)).asked.text == "third key"


@pytest.mark.parametrize(
    ("text", "environ", "expected"),
    [
        ("", {}, True),
        ("[log]\nenabled = false\n", {}, False),
        ("[log]\nenabled = false\n", {"PINCITE_LOG": "1"}, True),
        ("", {"PINCITE_LOG": "off"}, False),
    ],
)
def test_the_environment_wins_over_the_file(
    tmp_path: Path, text: str, environ: dict[str, str], expected: bool
) -> None:
    (tmp_path / "pincite.toml").write_text(text)
    assert load_settings(environ, tmp_path).log.enabled is expected


@pytest.mark.parametrize(
    ("text", "environ", "said"),
    [
        ("[log]\nfile = 'x'\n", {}, r"log\.file"),
        ("log = true\n", {}, "'log' is a table"),
        ("[log]\nkeep = -1\n", {}, r"log\.keep"),
        ("[log]\nmax_bytes = 'big'\n", {}, "max_bytes"),
        ("[log]\nmask_secrets = 'no'\n", {}, r"log\.mask_secrets"),
        ("", {"PINCITE_LOG": "maybe"}, "PINCITE_LOG"),
    ],
)
def test_wrong_settings_are_refused_by_name(
    tmp_path: Path, text: str, environ: dict[str, str], said: str
) -> None:
    (tmp_path / "pincite.toml").write_text(text)
    with pytest.raises(ConfigError, match=said):
        load_settings(environ, tmp_path)


def test_tags_are_logged_with_their_types_and_asked_again(tmp_path: Path) -> None:
    tags: Attributes = {
        "course": ("ml", "文書"),
        "year": 2026,
        "weight": 2.0,
        "visible": False,
        "token": "ghp_" + "a1B2" * 9,
    }
    asked = Asked.of(Question("a key", Scope(tags=tags, where="year = 2026")), Profile())
    event = Event("q1", "2026-11-22T10:00:00Z", "1", asked, {})
    again = msgspec.json.decode(msgspec.json.encode(event), type=Event).asked.question.scope
    assert again.tags == tags
    assert [type(again.tags[name]) for name in ("year", "weight", "visible")] == [int, float, bool]
    clean = masked(event)
    assert clean.masked
    assert "a1B2" not in str(clean.asked.scope.tags["token"])
    kept = {name: value for name, value in tags.items() if name != "token"}
    assert {**clean.asked.question.scope.tags, "token": ""} == {**kept, "token": ""}


def test_a_search_that_could_not_be_logged_has_no_id(
    collection: Searchable, tmp_path: Path
) -> None:
    recorder = file_recorder(tmp_path, LogSettings())
    _, logged = asyncio.run(record(recorder, collection))
    (tmp_path / "retrieval.jsonl").unlink()
    (tmp_path / "retrieval.jsonl").mkdir()
    _, lost = asyncio.run(record(recorder, collection))
    assert (len(logged.query_id), lost.query_id) == (32, "")
