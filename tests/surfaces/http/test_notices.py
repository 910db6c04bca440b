"""What clients are told of warnings that are for the operator."""

from __future__ import annotations

import asyncio

from tests.surfaces.http.desks import office


def test_advice_for_the_operator_does_not_reach_users() -> None:
    async def told() -> list[dict[str, str]]:
        async with office() as made:
            anna = await made.person("Anna")
            await anna.upload("keys.md", "# Keys\n\nTo rotate a key, call `rotate`.\n")
            await made.work()
            question = "how is a key rotated?"
            pack = (await anna.client.post("/v1/search", json={"question": question})).json()
            shown = {"text": question, "preset": "local"}
            page = (await anna.client.post("/ui/api/ask", json=shown)).json()
            said = {one["code"]: one["message"] for one in pack["warnings"]}
            return [said, dict(one.split(": ", 1) for one in page["warnings"])]

    pack, page = asyncio.run(told())
    assert pack["lexical_only"] == "the documents were searched by keywords only"
    assert page["lexical_only"] == pack["lexical_only"]
    assert page["rerank_missing"] == "the results were not reranked"
    assert page["expansion_without_model"] == "the question was searched unchanged"
    words = " ".join((*pack.values(), *page.values()))
    assert "pincite" not in words
    assert "[models]" not in words
