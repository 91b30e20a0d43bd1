"""Statement ids that stand twice, and references to statements and speakers that do not exist."""

import re
from collections import Counter
from collections.abc import Iterator

from kb.checks.guesses import did_you_mean
from kb.checks.material import Material
from kb.checks.places import id_place, qualifier_place
from kb.diagnostics import Diagnostic
from kb.graph.drafts import Draft


def check_duplicate_statement_ids(material: Material) -> Iterator[Diagnostic]:
    """Find lines whose id another line of the file keeps."""
    for path, drafts in material.resolution.drafts.items():
        for draft in drafts:
            id = draft.line.id
            if id is None or id == draft.id:
                continue
            keeper = next(other for other in drafts if other.id == id)
            span = material.span(path, id_place(draft))
            kept = material.span(path, id_place(keeper))
            message = f"^{id} is the id of the statement in line {kept.line}"
            yield material.finding("KB317", path, span, message, related=((path, kept),))


def check_successors(material: Material) -> Iterator[Diagnostic]:
    """Find 'superseded by' that names no statement: one of the same file, or one whose id is unique."""
    counts = Counter(draft.id for draft in material.iter_drafts())
    for drafts in material.resolution.drafts.values():
        ids = {draft.id for draft in drafts}
        for draft in drafts:
            wanted = draft.line.superseded_by
            is_known = wanted in ids or counts[wanted or ""] == 1
            if wanted is not None and (wanted == draft.id or not is_known):
                yield _unknown_successor(material, draft, wanted, ids, counts[wanted])


def _unknown_successor(
    material: Material, draft: Draft, wanted: str, ids: set[str], count: int
) -> Diagnostic:
    if wanted == draft.id:
        message, hint = "a statement cannot supersede itself", ""
    elif count:
        message, hint = f"^{wanted} is the id of {count} statements in other files", ""
    else:
        message, hint = f"no statement ^{wanted}", did_you_mean(wanted, sorted(ids - {draft.id}))
    place = qualifier_place(draft, rf"superseded\s+by\s+(\^{re.escape(wanted)})(?![\w-])")
    return material.finding(
        "KB318", draft.file.path, material.span(draft.file.path, place), message, hint
    )


def check_speakers(material: Material) -> Iterator[Diagnostic]:
    """Find 'by' that names no entity."""
    for draft in material.iter_drafts():
        by = draft.line.by
        if by is not None and not material.exists(by) and by not in material.unread_stems:
            place = qualifier_place(draft, rf"(?<![\w-])by\s+({re.escape(by)})(?![\w-])")
            span = material.span(draft.file.path, place)
            hint = did_you_mean(by, material.entity_ids)
            yield material.finding("KB319", draft.file.path, span, f'no entity "{by}"', hint)
