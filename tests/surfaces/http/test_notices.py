"""What clients are told of warnings that are for the operator."""

from __future__ import annotations

import asyncio

import pytest

from pincite.model import Notice
from pincite.surfaces.http.notices import told
from tests.surfaces import packs
from tests.surfaces.http.workspace_server import workspace_server


def test_advice_for_the_operator_does_not_reach_users() -> None:
    async def shown() -> list[dict[str, str]]:
        async with workspace_server() as made:
            anna = await made.person("Anna")
            await anna.upload("keys.md", "# Keys\n\nTo rotate a key, call `rotate`.\n")
            await made.work()
            question = "how is a key rotated?"
            pack = (await anna.client.post("/v1/search", json={"question": question})).json()
            wanted = {"text": question, "preset": "local"}
            page = (await anna.client.post("/ui/api/ask", json=wanted)).json()
            answered = (await anna.client.post("/v1/answers", json={"question": question})).json()
            of_api = [
                {one["code"]: one["message"] for one in found["warnings"]}
                for found in (pack, answered)
            ]
            return [*of_api, dict(one.split(": ", 1) for one in page["warnings"])]

    pack, answered, page = asyncio.run(shown())
    assert answered["extractive"] == "the answer has sentences of the documents, word for word"
    assert "lexical_only" not in {**pack, **page}  # the operator chose that
    assert page["rerank_missing"] == "the results were not reranked"
    assert page["expansion_without_model"] == "the question was searched unchanged"
    words = " ".join(text for one in (pack, answered, page) for text in one.values())
    assert "pincite" not in words
    assert "[models]" not in words


@pytest.mark.parametrize("code", ["archive_unchecked", "file_unreadable", "source_gone"])
def test_users_are_not_told_where_files_of_the_server_are(code: str) -> None:
    (one,) = told(packs.pack(warnings=(Notice(code, "/srv/acme: gone"),)), "r1").warnings
    assert one.code == code
    assert "/srv" not in one.message


@pytest.mark.parametrize("code", ["lexical_only", "nothing_relevant", "url_required"])
def test_advice_of_a_search_stays_here(code: str) -> None:
    advice = "to see the nearest anyway: pincite search --all; give their source a URL rule"
    (one,) = told(packs.pack(warnings=(Notice(code, advice),)), "r1").warnings
    assert one.code == code
    assert not {"pincite", "rule"} & set(one.message.split())
