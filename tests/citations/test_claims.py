"""Citations checked against a real repository, with nothing but the citation."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.current_file import CitationStatus
from pincite.engine import AsyncPincite
from pincite.errors import StoreError, UsageError
from pincite.model import Chunk
from pincite.model.citation import short_citation
from pincite.ports import PagedIndex
from pincite.sources import Entry
from pincite.sources.folder import FolderSource
from pincite.support.fields import replace
from tests.citations.repository import FILE, Repository
from tests.citations.repository import repository as repository
from tests.sources.helpers import commit


def test_a_citation_without_a_quote_stands_for_the_lines_of_its_commit(
    repository: Repository,
) -> None:
    found = repository.check()
    assert (found.status, found.start_line, found.end_line) == ("fresh", 1, 2)

    repository.write("walrus.txt", "First a line.\n" + FILE)
    commit(repository.place)
    found = repository.check()
    assert (found.status, found.detail) == ("moved", "now lines 2-3")
    assert (found.path, found.start_line, found.end_line) == ("walrus.txt", 2, 3)

    repository.write("walrus.txt", "a giraffe stands in the sun\n")
    commit(repository.place)
    assert repository.check().status == "changed"

    (repository.place / "walrus.txt").unlink()
    commit(repository.place)
    assert repository.check().status == "deleted"


def test_a_commit_that_nobody_has_needs_a_quote(repository: Repository) -> None:
    elsewhere = f"acme@{'0' * 40}:walrus.txt#L1-L2"
    found = repository.check(elsewhere)
    assert found.status == "unknown"
    assert "give the quote" in found.detail
    assert repository.check(elsewhere, "dreams of fish").status == "fresh"
    assert repository.check(elsewhere, "dreams of trees").status == "changed"


class Away:
    """An index whose points cannot be read."""

    def __init__(self, index: PagedIndex) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        raise StoreError(f"the store does not answer for {collection} {source} {path}")


def test_a_passage_is_not_called_changed_if_its_points_cannot_be_read(
    repository: Repository,
) -> None:
    repository.write("walrus.txt", "".join(f"{number:x}" for number in range(1000, 4000)))
    repository.index()

    async def session() -> tuple[ClaimCheck, ...]:
        async with AsyncPincite(repository.settings) as engine:
            client = engine.client()
            (info,) = await client.collections()
            source = info.sources[0].source.name
            (*_, last) = await client.document("main", source, "walrus.txt")
            place = f"acme@{last.ref}:walrus.txt#L1"
            claims = [Claim(place, last.text), Claim(place, last.text[1:-1])]
            up = await check_claims(client, claims, repository.place)
            assert [one.status for one in up] == ["fresh", "changed"]
            away = cast(PagedIndex, Away(client))
            plain = await check_claims(away, claims, repository.place, faults=False)
            assert plain == tuple(ClaimCheck(place, "unknown") for _ in claims)
            return await check_claims(away, claims, repository.place)

    found = asyncio.run(session())
    assert [one.status for one in found] == ["unknown", "unknown"]
    assert "does not answer" in found[0].detail


def test_a_short_commit_is_as_good_as_a_whole_one(repository: Repository) -> None:
    assert repository.check(f"acme@{repository.sha[:10]}:walrus.txt#L2").status == "fresh"


def test_an_id_stands_for_the_text_of_its_passage(repository: Repository) -> None:
    async def first_id() -> str:
        async with AsyncPincite(repository.settings) as engine:
            pack = await engine.search("walrus dreams of fish")
            return next(e.chunk_id for e in pack.evidence if e.path == "walrus.txt")

    identity = asyncio.run(first_id())
    assert repository.check(f"#{identity[:12]}").status == "fresh"
    repository.write("walrus.txt", "First a line.\n" + FILE)
    assert repository.check(identity).status == "moved"


def test_lines_of_a_page_are_read_by_its_address_and_anchor(repository: Repository) -> None:
    async def lines(place: str) -> tuple[int, int]:
        async with AsyncPincite(repository.settings) as engine:
            passage = await engine.get(f"acme@{repository.sha}:{place}")
            return passage.start_line, passage.end_line

    address = "https://acme.example/page/"
    assert asyncio.run(lines(address)) == (1, 11)
    assert asyncio.run(lines(f"{address}#walruses")) == (9, 11)
    assert asyncio.run(lines(f"{address}#no-such-heading")) == (1, 11)


def test_a_changed_file_is_not_its_commit(repository: Repository) -> None:
    repository.write("walrus.txt", "a giraffe stands in the sun\n")
    assert repository.check().status == "changed"
    whole = repository.check(f"acme@{repository.sha}:walrus.txt")
    assert (whole.status, whole.detail) == ("changed", "the text of the file has changed")


def test_passages_cut_inside_of_a_word_have_moved_for_check_and_verify(
    repository: Repository,
) -> None:
    table = ",".join(f"ice{number}" for number in range(2_000))
    repository.write("long.txt", f"{table}\n")
    commit(repository.place)
    repository.index()

    async def statuses() -> tuple[set[CitationStatus], set[CitationStatus], set[CitationStatus]]:
        async with AsyncPincite(repository.settings) as engine:
            pack = await engine.search("ice900 ice1300", paths="long.txt")
            claims = [Claim(one.citation, one.text) for one in pack.evidence]
            before = {one.status for one in await engine.check(claims)}
            repository.write("long.txt", f"A new line.\n{table}\n")
            commit(repository.place)
            after = {one.status for one in await engine.check(claims)}
            verified = {one.status for one in await engine.verify(pack)}
            assert any(one.text.endswith(",ice") for one in pack.evidence)
            return before, after, verified

    assert asyncio.run(statuses()) == ({"fresh"}, {"moved"}, {"moved"})


def test_a_passage_that_is_indexed_no_more_is_known_by_its_columns(repository: Repository) -> None:
    table = ",".join(f"ice{number}" for number in range(2_000))
    repository.write("long.txt", f"{table}\n")
    commit(repository.place)
    repository.index()

    async def found() -> tuple[str, str]:
        async with AsyncPincite(repository.settings) as engine:
            pack = await engine.search("ice900 ice1300", paths="long.txt")
            (one,) = [one for one in pack.evidence if one.text.endswith(",ice")][:1]
            return one.citation, one.text

    citation, text = asyncio.run(found())
    repository.write("long.txt", f"ice A new line.\n{table}\n")
    commit(repository.place)
    repository.index()
    assert repository.check(citation, text).status == "moved"
    assert repository.check(citation, text[:-1]).status == "changed"


def test_a_long_quote_of_an_indexed_file_has_whole_words(repository: Repository) -> None:
    words = " ".join(["ice"] * 30)
    repository.write("walrus.txt", f"{words} for at most 30 days of 2,5 years\n")
    repository.index()
    cited = repository.citation.replace("#L1-L2", "#L1-L1")
    for quote in (f"{words} for at most 3", f"ce {words[4:]}", f"{words} for at most 30 days of 2"):
        assert repository.check(cited, quote).status == "changed", quote
    assert repository.check(cited, f"{words} for at most 30").status == "fresh"


def test_quotes_of_code_and_footnotes_are_fresh(repository: Repository) -> None:
    text = 'print("archive\\nPress any key")\nf(200,404,500)\nwithin 30 days¹ of it\nअनुमतियाँ\n'
    repository.write("walrus.txt", text)
    cited = repository.citation.replace("#L1-L2", "#L1-L4")
    for quote in ("Press any key", "404", "200,404", "within 30 days"):
        assert repository.check(cited, quote).status == "fresh", quote
    for quote in ("ress any key", "अनुमति", "0 days"):
        assert repository.check(cited, quote).status == "changed", quote


def test_a_quote_is_found_nearest_to_the_cited_lines(repository: Repository) -> None:
    repository.write("walrus.txt", "fish\n" * 2 + "ice\n" * 5 + "fish\n")
    found = repository.check(f"acme@{repository.sha}:walrus.txt#L6-L7", "fish")
    assert (found.status, found.detail) == ("moved", "now lines 8-8")


def test_a_citation_without_a_revision_can_be_read_and_says_nothing_of_one(
    repository: Repository,
) -> None:
    assert repository.check("acme:walrus.txt#L1-L2").status == "unknown"
    assert repository.check("acme:walrus.txt#L1-L2", "dreams of fish").status == "fresh"

    async def text(locator: str) -> str:
        async with AsyncPincite(repository.settings) as engine:
            return (await engine.get(locator)).text

    assert asyncio.run(text("acme:walrus.txt#L2")) == "and dreams of fish"
    assert asyncio.run(text("acme:walrus.txt:2:1")) == "and dreams of fish"


def test_what_is_not_named_is_said_as_it_was_written(repository: Repository) -> None:
    for cited in ("docs/nothere.md:12-20", "other:docs/nothere.md#L1"):
        found = repository.check(cited)
        assert (found.status, found.detail) == ("unknown", f"no indexed file is named '{cited}'")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("#L0", "walrus.txt has 2 lines: line 0 does not exist"),
        ("#L2-L1", "line 1 comes before line 2"),
        ("#L2-L3", "walrus.txt has 2 lines: line 3 does not exist"),
        ("#L2C20", "line 2 of walrus.txt has 18 characters: column 20 does not exist"),
        ("#L1C500-L1C900", "line 1 of walrus.txt has 22 characters: column 500 does not exist"),
        ("#L1C9-L1C2", "column 2 comes before column 9"),
        ("#L1C0-L1C2", "columns count from 1"),
        ("#page=77", "walrus.txt has lines, not pages"),
        ("#sheet=1&row=2-3", "walrus.txt has lines, not sheets"),
        ("#page=1&char=0,5", "walrus.txt has lines, not pages"),
    ],
)
def test_a_place_that_the_file_has_not_is_changed(
    repository: Repository, place: str, said: str
) -> None:
    found = repository.check(f"acme@{repository.sha}:walrus.txt{place}")
    assert (found.status, found.detail, found.start_line) == ("changed", said, None)
    alone = repository.check(f"acme:walrus.txt{place}")
    assert (alone.status, alone.detail) == ("changed", said)


def test_columns_that_the_lines_have_are_fresh(repository: Repository) -> None:
    for place in ("#L1C1-L1C22", "#L1C22-L2C1", "#L2C18", "#L1C9-L2C2"):
        assert repository.check(f"acme@{repository.sha}:walrus.txt{place}").status == "fresh", place


def test_lines_before_the_first_are_in_no_revision(repository: Repository) -> None:
    found = repository.check("walrus.txt:0-3")
    assert (found.status, found.path) == ("changed", "walrus.txt")


def test_an_older_commit_must_have_the_cited_lines_too(repository: Repository) -> None:
    repository.write("walrus.txt", FILE * 5)
    commit(repository.place)
    assert repository.check().status == "fresh"
    found = repository.check(f"acme@{repository.sha}:walrus.txt#L2-L9")
    said = "walrus.txt has 2 lines: line 9 does not exist"
    assert (found.status, found.detail) == ("changed", said)
    assert repository.check(f"acme@{repository.sha}:walrus.txt#L2C20").status == "changed"


def test_a_quote_begins_and_ends_with_whole_words(repository: Repository) -> None:
    for quote in ("walrus sleep", "alrus sleeps", "and dreams of fis"):
        assert repository.check(quote=quote).status == "changed", quote
    assert repository.check(quote="walrus  sleeps").status == "fresh"
    columns = repository.citation.replace("#L1-L2", "#L1C4-L1C9")
    assert repository.check(columns, "alrus").status == "fresh"  # exactly the cited columns
    assert repository.check(columns, "lrus").status == "changed"


def test_lines_are_a_hint_where_there_is_a_quote(repository: Repository) -> None:
    for place in ("#L0", "#L9", "#L1C500-L1C900", "#L2C3-L2C1"):
        found = repository.check(f"acme@{repository.sha}:walrus.txt{place}", "dreams of fish")
        assert found.status in ("fresh", "moved"), place


def test_a_file_that_only_an_older_commit_has_is_moved_or_deleted(repository: Repository) -> None:
    """Whether or not the index has seen that it is gone."""
    cited = repository.citation
    (repository.place / "walrus.txt").rename(repository.place / "seal.txt")
    for _ in range(2):
        moved = repository.check(cited)
        assert (moved.status, moved.detail, moved.path) == ("moved", "now in seal.txt", "seal.txt")
        assert (moved.start_line, moved.end_line) == (1, 2)
        assert repository.check(cited, "a walrus sleeps").status == "moved"
        assert repository.check(cited, "a penguin").status == "changed"
        repository.index()
    assert repository.check(cited.replace(repository.sha, repository.sha[:9])).status == "moved"
    by_lines = repository.check(f"acme@{repository.sha}:walrus.txt:2")
    assert (by_lines.status, by_lines.start_line, by_lines.end_line) == ("moved", 2, 2)
    (repository.place / "seal.txt").unlink()
    for _ in range(2):
        gone = repository.check(cited)
        assert (gone.status, gone.detail) == ("deleted", "the file is gone")
        repository.index()
    never = repository.check(cited.replace("walrus", "penguin"))
    assert (never.status, never.detail) == (
        "unknown",
        f"no indexed file is named 'acme@{repository.sha}:penguin.txt#L1-L2'",
    )
    for wrong in ("deadbeef", "v1"):
        assert repository.check(f"acme@{wrong}:walrus.txt#L1").status == "unknown"


def test_a_file_that_nobody_has_indexed_is_not_compared(repository: Repository) -> None:
    """Whoever may verify could read it, a word at a time."""
    for path in (".env", "private/token.md", "docs/new.md"):
        repository.write(path, f"the token is 4711\nof {path}\n")
        for ref in (repository.sha, repository.sha[:7], "abcd", "v1"):
            for quote in ("the token is 4711", "nothing", ""):
                found = repository.check(f"acme@{ref}:{path}#L1", quote)
                assert (found.status, found.path) == ("unknown", None), (path, ref, quote)
    sha = commit(repository.place)
    (repository.place / "private/token.md").unlink()
    (repository.place / ".env").unlink()
    assert repository.check(f"acme@{sha}:.env#L1").status == "unknown"
    assert repository.check(f"acme@{sha}:private/token.md#L1", "4711").status == "deleted"


def test_many_citations_of_files_that_are_gone_cost_one_look_at_the_others(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        repository.write(f"many/{number}.md", f"# Page {number}\n")
    sha = commit(repository.place)
    repository.index()
    for number in range(20):
        (repository.place / f"many/{number}.md").unlink()
    read: list[str] = []
    reading = FolderSource.read

    def read_and_count(self: FolderSource, entry: Entry) -> bytes:
        read.append(entry.path)
        return reading(self, entry)

    monkeypatch.setattr(FolderSource, "read", read_and_count)

    async def session() -> list[str]:
        async with AsyncPincite(repository.settings) as engine:
            cited = [Claim(f"acme@{sha}:many/{number}.md#L1") for number in range(20)]
            return [one.status for one in await engine.check(cited)]

    assert asyncio.run(session()) == ["deleted"] * 20
    assert len(read) < 60


def test_what_became_of_a_file_is_not_said_where_something_is_kept_back(
    repository: Repository,
) -> None:
    repository.index(team="ice")
    (repository.place / "walrus.txt").rename(repository.place / "seal.txt")

    async def within_tags() -> ClaimCheck:
        async with AsyncPincite(repository.settings) as engine:
            (found,) = await engine.check([Claim(repository.citation)], tags={"team": "ice"})
            return found

    assert asyncio.run(within_tags()).detail == "the file is gone"
    repository.index()
    assert asyncio.run(within_tags()).status == "unknown"
    assert repository.check(repository.citation).detail == "now in seal.txt"


def test_an_abbreviated_commit_is_looked_up_in_the_history(repository: Repository) -> None:
    repository.write("walrus.txt", "a seal came\n" + FILE)
    commit(repository.place)
    repository.index()
    for digits in (40, 12, 7):
        cited = f"acme@{repository.sha[:digits]}:walrus.txt#L1-L2"
        found = repository.check(cited)
        assert (found.status, found.start_line, found.end_line) == ("moved", 2, 3), digits
        page = f"acme@{repository.sha[:digits]}:docs/page.md#L1-L3"
        assert repository.check(page).status == "fresh"


def test_old_lines_that_are_read_as_they_are_now_have_a_warning(repository: Repository) -> None:
    def read(citation: str) -> tuple[str, str]:
        async def session() -> tuple[str, str]:
            async with AsyncPincite(repository.settings) as engine:
                passage = await engine.get(citation)
                return passage.text, passage.warning

        return asyncio.run(session())

    sha, short = repository.sha, repository.sha[:12]
    assert read(repository.citation) == (FILE.rstrip("\n"), "")
    repository.write("walrus.txt", "a seal came\n" + FILE)
    commit(repository.place)
    repository.index()
    said = f"the text that {short} has at the cited place is now in lines 2-3"
    lines = (FILE.rstrip("\n"), said)
    for cited in (repository.citation, f"acme@{short}:walrus.txt:1-2"):
        assert read(cited) == lines
    assert read(f"acme@{sha}:docs/page.md#L1-L3")[1] == ""
    repository.write("walrus.txt", "nothing\nof\nit\n")
    repository.index()
    assert read(repository.citation)[1] == (
        f"{short} has another text at this place, which is no longer in the file"
    )
    assert read(f"acme@{'0' * 40}:walrus.txt#L1")[1] == (
        "000000000000 is not available: another text may be at this place now"
    )
    assert read("acme@sha256-0123456789ab:walrus.txt#L1")[1] == (
        "sha256-0123456789ab is not available: another text may be at this place now"
    )
    assert read("walrus.txt:1:2") == ("nothing\nof", "")


def test_a_citation_of_endless_length_names_no_file(repository: Repository) -> None:
    found = repository.check(f"acme@{'a' * 39}b:{'/' * 150_000}")
    assert (found.status, found.path) == ("unknown", None)
    assert found.detail.startswith("no indexed file is named 'acme@")
    assert len(found.detail) < 1_000


def test_citations_given_to_verify_are_pointed_to_check(repository: Repository) -> None:
    async def check() -> None:
        async with AsyncPincite(repository.settings) as engine:
            with pytest.raises(UsageError, match="`check` takes citations"):
                await engine.verify(cast(Any, [repository.citation]))

    asyncio.run(check())


def test_a_short_revision_is_judged_as_the_whole_one(repository: Repository) -> None:
    """Tools write twelve digits."""
    repository.write("dirty.txt", FILE)
    repository.index()

    async def cited(word: str) -> str:
        async with AsyncPincite(repository.settings) as engine:
            pack = await engine.search(word, paths=["dirty.txt"])
            return pack[0].citation

    dirty = asyncio.run(cited("walrus"))
    assert "-dirty-" in dirty
    for change in ("", "First a line.\n"):
        for path, whole in {"walrus.txt": repository.citation, "dirty.txt": dirty}.items():
            repository.write(path, change + FILE)
            one, other = repository.check(whole), repository.check(short_citation(whole))
            assert short_citation(whole) != whole
            assert one == replace(other, citation=whole)
            assert one.status == ("fresh" if not change else one.status)
