"""``check`` and ``explain``: findings on standard output, their count on standard error."""

import click

from kb.cli.completion import offer_codes, offer_files
from kb.cli.filled import Filled
from kb.cli.options import load_here, paths_in_root, root_option
from kb.diagnostics import Severity
from kb.errors import ExitCode
from kb.render.diagnostics import DIAGNOSTIC_FORMATS, render_diagnostics, render_summary


@click.command("check", cls=Filled)
@click.argument("paths", nargs=-1, metavar="[PATH]…", shell_complete=offer_files)
@click.option(
    "--format",
    "format",
    type=click.Choice(DIAGNOSTIC_FORMATS),
    default="text",
    show_default=True,
    help="text: a line each; full: with the place in the file; json: for programs; sarif: for code scanning; "
    "github: annotations of a pull request; gcc: for editors.",
)
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.option(
    "--strict/--no-strict",
    default=None,
    help="Unknown words, missing citations and shared keys are errors.",
)
@root_option
def check_command(
    paths: tuple[str, ...], format: str, as_json: bool, strict: bool | None, root: str | None
) -> int:
    """Find what is wrong in the files: all of them, or only what concerns the paths given.

    Exits with 1 if there is an error; warnings alone exit with 0. 'kb explain CODE' says more about a finding.

    \b
    kb check
    kb check entities/person --format full
    kb check --strict --json
    kb check --format sarif > kb.sarif
    """
    from kb.checks import check_knowledge_base
    from kb.load import without_collection

    base = load_here(root)
    with without_collection():
        findings = check_knowledge_base(base, paths_in_root(base.root, paths), strict=strict)
    chosen = "json" if as_json else format
    click.echo(render_diagnostics(findings, chosen, base.corpus.texts), nl=False)
    click.echo(
        render_summary(findings, len(base.corpus.entities), len(base.corpus.observations)), err=True
    )
    has_error = any(finding.severity is Severity.ERROR for finding in findings)
    return ExitCode.REFUSED if has_error else ExitCode.ANSWERED


@click.command("explain", cls=Filled)
@click.argument("code", shell_complete=offer_codes)
def explain_command(code: str) -> None:
    """Explain a diagnostic: what is wrong, an example, what to do.

    \b
    kb explain KB301
    kb explain dangling-link
    """
    from kb.render.diagnostics import render_explanation

    click.echo(render_explanation(code), nl=False)
