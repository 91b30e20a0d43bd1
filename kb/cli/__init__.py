"""The command line: a thin door over queries and edits. Holds no logic; imports a command only when it is called."""

from kb.cli.program import main

__all__ = ["main"]
