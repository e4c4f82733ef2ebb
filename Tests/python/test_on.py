"""`--on`: what is taken of a command, what a bad target is told, a study by local workers."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import HEARS_INTERRUPTS, SCENARIO
from test_shards import files

from firstframe import _on

SWEEP = ["sweep", "tiny.yaml", "--short", "--vary", "policy.pool.size=[1, 3]"]
COMMAND = HEARS_INTERRUPTS + "from firstframe.__main__ import firstframe; firstframe()"


def command(
    folder: Path, program: str, *arguments: str, path: str = ""
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=folder,
        env={**os.environ, "FIRSTFRAME_PROGRAM": program, **({"PYTHONPATH": path} if path else {})},
        capture_output=True,
        text=True,
        check=False,
    )


def test_on_is_taken_out_of_the_command() -> None:
    assert _on.taken(["run", "--on", "a", "f.yaml"]) == ("a", ["run", "f.yaml"])
    assert _on.taken(["run", "f.yaml", "--on=a"]) == ("a", ["run", "f.yaml"])
    assert _on.taken(["run", "--", "--on", "a"]) == (None, ["run", "--", "--on", "a"])
    assert _on.taken(["run"]) == (None, ["run"])
    with pytest.raises(_on.TargetError, match="got nothing"):
        _on.taken(["run", "--on"])


def test_targets() -> None:
    assert _on.Target.of("dask://host") == _on.Target("address", "tcp://host:8786")
    assert _on.Target.of("dask://host:90") == _on.Target("address", "tcp://host:90")
    assert _on.Target.of("dask+local:7") == _on.Target("local", "", 7)
    assert _on.Target.of("dask+ssh:a,u@b") == _on.Target("ssh", "a,u@b")
    assert _on.Target.of("dask+slurm:all") == _on.Target("slurm", "all")
    assert _on.Target.of("dask+slurm:all:4") == _on.Target("slurm", "all", 4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dask",
        "ray://host",
        "dask:host",
        "dask://",
        "dask://host:70000",
        "dask+local:0",
        "dask+local:257",
        "dask+local:two",
        "dask+ssh:",
        "dask+ssh:-oProxyCommand=x",
        "dask+slurm:",
        "dask+slurm:-p",
    ],
)
def test_a_wrong_target_is_one_line(tmp_path: Path, text: str) -> None:
    done = command(tmp_path, sys.executable, "run", "f.yaml", "--on", text)
    assert done.returncode == 64
    assert done.stderr.startswith("firstframe: --on: expected dask://HOST:PORT, dask+local:N")
    assert done.stderr.endswith(f"got {text!r}\n")
    assert done.stderr.count("\n") == 1


def test_without_dask_one_line_says_what_to_install(tmp_path: Path) -> None:
    # A package of this name that cannot be imported stands before any other.
    (tmp_path / "distributed.py").write_text("raise ImportError")
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    done = command(tmp_path, sys.executable, "run", "f", "--on", "dask+local:1", path=path)
    assert done.returncode == 69
    assert done.stderr == (
        "firstframe: --on: expected the package distributed, got none; "
        "pip install 'firstframe[dask]'\n"
    )


def test_the_program_alone_refuses_it(tmp_path: Path, program: str) -> None:
    for option in (["--on", "dask+local:2"], ["--on=dask+local:2"]):
        done = subprocess.run(
            [program, "run", "f.yaml", *option], capture_output=True, text=True, check=False
        )
        assert done.returncode == 64
        assert "expected the command of the Python package firstframe" in done.stderr
        assert done.stderr.count("\n") == 1


def test_one_command_has_one_plan_beside_its_results() -> None:
    one = _on.plan_folder(["sweep", "f.yaml"])
    assert one == _on.plan_folder(["sweep", "f.yaml"])
    assert one.startswith("results/plans/sweep-")
    assert _on.plan_folder(["sweep", "f.yaml", "--output", "a/b"]).startswith("a/b/plans/")
    assert _on.plan_folder(["match", "f.yaml", "--output=a.yaml"]).startswith("results/plans/")


# With Dask


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    pytest.importorskip("distributed")
    (tmp_path / "tiny.yaml").write_text(SCENARIO)
    return tmp_path


def test_a_sweep_has_the_output_and_the_bytes_of_one_process(tiny: Path, program: str) -> None:
    alone = subprocess.run(
        [program, *SWEEP, "--output", "r"], cwd=tiny, capture_output=True, text=True, check=False
    )
    (tiny / "r").rename(tiny / "alone")
    shared = command(tiny, program, *SWEEP, "--output", "r", "--on", "dask+local:2")
    assert (shared.returncode, shared.stdout) == (alone.returncode, alone.stdout), shared.stderr
    [one] = (tiny / "alone").glob("tiny-sweep-*")
    assert files(tiny / "r" / one.name) == files(one)


def test_an_unreachable_scheduler_is_one_line(tiny: Path, program: str) -> None:
    done = command(tiny, program, *SWEEP, "--quiet", "--on", "dask://127.0.0.1:1")
    assert done.returncode == 69
    assert done.stderr.splitlines()[-1].startswith(
        "firstframe: --on: expected a scheduler of Dask at tcp://127.0.0.1:1, got no answer"
    )
    assert "Traceback" not in done.stderr


def test_what_the_verb_refuses_is_told_by_it(tiny: Path, program: str) -> None:
    done = command(tiny, program, "run", "none.yaml", "--on", "dask+local:1")
    assert done.returncode == 66
    assert done.stderr.startswith("none.yaml:1:1: (file): expected an existing file")


def test_an_interrupt_ends_with_14_and_the_command_that_goes_on(tiny: Path, program: str) -> None:
    arguments = [*SWEEP, "--replications", "40", "--on", "dask+local:2"]
    child = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=tiny,
        env={**os.environ, "FIRSTFRAME_PROGRAM": program},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    deadline = time.monotonic() + 60
    # One is of the plan itself.
    while (
        len(list(tiny.glob("results/plans/*/shards/**/*.shard"))) < 2
        and time.monotonic() < deadline
    ):
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=60)
    assert child.returncode == 14, error
    assert error.splitlines()[-1].endswith(
        "to go on: firstframe sweep tiny.yaml --short --vary 'policy.pool.size=[1, 3]' "
        "--replications 40 --on dask+local:2"
    )
    assert "Traceback" not in error
