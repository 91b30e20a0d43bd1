"""Blank arguments and options, of every command there is: wrong usage that is named, and never taken as not given."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kb.cli.filled import Filled
from kb.cli.program import COMMANDS, program

#: Where a blank text says something: a field of one's own may be empty.
MEANT = {("set", "values")}


def walk(group: click.Group, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield all commands with what is typed for them."""
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None
        if isinstance(command, click.Group):
            yield from walk(command, f"{word} ")
        else:
            yield f"{name}{word}", command


def takes_text(parameter: click.Parameter) -> bool:
    """Say whether any text may stand there."""
    is_flag = isinstance(parameter, click.Option) and parameter.is_flag
    return not is_flag and isinstance(parameter.type, click.types.StringParamType)


CASES = [
    (name, str(parameter.name))
    for name, command in walk(program)
    for parameter in command.params
    if takes_text(parameter) and (name, parameter.name) not in MEANT
]


def typed(command: click.Command, blank: str, text: str) -> list[str]:
    """Give arguments that fill whatever must be given, and the one parameter with a text."""
    words = []
    for parameter in command.params:
        if parameter.name == blank:
            given = text
        elif not parameter.required and not isinstance(parameter, click.Argument):
            continue
        elif isinstance(parameter.type, click.Choice):
            given = str(parameter.type.choices[0])
        else:
            given = __file__
        is_option = isinstance(parameter, click.Option)
        words += [parameter.opts[-1], given] if is_option else [given]
    return words


@pytest.mark.parametrize("name, blank", CASES)
def test_a_blank_text_is_wrong_usage(
    name: str, blank: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a text is taken, an empty one ends with 2, names the parameter, and nothing is done."""
    command = dict(walk(program))[name]
    parameter = next(one for one in command.params if one.name == blank)
    monkeypatch.chdir(tmp_path)
    for text in ("", "  "):
        result = CliRunner().invoke(program, [*name.split(), *typed(command, blank, text)])
        assert result.exit_code == 2, result.output
        shown = parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.metavar
        assert "it is empty" in result.output
        assert (shown or blank).upper() in result.output.upper()
    assert not list(tmp_path.iterdir())


def test_what_may_be_blank_is_listed() -> None:
    """Every command refuses blank texts by the one rule; which parameters may be blank stands in a list."""
    commands = dict(walk(program))
    assert all(isinstance(command, Filled) for command in (program, *commands.values()))
    assert len(commands) >= len(COMMANDS)
    meant = {
        (name, parameter)
        for name, command in commands.items()
        if isinstance(command, Filled)
        for parameter in command.may_be_blank
    }
    assert meant == MEANT


def test_a_blank_root_is_wrong_usage() -> None:
    """The program's own option is no other."""
    result = CliRunner().invoke(program, ["--root", "", "stats"])
    assert (result.exit_code, "'--root': it is empty" in result.output) == (2, True)
