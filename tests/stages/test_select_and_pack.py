"""What is shown, and how it is cited."""

from __future__ import annotations

from typing import Any

from pincite.model import Chosen, Gated, Notice, Plan, Query, Signal, Verdict, VerdictLevel
from pincite.model.citation import cite, line_range
from pincite.stages.pack import PackConfig, pack
from pincite.stages.select import SelectConfig, select
from tests.builders import candidate, chunk

PLAN = Plan(("main",), "lexical", "rrf", {}, {}, {})


def gated(level: VerdictLevel, *letters: str) -> Gated:
    verdict = Verdict(level, "fused", "normalised", 0.5, 0.4, 0.2, False, "because")
    found = tuple(candidate(letter, 1 / n) for n, letter in enumerate(letters, 1))
    return Gated(found, verdict)


def test_at_most_the_asked_number_is_chosen_and_the_rest_has_a_reason() -> None:
    pool = select(gated("grounded", *"abc"), SelectConfig(results=2))
    assert len(pool.candidates) == 2
    assert pool.dropped[0].reason == "below the best 2"


def test_a_verdict_of_none_shows_nothing_unless_asked() -> None:
    assert select(gated("none", "a"), SelectConfig()).candidates == ()
    assert len(select(gated("none", "a"), SelectConfig(on_none="keep")).candidates) == 1


def test_the_notice_of_a_refusal_says_what_is_shown() -> None:
    def said(*names: str, closest: int = 3) -> str:
        (one,) = select(gated("none", *names), SelectConfig(closest=closest)).notices
        return one.message

    assert said("a") == "1 candidate was found, but none is good enough as evidence"
    more = said("a", "b", "c", "d")
    assert more.endswith("; only the nearest 3 are shown, all with: pincite search --all")
    assert said("a", closest=0).endswith("; to see the nearest: pincite search --all")


def test_a_weak_verdict_shows_what_there_is() -> None:
    assert len(select(gated("weak", "a"), SelectConfig()).candidates) == 1


def test_one_document_can_be_kept_from_taking_all_places() -> None:
    same = [candidate(letter, 1, path="docs/one.md") for letter in "abc"]
    everything = Gated((*same, candidate("d", 0.1)), gated("grounded").verdict)
    pool = select(everything, SelectConfig(per_document=2))
    assert [one.chunk.path for one in pool.candidates] == ["docs/one.md"] * 2 + ["docs/d.md"]
    assert pool.dropped[0].reason == "more than 2 of docs/one.md"


def test_what_has_no_path_is_no_document_with_all_that_has_none() -> None:
    same = [candidate(letter, 1, path="") for letter in "abc"]
    pool = select(Gated(tuple(same), gated("grounded").verdict), SelectConfig(per_document=1))
    assert len(pool.candidates) == 3


def test_a_missing_revision_is_said() -> None:
    found = Chosen((candidate("a", 1.0, ref=""),))
    result = pack(Query("q"), found, gated("weak", "a"), PLAN, (), PackConfig())
    assert result.evidence[0].citation_confidence == "medium"
    assert [notice.code for notice in result.warnings] == ["revision_unavailable"]


def test_files_are_cited_by_path_pages_by_address_and_both_by_lines() -> None:
    assert cite(chunk("a")) == "acme/docs@c0ffee:docs/a.md#L1-L2"
    assert cite(chunk("a", text="one line")) == "acme/docs@c0ffee:docs/a.md#L1"
    assert cite(chunk("a", ref="")) == "acme/docs:docs/a.md#L1-L2"
    assert cite(chunk("a", ref="", end_line=0)) == "acme/docs:docs/a.md"
    assert cite(chunk("a", path="", end_line=0)) == f"acme/docs@c0ffee:{chunk('a').id}"
    address = "acme/docs@c0ffee:https://x.org/a"
    assert cite(chunk("a", path="", url="https://x.org/a", end_line=0)) == address
    assert cite(chunk("a", path="", url="https://x.org/a")) == f"{address}#L1-L2"
    paged = chunk("a", url="https://example.org/a/#top")
    assert cite(paged) == "acme/docs@c0ffee:https://example.org/a/#top#L1-L2"


def test_columns_are_cited_only_where_a_line_is_cut() -> None:
    assert line_range(chunk("a", start_column=5, end_column=9)) == "L1C5-L2C9"
    part = chunk("a", text="x" * 9, start_column=5, end_column=13)
    assert line_range(part) == "L1C5-L1C13"


def test_missing_lines_are_said_and_never_invented() -> None:
    found = Chosen((candidate("a", 1.0, start_line=0, end_line=0),))
    result = pack(Query("q"), found, gated("weak", "a"), PLAN, (), PackConfig())
    assert result.evidence[0].citation == "acme/docs@c0ffee:docs/a.md"
    assert result.evidence[0].citation_confidence == "medium"
    assert [notice.code for notice in result.warnings] == ["line_spans_unavailable"]


def test_evidence_is_numbered_from_one_and_counted_by_kind() -> None:
    found = Chosen((candidate("a", 2), candidate("b", 1, source_type="code")))
    result = pack(Query("q"), found, gated("grounded", "a"), PLAN, (), PackConfig())
    assert [item.number for item in result.evidence] == [1, 2]
    assert result.coverage == {"docs": 1, "code": 1, "data": 0}


def test_a_notice_is_said_once() -> None:
    notice = Notice("code", "message")
    query = Query("q", notices=(notice,))
    result = pack(query, Chosen(()), gated("none"), PLAN, (notice, notice), PackConfig())
    assert result.warnings == (notice,)


def test_a_record_has_the_id_that_it_was_written_with() -> None:
    record: Any = {"title": "T", "path": "uzh/a%2Fb/c", "start": 0, "end": 5, "cited_in": "char"}
    found = Chosen((candidate("a", 2.0, **record), candidate("b", 1.0, path="uzh/a%2Fb/c")))
    for required, id_ in ((0, "uzh/a%2Fb/c"), (1, "a%2Fb/c"), (2, "c")):
        asked = (Query("q"), found, gated("weak", "a"), PLAN, (), PackConfig())
        result = pack(*asked, required={"main": required})
        assert [(one.record_id, one.title) for one in result.evidence] == [(id_, "T"), (None, "")]


def test_the_score_of_evidence_is_what_it_is_ranked_by() -> None:
    one = candidate("a", 2.0).with_signal(Signal("reranked", "probability", 0.75))
    found = Chosen((one.with_signal(Signal("coverage", "share", 0.5)), candidate("b", 0.25)))
    result = pack(Query("q"), found, gated("grounded", "a"), PLAN, (), PackConfig())
    assert [item.score for item in result.evidence] == [0.75, 0.25]
