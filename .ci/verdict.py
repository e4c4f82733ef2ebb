"""What scripts share that run firstframe: any verdict is an answer; files are replaced whole."""

import os
import pathlib
import subprocess
import sys
import tempfile

# Pass, a failed budget, inconclusive, invalid.
CODES = (0, 10, 12, 13)


def answer(command):
    """The ended process of a command; ends the script when that ended with no verdict.

    Pilots that were kept before would hide that they are counted otherwise now.
    """
    ended = subprocess.run(command, capture_output=True, text=True, check=False,
                           env={**os.environ, "FIRSTFRAME_PILOTS": "off"})
    if ended.returncode not in CODES:
        script = pathlib.Path(sys.argv[0]).stem
        sys.exit(f"{script}: error: {' '.join(command)}: expected a verdict, "
                 f"got exit code {ended.returncode}\n{ended.stderr}")
    return ended


def replace(path, text):
    """Writes a file by way of a temporary one beside it, so that it is never half-written."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
