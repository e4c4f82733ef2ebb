"""What the package's README and the how-to tell a reader to type, as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import firstframe

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "Sources" / "python" / "README.md"
HOW_TO = ROOT / "docs" / "how-to" / "python.md"


def blocks(page: Path) -> list[str]:
    """The blocks of Python of a page, those that need an extra left out."""
    found = re.findall(r"(<!-- extra: .*? -->\n)?```python\n(.*?)```", page.read_text(), re.DOTALL)
    return [code for mark, code in found if not mark]


def run(code: str, folder: Path, program: str) -> str:
    subprocess.run([program, "init", "my-feed"], cwd=folder, check=True, capture_output=True)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "FIRSTFRAME_PROGRAM": program},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readmes_lines_run_as_they_stand(tmp_path: Path, program: str) -> None:
    [code] = blocks(README)
    assert len(code.splitlines()) <= 12
    output = run(code, tmp_path, program)
    assert re.match(r"(pass|fail|inconclusive|invalid) \d+\.\d+\n", output)
    assert "STARTUP, by part" in output
    assert "</svg>" in (tmp_path / "front.svg").read_text()
    assert (tmp_path / "points.csv").read_text().startswith("scenario,point,policy.pool.size,")


def test_the_how_tos_lines_run_one_after_the_other(tmp_path: Path, program: str) -> None:
    run("\n".join(blocks(HOW_TO)), tmp_path, program)


@pytest.mark.parametrize("page", [README, HOW_TO], ids=["README", "how-to"])
def test_every_name_that_a_page_tells_exists(page: Path) -> None:
    told = set(re.findall(r"firstframe\.([A-Za-z]\w*)\b", page.read_text()))
    assert told - {"yaml"} <= set(dir(firstframe)) | {"_engine"}
