"""The data model: frozen values that stages pass to each other.

These modules do no input or output, and import only `errors` and `support` from the package.
Line numbers are 1-based and inclusive. Character offsets are 0-based and half open. Both always
refer to the decoded file on disk.

Names are imported when they are first used: a daemon needs a third of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.support.late_names import late_names

if TYPE_CHECKING:
    from pincite.model.answers import (
        Answer,
        AnswerEvent,
        AnswerKind,
        AnswerPiece,
        AnswerSource,
        Asked,
        ChatMode,
        Doubt,
        Doubtful,
        Fact,
        Turn,
    )
    from pincite.model.attribute_types import Attributes, AttributeType, AttributeValue
    from pincite.model.catalog import (
        LEXICAL,
        CollectionSpec,
        DocumentRecord,
        IndexedDocument,
        SourceRecord,
    )
    from pincite.model.chunks import Chunk, OnPage, Section
    from pincite.model.documents import (
        PAGE_UNITS,
        AnchorStyle,
        Box,
        CitedIn,
        Document,
        Element,
        ElementKind,
        PageSpan,
        PageUnit,
        Source,
        SourceKind,
        SourceType,
    )
    from pincite.model.evidence import (
        Compared,
        Confidence,
        Context,
        Evidence,
        Match,
        Omitted,
        Truth,
    )
    from pincite.model.pack import EvidencePack, Exchange, Plan
    from pincite.model.points import Matrix, Point, SparseVector, TermCounts, Vector
    from pincite.model.records import ExtractedRecord, KeptRecord, Layout, Record, RecordPage
    from pincite.model.retrieval import (
        RANKING_SIGNALS,
        Asks,
        Candidate,
        Chosen,
        Corpus,
        Drop,
        Expansion,
        Fused,
        Hit,
        Notice,
        Pass,
        PlacedPath,
        Pool,
        Query,
        Question,
        Ranking,
        Scope,
        Signal,
        SignalKind,
        SignalName,
        SubQueryKind,
        TaskMode,
    )
    from pincite.model.verdict import AbsentTerms, Gated, ThresholdOrigin, Verdict, VerdictLevel

if not TYPE_CHECKING:  # type checkers would take it for any name
    __getattr__ = late_names(
        __name__,
        {
            "pincite.model.answers": (
                "Answer AnswerEvent AnswerKind AnswerPiece AnswerSource Asked ChatMode Doubt "
                "Doubtful Fact Turn"
            ),
            "pincite.model.attribute_types": "Attributes AttributeType AttributeValue",
            "pincite.model.catalog": (
                "LEXICAL CollectionSpec DocumentRecord IndexedDocument SourceRecord"
            ),
            "pincite.model.chunks": "Chunk OnPage Section",
            "pincite.model.documents": (
                "PAGE_UNITS AnchorStyle Box CitedIn Document Element ElementKind PageSpan "
                "PageUnit Source SourceKind SourceType"
            ),
            "pincite.model.evidence": "Compared Confidence Context Evidence Match Omitted Truth",
            "pincite.model.pack": "EvidencePack Exchange Plan",
            "pincite.model.points": "Matrix Point SparseVector TermCounts Vector",
            "pincite.model.records": "ExtractedRecord KeptRecord Layout Record RecordPage",
            "pincite.model.retrieval": (
                "RANKING_SIGNALS Asks Candidate Chosen Corpus Drop Expansion Fused Hit Notice "
                "Pass PlacedPath Pool Query Question Ranking Scope Signal SignalKind SignalName "
                "SubQueryKind TaskMode"
            ),
            "pincite.model.verdict": "AbsentTerms Gated ThresholdOrigin Verdict VerdictLevel",
        },
    )

__all__ = [
    "LEXICAL",
    "PAGE_UNITS",
    "RANKING_SIGNALS",
    "AbsentTerms",
    "AnchorStyle",
    "Answer",
    "AnswerEvent",
    "AnswerKind",
    "AnswerPiece",
    "AnswerSource",
    "Asked",
    "Asks",
    "AttributeType",
    "AttributeValue",
    "Attributes",
    "Box",
    "Candidate",
    "ChatMode",
    "Chosen",
    "Chunk",
    "CitedIn",
    "CollectionSpec",
    "Compared",
    "Confidence",
    "Context",
    "Corpus",
    "Document",
    "DocumentRecord",
    "Doubt",
    "Doubtful",
    "Drop",
    "Element",
    "ElementKind",
    "Evidence",
    "EvidencePack",
    "Exchange",
    "Expansion",
    "ExtractedRecord",
    "Fact",
    "Fused",
    "Gated",
    "Hit",
    "IndexedDocument",
    "KeptRecord",
    "Layout",
    "Match",
    "Matrix",
    "Notice",
    "Omitted",
    "OnPage",
    "PageSpan",
    "PageUnit",
    "Pass",
    "PlacedPath",
    "Plan",
    "Point",
    "Pool",
    "Query",
    "Question",
    "Ranking",
    "Record",
    "RecordPage",
    "Scope",
    "Section",
    "Signal",
    "SignalKind",
    "SignalName",
    "Source",
    "SourceKind",
    "SourceRecord",
    "SourceType",
    "SparseVector",
    "SubQueryKind",
    "TaskMode",
    "TermCounts",
    "ThresholdOrigin",
    "Truth",
    "Turn",
    "Vector",
    "Verdict",
    "VerdictLevel",
]
