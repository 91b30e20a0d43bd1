"""The writing commands: each one edit, and what it changed."""

import time

import click

from kb.cli.completion import offer_files, offer_folders, offer_observations_and_files
from kb.cli.filled import Filled
from kb.cli.options import load_here, paths_in_root, root_option
from kb.errors import ExitCode


@click.command("fmt", cls=Filled)
@click.argument("paths", nargs=-1, metavar="[PATH]…", shell_complete=offer_files)
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; show the changes and exit with 1 if there are any.",
)
@root_option
def fmt_command(paths: tuple[str, ...], check: bool, root: str | None) -> int:
    """Write into entity files what tools derive: statement ids, footnote definitions, fresh links.

    The smallest edits that do it; no line is moved, and a file that does not parse is left alone.

    \b
    kb fmt
    kb fmt entities/person/dana-reyes.md
    kb fmt --check
    """
    from kb.edits.format_files import format_files
    from kb.render.edits import render_formatting

    base = load_here(root)
    done = format_files(base, paths_in_root(base.root, paths), check=check)
    shown, summary = render_formatting(done)
    click.echo(shown, nl=False)
    click.echo(summary, err=True)
    return ExitCode.REFUSED if done.skipped or (check and done.changed) else ExitCode.ANSWERED


@click.command("seal", cls=Filled)
@click.argument("files", nargs=-1, metavar="[FILE]…", shell_complete=offer_observations_and_files)
@root_option
def seal_command(files: tuple[str, ...], root: str | None) -> int:
    """Seal observations written by hand: all that have no seal, or those named by path or id.

    A seal is the digest of the text. Once it is there, 'kb check' notices every change. A broken seal is never renewed.

    \b
    kb seal
    kb seal 2026-01-15-offsite
    """
    import os

    from kb.edits.seal_observations import seal_observations
    from kb.render.edits import render_sealing

    base = load_here(root)
    known = {observation.id for observation in base.corpus.observations}
    named = tuple(
        file
        if file in known and not os.path.lexists(file)
        else paths_in_root(base.root, (file,))[0]
        for file in files
    )
    done = seal_observations(base, named)
    shown, summary = render_sealing(done)
    click.echo(shown, nl=False)
    click.echo(summary, err=True)
    return ExitCode.REFUSED if done.refused else ExitCode.ANSWERED


@click.command("init", cls=Filled)
@click.argument("folder", default=".", metavar="[DIR]", shell_complete=offer_folders)
@click.option("--name", default="", help="The knowledge base's name. [default: the folder's]")
@click.option("--git", "with_git", is_flag=True, help="Also make a git repository.")
def init_command(folder: str, name: str, with_git: bool) -> None:
    """Make a new knowledge base: kb.yaml, its folders, and a first entity and observation to look at.

    What is there already is kept.

    \b
    kb init notes
    kb init --git --name "Northpeak"
    """
    from kb.edits.init_knowledge_base import init_knowledge_base
    from kb.render.edits import render_new

    shown, summary = render_new(
        init_knowledge_base(folder, now=int(time.time()), name=name, with_git=with_git)
    )
    click.echo(shown, nl=False)
    click.echo(summary, err=True)
