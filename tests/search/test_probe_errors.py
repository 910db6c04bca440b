"""An error of the probe is raised again for the texts that it concerns, and for no others."""

from __future__ import annotations

import asyncio

import pytest

from pincite.errors import (
    AuthError,
    BadResponse,
    FingerprintMismatch,
    Gone,
    Invalid,
    ModelUnavailable,
    PinciteError,
    RateLimited,
    TooLarge,
    Unavailable,
)
from pincite.model import EvidencePack, Vector
from pincite.profile import Profile
from pincite.support.fields import replace
from tests.small_search import TEXTS, TopicEncoder, ask, make

QUESTION = "how do I rotate a key with a new secret"
VEC, HYDE = "invoices of a month", "Backups run every night."


class Refusing(TopicEncoder):
    """Raises the error for the first text, and keeps all texts."""

    def __init__(self, error: PinciteError) -> None:
        super().__init__()
        self.error = error
        self.texts: list[str] = []

    async def embed_query(self, text: str) -> Vector:
        self.texts.append(text)
        if len(self.texts) == 1:
            raise self.error
        return await super().embed_query(text)


def asked(dense: TopicEncoder, *subqueries: str) -> EvidencePack:
    made = asyncio.run(make(TopicEncoder(), TEXTS))
    profile = Profile()
    profile = replace(profile, probe=replace(profile.probe, enabled=True))
    return ask(QUESTION, replace(made, dense=dense), profile=profile, subqueries=subqueries)


@pytest.mark.parametrize(
    "error",
    [
        TooLarge("the text has 900 tokens, and the model takes 512"),
        Invalid("the text is refused"),
        BadResponse("the service sent 3 numbers"),
        RateLimited("too many tokens a minute"),
    ],
)
def test_other_texts_are_embedded_if_the_question_was_refused(error: PinciteError) -> None:
    refusing = Refusing(error)
    pack = asked(refusing, f"vec: {VEC}", f"hyde: {HYDE}")
    assert refusing.texts == [QUESTION, VEC, HYDE]
    codes = [one.code for one in pack.warnings]
    assert "dense_unavailable" in codes
    assert "subquery_unavailable" not in codes
    assert {one.path for one in pack.evidence} == {"keys", "billing", "backups"}


@pytest.mark.parametrize(
    "error",
    [
        AuthError("the key is wrong"),
        Gone("there is no such model"),
        ModelUnavailable("the weights are gone"),
        Unavailable("the service does not answer"),
        FingerprintMismatch("the vectors are of another model"),
    ],
)
def test_no_text_is_sent_to_a_model_that_is_unavailable(error: PinciteError) -> None:
    refusing = Refusing(error)
    pack = asked(refusing, f"vec: {VEC}", f"hyde: {HYDE}")
    assert refusing.texts == [QUESTION]
    told = [one.message for one in pack.warnings if one.code == "subquery_unavailable"]
    assert len(told) == 2
    assert all(error.message in one for one in told)
    assert pack.evidence[0].path == "keys"
