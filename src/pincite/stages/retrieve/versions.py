"""The search for versions: find passages that have the version that a question is about."""

from __future__ import annotations

from pincite.ports import SearchRequest, Text
from pincite.questions.versions import AskedVersions
from pincite.support.fields import replace

_VERSIONS = 2  # of one question; guess, unmeasured
_MOST = 30  # hits of each side for one version; the title of a changelog may have it, too


def with_versions(request: SearchRequest, asked: AskedVersions) -> list[SearchRequest]:
    """Return the same request for the passages that have each of the versions, as the question
    writes it, up to `_MOST` of each side. Empty for a question that is not about versions."""
    if not asked.about:
        return []
    return [
        replace(
            request,
            dense_limit=_MOST,
            sparse_limit=_MOST,
            fusion_limit=_MOST,
            filter=replace(request.filter, must=(*request.filter.must, Text("text", version))),
        )
        for version in asked.said[:_VERSIONS]
    ]
