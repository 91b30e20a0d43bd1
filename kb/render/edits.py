"""What edits changed → text: the answer for standard output, and a summary for standard error."""

from kb.edits.format_files import FormattedFile, Formatting
from kb.edits.init_knowledge_base import NewKnowledgeBase
from kb.edits.records import Import, Tally
from kb.edits.results import SkippedFile
from kb.edits.seal_observations import Sealing
from kb.render.counts import format_count
from kb.render.terminal import escape_terminal

Rendered = tuple[str, str]

#: Reported problems that a text shows; JSON has all.
_MOST_PROBLEMS = 50


def render_formatting(done: Formatting) -> Rendered:
    """Show each changed file: as a diff where nothing was written."""
    if done.is_written:
        lines = [f"{file.path}: {_counts(file)}" for file in done.changed]
    else:
        lines = [line for file in done.changed for line in file.diff.splitlines()]
    lines += _skipped(done.skipped)
    verb = "formatted" if done.is_written else "would change"
    return (
        _text(lines),
        f"{format_count(len(done.changed), 'file')} {verb}, {done.unchanged} unchanged, {len(done.skipped)} left alone",
    )


def _counts(file: FormattedFile) -> str:
    counts = (
        (file.ids_minted, "statement id", "written"),
        (file.ids_reminted, "duplicate id", "minted anew"),
        (file.links_mended, "link", "mended"),
        (file.links_pinned, "name", "pinned to its id"),
        (file.footnotes_added, "footnote", "added"),
        (file.footnotes_mended, "footnote", "mended"),
        (file.footnotes_removed, "footnote", "removed"),
    )
    return ", ".join(f"{format_count(count, noun)} {done}" for count, noun, done in counts if count)


def render_sealing(done: Sealing) -> Rendered:
    """Show each sealed and refused file."""
    lines = [f"sealed {path}" for path in done.sealed] + _skipped(done.refused)
    return _text(
        lines
    ), f"{len(done.sealed)} sealed, {len(done.already)} already, {len(done.refused)} refused"


def render_new(done: NewKnowledgeBase) -> Rendered:
    """Show what was made, and what to do next."""
    lines = [f"made {path}" for path in done.made] + [f"kept {path}" for path in done.kept]
    root = escape_terminal(done.root)
    summary = f"a knowledge base in {root}; look at it with: kb stats, kb check"
    if not done.is_in_git:
        summary += (
            "\nit is in no git repository, which would keep its history: git init, in that folder"
        )
    return _text(lines), summary


def render_import(done: Import, file: str) -> Rendered:
    """Show counts, what could not be kept, and the words that are lacking."""
    lines = [
        f"entities      {_tally(done.entities)}",
        f"observations  {_tally(done.observations)}",
        f"relations     {_tally(done.relations)}",
        f"facts         {_tally(done.facts)}",
    ]
    if done.identical:
        lines.append(f"{format_count(done.identical, 'record')} repeated what another one says")
    if done.unresolved:
        lines.append(
            f"{format_count(done.unresolved, 'statement')} not written: an end is not there"
        )
    lines += [f"{file}:{one.line}: {one.message}" for one in done.problems[:_MOST_PROBLEMS]]
    left = len(done.problems) - _MOST_PROBLEMS
    if left > 0:
        lines.append(f"… {left} more (--json lists all)")
    if done.words:
        lines.append(
            "words added to kb.yaml:"
            if done.words_added
            else "words that the vocabulary lacks (--add-words):"
        )
        lines += [f"  {word.table}: {word.name}: {word.form}" for word in done.words]
    verb = "written" if done.is_written else "would be written"
    total = len(done.made) + len(done.changed)
    summary = f"{format_count(total, 'file')} {verb}, {len(done.problems)} reported"
    return _text(lines), f"{summary}, {done.lost} not kept" if done.lost else summary


def import_as_json(done: Import) -> str:
    """Give the outcome of an import as JSON, every reported line included."""
    from json import dumps

    counts = {
        name: {"made": tally.made, "already": tally.there}
        for name, tally in (
            ("entities", done.entities),
            ("observations", done.observations),
            ("relations", done.relations),
            ("facts", done.facts),
        )
    }
    outcome = {
        **counts,
        "identical": done.identical,
        "unresolved": done.unresolved,
        "problems": [{"line": one.line, "message": one.message} for one in done.problems],
        "lost": done.lost,
        "words": [
            {"table": word.table, "name": word.name, "form": word.form} for word in done.words
        ],
        "words_added": done.words_added,
        "made": list(done.made),
        "changed": list(done.changed),
        "written": done.is_written,
    }
    return dumps(outcome, ensure_ascii=False, indent=2)


def _tally(tally: Tally) -> str:
    return f"{tally.made} made" + (f", {tally.there} there already" if tally.there else "")


def _skipped(files: tuple[SkippedFile, ...]) -> list[str]:
    return [f"left alone {file.path}: {file.reason}" for file in files]


def _text(lines: list[str]) -> str:
    return "".join(f"{escape_terminal(line)}\n" for line in lines)
