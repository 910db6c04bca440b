"""The search for versions: find passages that have the version that a question is about."""

from __future__ import annotations

from pincite.ports import SearchRequest, Text
from pincite.questions.versions import AskedVersions

_VERSIONS = 2  # of one question; guess, unmeasured
_MOST = 30  # hits of each side for one version; the title of a changelog may have it, too


def with_versions(request: SearchRequest, asked: AskedVersions) -> list[SearchRequest]:
    """Return the same request for the passages that have each of the versions, as the question
    writes it, up to `_MOST` of each side. Empty for a question that is not about versions."""
    if not asked.about:
        return []
    versions = asked.said[:_VERSIONS]
    return [request.only(Text("text", version), most=_MOST) for version in versions]
