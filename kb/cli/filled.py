"""Commands of which every argument and option says something: a blank text is wrong usage, and never taken as not given."""

from typing import Any

import click
from click.core import ParameterSource


class Filled(click.Command):
    """What commands and groups share: it refuses blank texts, but of the parameters named in ``may_be_blank``."""

    def __init__(self, *arguments: Any, may_be_blank: tuple[str, ...] = (), **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.may_be_blank = may_be_blank

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            for parameter in self.params:
                self._refuse_blank(ctx, parameter)
        return rest

    def _refuse_blank(self, ctx: click.Context, parameter: click.Parameter) -> None:
        name = str(parameter.name)
        if name in self.may_be_blank:
            return
        if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            return
        given = ctx.params.get(name)
        texts = given if isinstance(given, tuple) else (given,)
        if any(isinstance(text, str) and not text.strip() for text in texts):
            raise click.BadParameter("it is empty.", ctx, parameter)
