"""The command line: a thin door over queries and edits. Holds no logic; imports a command only when it is called."""

import gc

#: Young objects that are looked through for garbage at once, and how seldom the older ones are. A short command makes no
#: garbage to speak of: by Python's own numbers, made for programs that run on, it is looked for some thirty times while
#: modules are imported, for as long as the answer takes.
_RARELY = (100_000, 50, 100)


def main() -> None:
    """Run the program, which ends the process."""
    gc.set_threshold(*_RARELY)
    from kb.cli import program

    program.main()


__all__ = ["main"]
