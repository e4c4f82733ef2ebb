"""Studies and results, by the real program."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import HEARS_INTERRUPTS

import firstframe
from firstframe import Study
from firstframe._study import written


@pytest.fixture
def study(scenario: Path, program: str) -> Study:
    return Study(scenario, program=program).short()


def test_a_study_never_changes(study: Study) -> None:
    before = repr(study)
    more = study.set("policy.pool.size", 1).seed(7).replications(3).short(False)
    varied = study.vary("policy.pool.size", [1, 2])
    varied.front("ttff_ms.mean", "wasted_ratio").design("grid").metrics("ttff_ms.p95")
    assert repr(study) == before
    assert more.settings == (("policy.pool.size", "1"),)
    assert (more.chosen_seed, more.chosen_replications, more.is_short) == (7, 3, False)
    assert varied.chosen_front == ()


def test_a_run_is_that_of_the_command_line(study: Study, tmp_path: Path, program: str) -> None:
    run = study.set("policy.pool.size", 2).seed(11).replications(2).run(tmp_path / "python")
    command = [program, "run", str(study.file), "--set", "policy.pool.size=2", "--seed", "11"]
    options = ["--short", "--replications", "2", "--quiet", "--output", str(tmp_path / "shell")]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
    [folder] = (tmp_path / "shell").iterdir()
    assert run.folder.name == folder.name == f"{run.scenario}-{run.digest}"
    assert (run.folder / "result.json").read_bytes() == (folder / "result.json").read_bytes()
    assert (run.verdict, run.seed, run.is_partial) == ("pass", 11, False)
    # From the folder alone, wherever it lies.
    moved = tmp_path / "elsewhere"
    shutil.move(run.folder, moved)
    for place in (moved, moved / "result.json"):
        found = firstframe.open(place)
        assert isinstance(found, firstframe.Run)
        assert found.metrics == run.metrics
    assert len({run, found}) == 2


@pytest.mark.parametrize(
    ("limit", "verdict"), [("< 20 s", "pass"), ("< 1 ms", "fail")], ids=["pass", "fail"]
)
def test_any_verdict_is_a_result(study: Study, tmp_path: Path, limit: str, verdict: str) -> None:
    judged = study.short(False).replications(8).set("budgets[0].limit", limit)
    run = judged.run(tmp_path)
    gate = judged.gate(output=tmp_path)
    assert (run.verdict, gate.verdict) == (verdict, verdict)
    assert run.budgets.value("verdict", level="hard") == verdict
    assert gate.metrics == run.metrics
    assert gate.folder is not None
    assert firstframe.Run.open(gate.folder).digest == run.digest


def test_too_little_data_is_no_pass(study: Study, tmp_path: Path) -> None:
    run = study.set("budgets[0].minimumSamples", 10**6).run(tmp_path)
    assert run.verdict == "invalid"
    # Judged again from its folder: the same run, and the same verdict.
    gate = run.gate(output=tmp_path / "again")
    assert gate.verdict == "invalid"
    assert gate.folder is not None and gate.folder.name == run.folder.name
    assert run.gate().folder is None


def test_a_regression_against_a_baseline(scenario: Path, program: str, tmp_path: Path) -> None:
    study = Study(scenario, program=program).replications(8)
    command = [program, "gate", str(scenario), "--replications", "8", "--quiet"]
    options = ["--update-baseline", "--baseline", str(tmp_path / "baselines"), "--output"]
    done = subprocess.run(
        [*command, *options, str(tmp_path / "results")], capture_output=True, text=True, check=True
    )
    assert "baseline in" in done.stderr
    same = study.gate(tmp_path / "baselines", output=tmp_path / "results")
    assert same.verdict == "pass"
    assert same.comparison is not None
    assert set(same.comparison.table.column("outcome")) <= {"equivalent", "no-data"}
    worse = study.set("network.access[0].roundTrip", "900 ms")
    gate = worse.gate(tmp_path / "baselines", output=tmp_path / "results")
    assert gate.verdict == "regression"
    assert gate.comparison is not None and "worse" in gate.comparison.table.column("outcome")


def test_a_sweep_and_its_points(study: Study, tmp_path: Path) -> None:
    sweep = (
        study.vary("policy.pool.size", [1, 3])
        .vary("policy.prefetch.headLength", ["0 s", "6 s"])
        .replications(2)
        .metrics("ttff_ms.mean", "wasted_ratio")
        .front("ttff_ms.mean", "wasted_ratio")
        .run(tmp_path)
    )
    assert sweep.factors == ("policy.pool.size", "policy.prefetch.headLength")
    keys = [(row["policy.pool.size"], row["policy.prefetch.headLength"]) for row in sweep.points]
    assert keys[::2] == [(1, "0 s"), (1, "6 s"), (3, "0 s"), (3, "6 s")]
    assert set(sweep.points.column("unit")) == {"ms", "ratio"}
    assert len(sweep.replications) == 4 * 2 * 2
    for row in sweep.points.where(metric="ttff_ms.mean"):
        parts = sweep.replications.where(point=row["point"], metric="ttff_ms.mean")
        values = [value for value in parts.column("value") if isinstance(value, float)]
        assert sum(values) / 2 == pytest.approx(row["value"])
    assert sweep.plot.front()._repr_svg_().startswith("<svg")
    assert "</svg>" in sweep.plot.effects().svg
    again = firstframe.open(sweep.folder)
    assert isinstance(again, firstframe.Sweep)
    assert again.points == sweep.points


def test_a_sweep_without_a_front_has_no_picture_of_it(study: Study, tmp_path: Path) -> None:
    sweep = study.vary("policy.pool.size", [1, 3]).replications(2).run(tmp_path)
    with pytest.raises(firstframe.ResultError, match="run without --front"):
        sweep.plot.front()


def test_a_comparison_is_paired_and_names_what_changed(study: Study, tmp_path: Path) -> None:
    slower = study.set("network.access[0].roundTrip", "900 ms")
    found = slower.compare(study, replications=4)
    assert found.is_paired
    assert [change["key"] for change in found.changes] == ["network.access[0].roundTrip"]
    assert "worse" in found.table.column("outcome")
    one, other = study.run(tmp_path), slower.run(tmp_path)
    between = other.compare(one, replications=4)
    assert between.table == found.table
    assert between.outcome(str(found.table.column("metric")[0])) == found.table.data[0][-1]
    with pytest.raises(ValueError, match="same chosen_seed"):
        study.seed(3).compare(study)
    with pytest.raises(ValueError, match="short form"):
        other.compare(study.short(False).replications(2).run(tmp_path))


def test_why_is_told_and_shown_as_it_is(study: Study, tmp_path: Path) -> None:
    run = study.run(tmp_path)
    text = run.why()
    assert "STARTUP, by part" in text
    assert repr(text) == text
    assert "STARTUP" in run.why(against=study.set("policy.pool.size", 1).run(tmp_path))


# Bad input


def test_a_problem_of_a_file_has_its_place(tmp_path: Path, program: str) -> None:
    path = tmp_path / "bad, it is.yaml"
    path.write_text("version: 1\nname: bad\npolicy: {poool: 3}\naudience: {window: 15}\n")
    with pytest.raises(firstframe.ScenarioError) as caught:
        Study(path, program=program).run(tmp_path / "results")
    first, second = sorted(caught.value.problems, key=lambda problem: problem.line or 0)
    assert (first.file, first.line, first.column) == (str(path), 3, 10)
    assert first.key == "policy.poool"
    assert first.expected.startswith("one of the keys pool, ")
    assert first.got == "poool (did you mean pool?)"
    assert (second.line, second.column, second.key) == (4, 20, "audience.window")
    assert caught.value.status == 65
    assert str(first) in str(caught.value)
    assert not (tmp_path / "results").exists()


def test_a_problem_of_a_key_names_the_option(study: Study, tmp_path: Path) -> None:
    with pytest.raises(firstframe.ScenarioError) as caught:
        study.set("policy.pool.size", "none: at, all").run(tmp_path)
    [problem] = caught.value.problems
    assert problem.option == "--set policy.pool.size"
    assert problem.file is None
    assert problem.key == "policy.pool.size"
    assert problem.got == '"none: at, all"'


def test_other_exit_codes_have_their_exceptions(
    study: Study, scenario: Path, tmp_path: Path, program: str
) -> None:
    with pytest.raises(firstframe.InputMissing) as missing:
        Study(tmp_path / "none.yaml", program=program).run(tmp_path)
    assert missing.value.problems[0].expected == "an existing file"
    with pytest.raises(firstframe.UsageError, match="1...64"):
        study.replications(0).run(tmp_path)
    with pytest.raises(firstframe.Refused) as refused:
        study.run(tmp_path, memory_limit="2MiB")
    assert "viewers at one time" in refused.value.stderr
    (tmp_path / "file").write_text("")
    with pytest.raises(firstframe.OutputError):
        study.run(tmp_path / "file" / "results")
    with pytest.raises(firstframe.Partial) as partial:
        Study(scenario, program=program).set("audience.window", "1 h").run(
            tmp_path, time_limit="1ms"
        )
    assert partial.value.run is not None
    assert partial.value.run.is_partial
    with pytest.raises(firstframe.ProgramMissing):
        Study(scenario, program=tmp_path / "none").run(tmp_path)


def test_the_variable_names_a_program(
    scenario: Path, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(firstframe.ProgramMissing):
        Study(scenario).run(tmp_path)
    monkeypatch.setenv("FIRSTFRAME_PROGRAM", program)
    assert Study(scenario).short().run(tmp_path).verdict == "pass"


def test_what_is_no_folder_of_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(firstframe.ResultError, match="expected a folder with result.json"):
        firstframe.open(tmp_path)
    (tmp_path / "result.json").write_text('{"schema": 1,\n oops}')
    with pytest.raises(firstframe.ResultError, match=r"result\.json:2:2: expected JSON"):
        firstframe.open(tmp_path)
    (tmp_path / "result.json").write_text('{"schema": 2, "kind": "firstframe.result"}')
    with pytest.raises(firstframe.ResultError, match="schema: expected 1, got 2"):
        firstframe.open(tmp_path)


def test_an_interrupt_ends_the_program_and_what_is_complete_is_kept(
    scenario: Path, tmp_path: Path, program: str
) -> None:
    code = (
        HEARS_INTERRUPTS + "import sys, firstframe\n"
        "study = firstframe.Study(sys.argv[1], program=sys.argv[2])\n"
        "study = study.set('audience.window', '3 min').replications(64)\n"
        "study.run(sys.argv[3], threads=1, progress=True)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(scenario), program, str(tmp_path / "results")],
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    # Long enough to begin, and far less than 64 replications take.
    time.sleep(3)
    os.kill(child.pid, signal.SIGINT)
    _, error = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in error
    assert "stopping after the replications under way" in error


def test_values_are_yaml() -> None:
    assert written(None) == "null"
    assert written(True) == "true"
    assert written(1e-7) == "0.0000001"
    assert written(2.5) == "2.5"
    assert written("6 s") == '"6 s"'
    assert written(["ü", {"a b": 1}]) == '["ü", {"a b": 1}]'
    with pytest.raises(ValueError, match="finite"):
        written(float("nan"))
    with pytest.raises(ValueError, match="expected a key"):
        Study("a.yaml").set("a=b", 1)
