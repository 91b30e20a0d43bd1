"""``completion``: the script that teaches a shell to complete ``kb``."""

import click

from kb.cli.filled import Filled


@click.command("completion", cls=Filled)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the script that lets a shell complete commands, options, ids and predicates.

    In bash 4.4 or newer, for this shell; the same line in ~/.bashrc is for all:

    \b
    source <(kb completion bash)

    In zsh; in ~/.zshrc the line stands below 'compinit':

    \b
    source <(kb completion zsh)

    In fish, once for all:

    \b
    kb completion fish > ~/.config/fish/completions/kb.fish

    'kb' must be on the PATH: 'python3 tools/kb' is not completed.
    """
    from click.shell_completion import get_completion_class

    from kb.cli.completion import VARIABLE
    from kb.cli.program import program

    script = get_completion_class(shell)
    assert script is not None
    # The template alone: click's own way would first start a bash to ask for its version.
    words = script(program, {}, "kb", VARIABLE)
    click.echo(words.source_template % words.source_vars(), nl=False)
