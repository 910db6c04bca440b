"""What is shown is judged by the lines that answer a question."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

import pytest
from bench.answering.reading import figures, judged
from bench.answering.reading_corpora import (
    Archive,
    Place,
    ReadingQuestion,
    download_sdist,
    read_questions,
    unpack,
)
from bench.answering.reading_table import reading
from bench.frame import SkippedError

from pincite.model import Context, Evidence
from pincite.stages.pack import PackConfig, _evidence
from pincite.support.fields import replace
from tests.builders import candidate

QUESTION = ReadingQuestion("q", "p", "?", (Place("docs/a.md", 3, 5), Place("docs/b.md", 1, 2)))


def evidence(name: str, first: int, last: int, shown: tuple[int, int] | None = None) -> Evidence:
    one = candidate(name, text="x" * 40, start_line=first, end_line=last)
    around = Context(*shown, "y" * 80) if shown else None
    return _evidence(1, one, PackConfig(), around, 0, "fresh")


def test_an_answer_is_all_lines_of_one_place_in_what_three_results_show() -> None:
    half = judged(QUESTION, [evidence("a", 3, 4)], 1.0)
    assert (half.file, half.answer) == (True, False)
    assert judged(QUESTION, [evidence("a", 3, 4), evidence("a", 5, 9)], 1.0).answer
    assert judged(QUESTION, [evidence("a", 4, 4, (2, 6))], 1.0).answer
    assert judged(QUESTION, [evidence("b", 1, 2)], 1.0).answer
    others = [evidence("c", 1, 9)] * 3
    late = judged(QUESTION, [*others, evidence("b", 1, 2)], 1.0)
    assert (late.file, late.answer, late.files) == (False, False, 2)


def test_tokens_are_those_of_what_is_shown() -> None:
    shown = [evidence("a", 3, 4), evidence("a", 4, 4, (2, 6))]
    assert judged(QUESTION, shown, 1.0).tokens == (40 + 80) / 4


def test_the_table_counts_projects_and_all() -> None:
    good = judged(QUESTION, [evidence("b", 1, 2)], 2.0)
    bad = replace(good, answer=False)
    taken = figures({"units": {"p": [good, bad], "q": [bad]}})
    assert taken.questions == {"p": 2, "q": 1, "all": 3}
    assert taken.answer == {"units": {"p": 1, "q": 0, "all": 1}}
    assert "| 2 / 1 | 1 / 0 | 3 / 1 |" in " ".join(reading(taken).split())


def test_every_question_has_a_project_and_places_that_can_be() -> None:
    known = read_questions()
    assert len({one.id for one in known.questions}) == len(known.questions) == 30
    for one in known.questions:
        assert one.corpus in known.corpora
        assert all(1 <= place.first <= place.last for place in one.gold)
        assert one.gold


def test_only_what_is_kept_of_an_archive_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("a = 1", encoding="utf-8")
    (tmp_path / "srcs.py").write_text("b = 2", encoding="utf-8")
    with tarfile.open(tmp_path / "p.tgz", "w:gz") as archive:
        archive.add(tmp_path / "src/a.py", "p-1/src/a.py")
        archive.add(tmp_path / "srcs.py", "p-1/srcs.py")
    unpack(tmp_path / "p.tgz", ("src",), tmp_path / "here")
    assert [one.name for one in (tmp_path / "here").rglob("*.py")] == ["a.py"]


def test_an_archive_that_leaves_its_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1", encoding="utf-8")
    with tarfile.open(tmp_path / "p.tgz", "w:gz") as archive:
        archive.add(tmp_path / "a.py", "p-1/src/../../out.py")
    with pytest.raises(tarfile.TarError, match="outside"):
        unpack(tmp_path / "p.tgz", ("src",), tmp_path / "here")


_BACKEND = """
import pathlib
pathlib.Path({ran!r}).touch()

def prepare_metadata_for_build_wheel(folder, settings=None):
    made = pathlib.Path(folder, "p-1.dist-info")
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\\nName: p\\nVersion: 1\\n")
    return made.name

def build_wheel(*_):
    raise NotImplementedError
"""


def test_nothing_of_an_archive_runs_before_its_hash_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links, cache, ran = tmp_path / "links", tmp_path / "cache", tmp_path / "ran"
    links.mkdir()
    cache.mkdir()
    (tmp_path / "backend.py").write_text(_BACKEND.format(ran=str(ran)))
    (tmp_path / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    with tarfile.open(links / "p-1.tar.gz", "w:gz") as archive:
        for name in ("backend.py", "pyproject.toml"):
            archive.add(tmp_path / name, f"p-1/{name}")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    content = (links / "p-1.tar.gz").read_bytes()
    wanted = Archive("pypi", "p", "1", "p-1.tar.gz", hashlib.sha256(content).hexdigest(), (), "")
    with pytest.raises(SkippedError, match="cannot be downloaded"):
        download_sdist(replace(wanted, sha256="0" * 64), cache)
    assert not ran.exists()
    assert not list(cache.iterdir())
    download_sdist(wanted, cache)
    assert (cache / "p-1.tar.gz").read_bytes() == content
    assert ran.exists()  # so the first part could have failed
