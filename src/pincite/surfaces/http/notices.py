"""Warnings for clients: they name the failed service, but neither its address nor the cause, and
contain no advice for the operator."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from pincite.model import Answer, EvidencePack, Notice
from pincite.support.fields import replace

log = logging.getLogger("pincite.http")

_NO_INDEX: Final = "index_missing"  # its message names the folder of the index
#: By code of a warning with advice for the operator: the message for users. The operator sees the
#: advice in `pincite status`, `pincite search` and `pincite ui`.
_ADVICE: Final = {
    "archive_unchecked": "the passages of an archive were not compared with it",
    "calibration_of_another_reranker": "the verdict was not calibrated with this reranker",
    "dense_only": "the documents were searched semantically only",
    "expansion_without_model": "the question was searched unchanged",
    _NO_INDEX: "no indexed document is accessible",
    "extractive": "the answer has sentences of the documents, word for word",
    "file_unreadable": "the passages of a file were not compared with it",
    "lexical_only": "the documents were searched by keywords only",
    "no_documents": "no document is indexed yet",
    "nothing_relevant": "nothing relevant was found",
    "partly_encoded": "some passages are found by keyword search only, so far",
    "source_gone": "passages of files that are not available were not compared with them",
    "unfinished": "some documents are not indexed yet",
    "rerank_missing": "the results were not reranked",
    "rerank_text_cut": "the reranker read only the beginning of long passages",
    "url_missing": "some results have no address",
    "url_required": "documents without an address were left out",
}
_INSIDE: Final = ("_unavailable", "_failed", "_not_answering", "_limited")


def told(pack: EvidencePack, request_id: str) -> EvidencePack:
    """Return the pack with warnings that reveal nothing about the server; the originals are
    logged."""
    verdict = pack.verdict
    if any(one.code == _NO_INDEX for one in pack.warnings):
        verdict = replace(verdict, reason=_ADVICE[_NO_INDEX])
    return replace(pack, verdict=verdict, warnings=_told(pack.warnings, request_id), debug={})


def told_answer(answer: Answer, request_id: str) -> Answer:
    """Return an answer with such warnings."""
    return replace(
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
        elif one.code in _ADVICE:
            one = replace(one, message=_ADVICE[one.code])
        found.append(one)
    return tuple(found)
