"""Engines, with a program in place of the real one that speaks plan, shard, status and merge."""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import HEARS_INTERRUPTS

import firstframe
from firstframe._engine import Status, engine_of, plan_folder

STUB = Path(__file__).resolve().parent / "stub.py"


def study(folder: Path, **about: Any) -> firstframe.VariedStudy:
    path = folder / "stub.yaml"
    path.write_text(json.dumps({"shards": 5, **about}))
    return firstframe.Study(path, program=STUB).vary("a.key", [1, 2])


def plan_of(folder: Path) -> Path:
    [plan] = (folder / "results" / "plans").iterdir()
    return plan


def tries(folder: Path) -> dict[int, int]:
    return {int(p.name): len(p.read_text()) for p in (plan_of(folder) / "tries").iterdir()}


def run(folder: Path, client: Any, **about: Any) -> firstframe.Sweep:
    return study(folder, **about).run(folder / "results", client=client)


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_any_number_of_workers_makes_every_shard_once(tmp_path: Path, workers: int) -> None:
    found = run(tmp_path, firstframe.LocalEngine(workers), shards=12)
    assert found.result["replications"] == 12
    assert tries(tmp_path) == {index: 1 for index in range(12)}


def test_merge_may_ask_for_more_shards(tmp_path: Path) -> None:
    found = run(tmp_path, firstframe.LocalEngine(2), shards=3, waves=4)
    assert found.result["replications"] == 12
    assert tries(tmp_path) == {index: 1 for index in range(12)}


def test_what_fails_once_is_tried_again(tmp_path: Path) -> None:
    run(tmp_path, firstframe.LocalEngine(2), faults={"1": "once", "4": "killed"})
    assert tries(tmp_path) == {0: 1, 1: 2, 2: 1, 3: 1, 4: 2}


def test_shards_that_fail_are_named_and_the_others_stay(tmp_path: Path) -> None:
    with pytest.raises(firstframe.ShardsFailed) as caught:
        run(
            tmp_path,
            firstframe.LocalEngine(3),
            faults={"0": "always", "2": "refused", "3": "lies"},
        )
    assert caught.value.messages == {
        0: "exit code 1: stub: shard 0 fails in try 2",
        2: "exit code 65: stub: expected another plan, got this",
        3: "its program ended well, and its file is not whole",
    }
    # What another try cannot help is not tried again.
    found = tries(tmp_path)
    assert found == {0: 2, 1: 1, 2: 1, 3: 1, 4: 1}
    assert Status.of(str(STUB), str(plan_of(tmp_path))).missing == (0, 2, 3)
    # The same command makes only what is missing.
    (plan_of(tmp_path) / "plan.json").unlink()
    run(tmp_path, firstframe.LocalEngine(3))
    assert tries(tmp_path) == {0: 3, 1: 1, 2: 2, 3: 2, 4: 1}


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    run(tmp_path, firstframe.LocalEngine(2))
    (plan_of(tmp_path) / "store" / "2.txt").write_text("sha")
    run(tmp_path, firstframe.LocalEngine(2))
    assert tries(tmp_path) == {0: 1, 1: 1, 2: 2, 3: 1, 4: 1}


def test_a_bad_scenario_is_refused_by_the_plan(tmp_path: Path) -> None:
    bad = study(tmp_path)
    (tmp_path / "stub.yaml").write_text("{")
    with pytest.raises(firstframe.ScenarioError) as caught:
        bad.run(tmp_path / "results", client=firstframe.LocalEngine(1))
    [problem] = caught.value.problems
    assert (problem.line, problem.column, problem.key) == (1, 2, "shards")


def test_a_merge_that_never_ends_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(firstframe.ResultError, match="expected more shards to make, got none"):
        run(tmp_path, firstframe.LocalEngine(2), stuck=True)


def test_an_executor_is_a_client(tmp_path: Path) -> None:
    with concurrent.futures.ThreadPoolExecutor(3) as executor:
        found = run(tmp_path, executor, shards=9, faults={"7": "once"})
    assert found.result["replications"] == 9
    assert tries(tmp_path)[7] == 2


def test_few_tasks_are_in_flight(tmp_path: Path) -> None:
    class Counting(concurrent.futures.ThreadPoolExecutor):
        most = 0
        pending = 0

        def submit(self, *arguments: Any, **names: Any) -> Any:
            self.pending += 1
            self.most = max(self.most, self.pending)
            future = super().submit(*arguments, **names)
            future.add_done_callback(self.ended)
            return future

        def ended(self, _: Any) -> None:
            self.pending -= 1

    with Counting(8) as executor:
        run(tmp_path, firstframe.SubmitEngine(executor, in_flight=3), shards=12)
    assert 1 <= executor.most <= 3


def test_an_engine_of_ones_own(tmp_path: Path) -> None:
    class Own:
        def map_shards(
            self, plan_folder: str, indices: Sequence[int]
        ) -> Iterator[tuple[int, bool, str]]:
            for index in indices:
                command = [str(STUB), "shard", plan_folder, "--index", str(index)]
                subprocess.run([*command, "--threads", "1"], check=True)
                # That it claims otherwise changes nothing: the files are there.
                yield index, False, "lost"

    assert isinstance(Own(), firstframe.Engine)
    assert run(tmp_path, Own()).result["replications"] == 5


def test_what_is_no_client_is_refused() -> None:
    with pytest.raises(TypeError, match="expected an engine, or a client with submit"):
        engine_of(3, str(STUB), None)
    with pytest.raises(ValueError, match="at least one worker"):
        firstframe.LocalEngine(0)


def test_an_interrupt_leaves_finished_shards_and_no_process(tmp_path: Path) -> None:
    study(tmp_path, shards=40, milliseconds=300)
    code = (
        HEARS_INTERRUPTS + "import sys, firstframe\n"
        "study = firstframe.Study(sys.argv[1], program=sys.argv[2]).vary('a.key', [1, 2])\n"
        "study.run(sys.argv[3], client=firstframe.LocalEngine(2))\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "stub.yaml"), str(STUB), tmp_path / "results"],
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob("results/plans/*/store/*.txt")) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=30)
    assert "KeyboardInterrupt" in error
    made = list(tmp_path.glob("results/plans/*/store/*.txt"))
    assert 1 <= len(made) < 40
    assert all(path.read_text() == f"shard {path.stem}\n" for path in made)
    plan = str(plan_of(tmp_path))
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert plan not in process.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue


def test_one_command_has_one_plan(tmp_path: Path) -> None:
    one = plan_folder("results", "a/b.yaml", ["sweep", "b.yaml"])
    assert one == plan_folder("results", "a/b.yaml", ["sweep", "b.yaml"])
    assert one != plan_folder("results", "a/b.yaml", ["sweep", "b.yaml", "--short"])
    assert os.path.dirname(one) == "results/plans"
