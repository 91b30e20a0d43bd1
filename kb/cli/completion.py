"""What a word on the command line may become: ids, predicates, types, paths. Parses no file but ``kb.yaml``.

A shell asks with ``_KB_COMPLETE`` in the environment while somebody types: nothing here may print or fail.
"""

import os
import re
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from kb.model.vocabulary import Vocabulary

    Offer = Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]

#: The variable with which click's shell scripts ask.
VARIABLE = "_KB_COMPLETE"
#: Shells put a completion into the line as it is, so only words that mean nothing to a shell are offered.
_SAFE = r"\w[\w-]*"


def answer_shell(program: click.Command) -> int:
    """Print what the line may go on with, by click's protocol; nothing at all where anything fails."""
    with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):
        try:
            program.main(prog_name="kb", complete_var=VARIABLE, standalone_mode=False)
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else 1
        # The edge: whatever fails would stand in somebody's prompt.
        except (Exception, KeyboardInterrupt):
            return 1
    return 0


def _offers(find: Callable[[click.Context], Iterable[str]]) -> "Offer":
    """Make a callback for click of a function that finds the words there are."""

    def offer(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> "list[CompletionItem[str]]":
        from click.shell_completion import CompletionItem

        try:
            words = {word for word in find(context) if word.startswith(incomplete)}
        # The edge: no knowledge base, or one that cannot be read, has no words.
        except Exception:
            return []
        return [CompletionItem(word) for word in sorted(words) if re.fullmatch(_SAFE, word)]

    return offer


def _root(context: click.Context) -> str:
    from kb.store.root import find_root

    given = context.params.get("root") or context.find_root().params.get("root")
    return os.path.abspath(given) if given else find_root(".")


def _ids(root: str, folder: str) -> set[str]:
    """List the stems of a folder's files: what their ids are, or should be."""
    from kb.model.names import is_id, stem_of
    from kb.store.files import EntryKind, iter_entries

    stems = {
        stem_of(entry.path)
        for entry in iter_entries(root, folder)
        if entry.kind is EntryKind.FILE and entry.path.lower().endswith(".md")
    }
    return {stem for stem in stems if is_id(stem)}


def _entities(context: click.Context) -> set[str]:
    return _ids(_root(context), "entities")


def _observations(context: click.Context) -> set[str]:
    return _ids(_root(context), "observations")


def _pages(context: click.Context) -> set[str]:
    return _entities(context) | _observations(context)


def _predicates(context: click.Context) -> Iterable[str]:
    vocabulary = _vocabulary(context)
    for relation in vocabulary.relations.values():
        yield from (relation.name, *([relation.inverse] if relation.inverse else ()))
    yield from vocabulary.facts


def _types(context: click.Context) -> Iterable[str]:
    return _vocabulary(context).types


def _vocabulary(context: click.Context) -> "Vocabulary":
    from kb.store.files import read_bytes
    from kb.store.root import CONFIGURATION
    from kb.syntax.vocabulary_file import MAX_CONFIGURATION, read_configuration

    data = read_bytes(_root(context), CONFIGURATION, MAX_CONFIGURATION)
    return read_configuration(data or b"")[0].vocabulary


def _codes(context: click.Context) -> Iterable[str]:
    from kb.catalogue import CATALOGUE

    for entry in CATALOGUE.values():
        yield from (entry.code, entry.name)


offer_entities = _offers(_entities)
offer_observations = _offers(_observations)
offer_pages = _offers(_pages)
offer_predicates = _offers(_predicates)
offer_types = _offers(_types)
offer_codes = _offers(_codes)


def offer_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem[str]]":
    """Leave it to the shell to offer files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def offer_folders(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem[str]]":
    """Leave it to the shell to offer folders."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def offer_observations_and_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem[str]]":
    """Offer observations by id, files where none begins so."""
    return offer_observations(context, parameter, incomplete) or offer_files(
        context, parameter, incomplete
    )
