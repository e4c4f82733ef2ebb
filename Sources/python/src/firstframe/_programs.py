"""Where the programs are that this package carries."""

import os
from pathlib import Path


class ProgramMissing(FileNotFoundError):
    """This installation carries no such program, or none that may be executed."""


def program(name: str = "firstframe") -> str:
    """Returns the path of a carried program, `firstframe` or `firstframe-live`.

    Raises ProgramMissing where there is none: in an installation that was not made of a wheel.
    """
    path = Path(__file__).resolve().parent / "bin" / name
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise ProgramMissing(
            f"firstframe: expected the program {name} in {path.parent}, got none; "
            "install the wheel that make package builds"
        )
    return str(path)
