"""Warnings as clients see them: which service failed, not at which address and why."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import msgspec

from pincite.model import Answer, EvidencePack, Notice

log = logging.getLogger("pincite.http")

_INSIDE: Final = ("_unavailable", "_failed", "_not_answering", "_limited")


def told(pack: EvidencePack, request_id: str) -> EvidencePack:
    """The pack with warnings that tell nothing of the server; what they said is logged."""
    return replace(pack, warnings=_told(pack.warnings, request_id), debug={})


def told_answer(answer: Answer, request_id: str) -> Answer:
    """The same of an answer."""
    return msgspec.structs.replace(
        answer,
        warnings=_told(answer.warnings, request_id),
        evidence=told(answer.evidence, request_id),
    )


def _told(notices: Iterable[Notice], request_id: str) -> tuple[Notice, ...]:
    found = []
    for one in notices:
        if one.code.endswith(_INSIDE):
            log.warning("%s %s: %s", request_id, one.code, one.message)
            what = one.code.replace("_", " ")
            one = replace(one, message=f"{what}; the server's log says more under {request_id}")
        found.append(one)
    return tuple(found)
