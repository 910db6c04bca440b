"""Warnings for clients: they name the failed service, but neither its address nor the cause."""

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
    """Return the pack with warnings that reveal nothing about the server; the originals are
    logged."""
    return replace(pack, warnings=_told(pack.warnings, request_id), debug={})


def told_answer(answer: Answer, request_id: str) -> Answer:
    """Return an answer with such warnings."""
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
