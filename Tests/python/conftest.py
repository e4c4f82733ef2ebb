"""What the tests share: the real program (the variable FIRSTFRAME), and a small scenario."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SCENARIO = """\
version: 1
name: tiny
audience: {viewsPerDayPerEdge: 3000000, window: 15 s}
catalogue: {titles: 200}
short: {window: 10 s, replications: 2}
replications: 4
windows:
  - {name: early, from: 0 s, to: 5 s}
budgets:
  - {metric: ttff_cold_ms.mean, limit: "< 20 s", minimumSamples: 5}
  - {metric: "ttff_ms{window=early}.p75", limit: "< 20 s", minimumSamples: 5, level: soft}
"""


HEARS_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Code for a child as one in the foreground: what a shell runs in the background ignores SIGINT."""


@pytest.fixture(scope="session")
def program() -> str:
    """The real program; without it nothing is tested, which no test passes."""
    path = os.environ.get("FIRSTFRAME", "")
    if not os.access(path, os.X_OK):
        pytest.fail(f"FIRSTFRAME: expected the path of the program, got {path!r}")
    return os.path.abspath(path)


@pytest.fixture(scope="session")
def pilots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pilots of these tests are kept, and no others: most of them run one scenario."""
    return tmp_path_factory.mktemp("pilots")


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, pilots: Path) -> None:
    monkeypatch.setenv("FIRSTFRAME_PILOTS", str(pilots))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("FIRSTFRAME_PROGRAM", raising=False)


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(SCENARIO)
    return path
