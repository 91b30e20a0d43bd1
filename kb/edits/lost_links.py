"""Links in a text that is to be written: refused where ``kb check`` would call them an error."""

from collections.abc import Iterable

from kb.checks.links import find_lost
from kb.edits.workspace import Ambiguous, NotFound, Workspace
from kb.model.names import stem_of
from kb.model.statement import Link
from kb.queries.resolve import guess_spellings


def check_links(workspace: Workspace, links: Iterable[Link], from_path: str) -> None:
    """Refuse links of a value, note or free text that lead nowhere or to several."""
    for link in links:
        target = find_lost(workspace.links, link, from_path)
        if target is None:
            continue
        if target.candidates:
            raise Ambiguous(
                f'"{link.target}" could be any of {", ".join(target.candidates)}',
                f"write [[{target.candidates[0]}|{link.target}]], say",
            )
        word = stem_of(link.target)
        near = guess_spellings(workspace.graph, word)
        meant = f"did you mean {' or '.join(near)}? Else write" if near else "write"
        raise NotFound(
            f'the text links to "{link.target}", and there is no "{word}"',
            f"{meant} it without a link, or in a code span: `…`",
        )
