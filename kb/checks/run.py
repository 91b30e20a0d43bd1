"""All rules in a row: the files' own findings and those about how the files fit together."""

import os
from collections.abc import Callable, Iterable, Iterator

from kb.catalogue import CATALOGUE
from kb.checks import (
    causes,
    citations,
    contested,
    decisions,
    hierarchy,
    identity,
    keys,
    links,
    names,
    observations,
    predicates,
    quotes,
    seals,
    statement_ids,
    types,
    values,
)
from kb.checks.material import Material
from kb.diagnostics import Diagnostic, Severity, sort_diagnostics
from kb.errors import UsageError
from kb.knowledge_base import KnowledgeBase
from kb.store.layout import is_within

Rule = Callable[[Material], Iterable[Diagnostic]]

#: Every rule; each looks at the whole material, so their order means nothing.
RULES: tuple[Rule, ...] = (
    types.check_entity_types,
    types.check_admitted_types,
    predicates.check_predicates,
    predicates.check_required_notes,
    keys.check_key_kinds,
    keys.check_fit_of_keys,
    values.check_value_kinds,
    contested.check_contested_values,
    causes.check_hypotheses,
    causes.check_established_causes,
    hierarchy.check_self_relations,
    hierarchy.check_cycles,
    links.check_object_links,
    links.check_mentioned_links,
    identity.check_duplicate_ids,
    identity.check_ids_of_both,
    identity.check_shared_keys,
    identity.check_redirects,
    names.check_shared_names,
    names.check_aliases,
    statement_ids.check_duplicate_statement_ids,
    statement_ids.check_successors,
    statement_ids.check_speakers,
    citations.check_uncited,
    citations.check_missing_observations,
    quotes.check_quotes,
    seals.check_seals,
    seals.check_sealed_history,
    observations.check_kinds,
    observations.check_derivations,
    decisions.check_decisions,
)


def check_knowledge_base(
    base: KnowledgeBase,
    paths: tuple[str, ...] = (),
    git: bool = True,
    strict: bool | None = None,
) -> tuple[Diagnostic, ...]:
    """Check all files against all rules.

    With ``paths`` (files or folders as ``is_within`` compares them) only findings that name one of them are
    given, be it as their place or as a related one; everything is looked at all the same. ``git`` allows a look at
    the last commit; ``strict`` overrides the setting of ``kb.yaml``.
    """
    for path in paths:
        if not os.path.lexists(os.path.join(base.root, path)):
            raise UsageError(
                f"there is no {path} in the knowledge base", "give a path under its root"
            )
    material = Material(base, git)
    found = [*base.corpus.diagnostics]
    for rule in RULES:
        found += rule(material)
    if base.settings.strict if strict is None else strict:
        found = [raise_strictly(finding) for finding in found]
    return sort_diagnostics(
        finding for finding in found if not paths or _names_one_of(finding, paths)
    )


def raise_strictly(finding: Diagnostic) -> Diagnostic:
    """Make a warning an error where the catalogue says that ``strict`` does."""
    if CATALOGUE[finding.code].strict:
        return finding._replace(severity=Severity.ERROR)
    return finding


def _names_one_of(finding: Diagnostic, wanted: tuple[str, ...]) -> bool:
    return any(is_within(path, folder) for path in _iter_paths(finding) for folder in wanted)


def _iter_paths(finding: Diagnostic) -> Iterator[str]:
    yield finding.path
    for path, _ in finding.related:
        yield path
