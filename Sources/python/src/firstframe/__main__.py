"""`python -m firstframe`, and what the commands `firstframe` and `firstframe-live` call."""

import os
import sys
from typing import NoReturn

from ._programs import ProgramMissing, program

UNAVAILABLE = 69
"""The exit code of a companion program that is missing, as the program's own."""


def _become(name: str) -> NoReturn:
    """Becomes the program: its signals, standard streams and exit code are nobody else's."""
    try:
        path = program(name)
    except ProgramMissing as problem:
        print(problem, file=sys.stderr)
        sys.exit(UNAVAILABLE)
    os.execv(path, [name, *sys.argv[1:]])


def firstframe() -> NoReturn:
    """The command `firstframe`; `--on ENGINE` is taken here, and is no option of the program."""
    arguments = sys.argv[1:]
    if any(argument == "--on" or argument.startswith("--on=") for argument in arguments):
        from . import _on

        try:
            target, rest = _on.taken(arguments)
        except _on.TargetError as problem:
            print(f"firstframe: {problem}", file=sys.stderr)
            sys.exit(problem.status)
        if target is not None and "--help" not in rest and "-h" not in rest:
            sys.exit(_on.main(target, rest))
        sys.argv[1:] = rest
    _become("firstframe")


def firstframe_live() -> NoReturn:
    """The command `firstframe-live`."""
    _become("firstframe-live")


if __name__ == "__main__":
    firstframe()
