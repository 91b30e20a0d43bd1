"""The command line: a thin door over queries and edits. Holds no logic; imports a command only when it is called."""

import gc
import os

#: Young objects that are looked through for garbage at once, and how seldom the older ones are. A short command makes no
#: garbage to speak of: by Python's own numbers, made for programs that run on, it is looked for some thirty times while
#: modules are imported, for as long as the answer takes.
_RARELY = (100_000, 50, 100)
_INTERRUPTED = 130  #: as in ``errors.ExitCode``, which is not imported yet


def main() -> None:
    """Run the program, which ends the process. Ctrl-C ends it in silence from here on, but for what a command makes of it."""
    # Not the module proper: Ctrl-C may come while that is imported.
    import _signal as signal  # type: ignore[import-not-found]

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored
        signal.signal(signal.SIGINT, end_at_once)
    gc.set_threshold(*_RARELY)
    from kb.cli import program

    program.main()


def end_at_once(*_: object) -> None:
    """End the process as Ctrl-C does; a handler of signals."""
    os._exit(_INTERRUPTED)


__all__ = ["end_at_once", "main"]
