"""Find passages that call, import, read or otherwise use a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.model import Candidate, Chunk
from pincite.questions.relations import Relation
from pincite.stages.rank_code.paths import place_of
from pincite.stages.rank_code.use_lines import (
    ImportPatterns,
    NamePatterns,
    Use,
    best_uses,
    defines,
)


def using(relation: Relation, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the passages of code that use a name, in this order: code before examples and tests,
    unless tests are asked for; passages with the owner of the name (`Store` of `Store.get`) before
    others; the sought kind of use before others; passages that do not define the name before those
    that do; then as they were.

    Calls are sought if callers are asked for, imports and reads likewise. The uses of a name that
    is imported and that no candidate defines are its imports. If no candidate has a use in its
    code, imports and comments count. A name that may be a word of a topic must be defined by a
    candidate, or be imported by one.
    """
    patterns, imports = NamePatterns(relation), ImportPatterns(relation.written)
    code = [one for one in candidates if one.chunk.source_type == "code"]
    is_defined = any(defines(one.chunk.definitions, relation) for one in code)
    found: list[tuple[Use | None, Use | None, Candidate]] = []
    is_imported = False
    for one in code:
        if imports.path.search(one.chunk.text) is None and not patterns.word.search(one.chunk.text):
            continue
        of_import, of_code = best_uses(one.chunk, patterns, imports)
        is_imported |= of_import is Use.SOUGHT
        found.append((of_import, of_code, one))
    if not (relation.certain or is_defined or is_imported):
        return []
    by_import = relation.kind == "imported"
    is_foreign = relation.kind == "used" and is_imported and not is_defined
    uses: list[tuple[Use, Candidate]] = []
    for of_import, of_code, one in found:
        use = of_import if by_import or (is_foreign and of_import is not None) else of_code
        if use is not None:
            lower = is_foreign and of_import is None and use is Use.SOUGHT
            uses.append((Use.OTHER if lower else use, one))
    strong = [(use, one) for use, one in uses if use < Use.WEAK] or uses
    owner = re.compile(rf"(?<![a-z0-9]){re.escape(relation.owner)}", re.IGNORECASE)
    keyed = [
        (
            place_rank(one.chunk, tests=relation.tests),
            bool(relation.owner) and not owner.search(one.chunk.text),
            use,
            relation.kind != "read" and defines(one.chunk.symbols, relation),
            place,
        )
        for place, (use, one) in enumerate(strong)
    ]
    return [strong[key[-1]][1] for key in sorted(keyed)]


def place_rank(chunk: Chunk, *, tests: bool) -> int:
    """Return the place of a passage by its path: code, examples, tests; tests first if they are
    asked for."""
    rank = {"": 0, "minor": 1, "tests": 2}[place_of(chunk.path)]
    return 2 - rank if tests else rank
