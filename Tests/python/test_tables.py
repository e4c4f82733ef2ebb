"""Tables: what a result says, what the binary writes, and the ways out of them."""

import csv
import filecmp
import json
import re
import subprocess
from pathlib import Path

import pytest

import firstframe
from firstframe import Column, Study, Table
from firstframe._errors import Problem


def call(program: str, *arguments: str) -> None:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 10, 12, 13), done.stderr


def test_the_binarys_tables_are_those_of_the_result(
    scenario: Path, program: str, tmp_path: Path
) -> None:
    run = Study(scenario, program=program).replications(3).run(tmp_path, views=True)
    for name in ("metrics", "replications", "budgets", "cohorts", "windows"):
        written = (run.folder / "tables" / f"{name}.csv").read_text()
        table: Table = getattr(run, name)
        assert len(table) > 0, name
        assert table.to_csv() == written, name
        kinds = json.loads((run.folder / "tables" / "tables.json").read_text())["tables"]
        [columns] = [entry["columns"] for entry in kinds if entry["name"] == name]
        assert [Column(c["name"], c["type"]) for c in columns] == list(table.columns), name
    assert sorted(path.name for path in tmp_path.iterdir()) == [run.folder.name, scenario.name]
    # A budget's metric that is none of those of every result.
    assert run.metrics.value("unit", metric="ttff_ms{window=early}.p75") == "ms"
    assert run.metrics.value("labels", metric="ttff_ms{window=early}.p75") == "window=early"


def test_views_and_requests_add_up_to_the_result(
    scenario: Path, program: str, tmp_path: Path
) -> None:
    run = Study(scenario, program=program).replications(1).run(tmp_path, views=True)
    views = run.views
    started = views.where(started=True)
    for network, device in {(row["network"], row["device"]) for row in views}:
        cohort = run.cohorts.where(network=network, device=device)
        own = views.where(network=network, device=device)
        assert cohort.column("views") == [len(own)]
        assert cohort.column("started") == [len(own.where(started=True))]
        for column in ("played_ns", "stalled_ns", "stalls"):
            assert cohort.column(column) == [sum(number(x) for x in own.column(column))]
        ttff = own.where(started=True).column("ttff_ns")
        assert cohort.column("startup_ns") == [sum(number(x) for x in ttff)]
    parts = [name for name in views.names if name.startswith("part_")]
    assert len(parts) == 18
    for row in started:
        assert sum(number(row[part]) for part in parts) == row["ttff_ns"]
    requests = run.requests
    assert len(requests) > len(views)
    times = [number(time) for time in requests.column("time_ns")]
    assert times == sorted(times)
    # Beside what `--requests` writes for replay cache.
    other = tmp_path / "requests.csv"
    call(
        program,
        *["run", str(scenario), "--replications", "1", "--quiet", "--output", str(tmp_path)],
        *["--requests", str(other)],
    )
    with other.open() as file:
        lines = list(csv.DictReader(file))
    assert [line["id"] for line in lines] == [str(x) for x in requests.column("id")]
    assert [line["size"] for line in lines] == [str(x) for x in requests.column("bytes")]


def number(cell: object) -> int:
    assert isinstance(cell, int)
    return cell


def test_the_tables_do_not_depend_on_threads(scenario: Path, program: str, tmp_path: Path) -> None:
    for threads in ("1", "7"):
        call(
            program,
            *["run", str(scenario), "--short", "--quiet", "--threads", threads],
            *["--output", str(tmp_path / threads), "--tables", str(tmp_path / f"t{threads}")],
        )
    same = filecmp.dircmp(tmp_path / "t1", tmp_path / "t7")
    assert len(same.common_files) == 8
    assert not same.diff_files and not same.left_only and not same.right_only


def test_the_sweeps_tables_are_those_of_the_result(
    scenario: Path, program: str, tmp_path: Path
) -> None:
    call(
        program,
        *["sweep", str(scenario), "--short", "--replications", "2", "--quiet"],
        *["--vary", "policy.pool.size=[1, 3]", "--vary", "policy.prefetch.headLength=[0 s, 6 s]"],
        *["--front", "ttff_ms.mean", "--front", "wasted_ratio", "--design", "one-at-a-time"],
        *["--output", str(tmp_path), "--tables", str(tmp_path / "tables")],
    )
    [folder] = tmp_path.glob("tiny-sweep-*")
    sweep = firstframe.Sweep.open(folder)
    assert sweep.points.to_csv() == (tmp_path / "tables" / "points.csv").read_text()
    assert sweep.replications.to_csv() == (tmp_path / "tables" / "replications.csv").read_text()
    assert [column.kind for column in sweep.points.columns[2:4]] == ["integer", "text"]


def test_every_shipped_result_has_the_units_that_names_tell(
    program: str, tmp_path: Path, scenario: Path
) -> None:
    # sweep.json names no units: what is taken from a metric's name must be what results say.
    run = Study(scenario, program=program).short().run(tmp_path)
    from firstframe._records import unit

    for row in run.metrics:
        assert unit(str(row["metric"])) == row["unit"]


def test_views_that_were_not_kept_are_no_empty_table(
    scenario: Path, program: str, tmp_path: Path
) -> None:
    run = Study(scenario, program=program).short().run(tmp_path)
    with pytest.raises(firstframe.ResultError, match=r"keep them with run\(views=True\)"):
        _ = run.views


# Tables by themselves

COLUMNS = (
    Column("name", "text"),
    Column("count", "integer"),
    Column("share", "number"),
    Column("is so", "boolean"),
)
ROWS = (
    ('a "b", c\nd', 2**63 - 1, 0.1 + 0.2, True),
    ("", -(2**63), -5e-324, False),
    ("ü", None, None, None),
    ("x", 0, 1.7976931348623157e308, True),
)


def table() -> Table:
    return Table.of(COLUMNS, ROWS)


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    table().to_csv(path)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    kinds = {column.name: column.kind for column in COLUMNS}
    assert Table.read_csv(path, kinds) == table()


def test_rows_columns_and_values_of_a_table() -> None:
    assert len(table()) == 4
    assert table().rows()[3] == {
        "name": "x",
        "count": 0,
        "share": 1.7976931348623157e308,
        "is so": True,
    }
    assert table().column("name") == ['a "b", c\nd', "", "ü", "x"]
    assert len(table().where(name="x", count=0)) == 1
    assert table().value("count", name="x") == 0
    with pytest.raises(KeyError, match="expected one row"):
        table().value("count", name="none")
    with pytest.raises(KeyError, match="expected one of the columns"):
        table().column("none")
    assert "&quot;b&quot;" in table()._repr_html_()
    assert "3 more rows" in table()._repr_html_(most=1)


def test_a_value_of_another_type_is_refused(tmp_path: Path) -> None:
    others: tuple[str | float, ...] = (1, 1.5, "x", 1)
    for place, cell in enumerate(others):
        row: list[str | float | None] = list(ROWS[0])
        row[place] = cell
        with pytest.raises(firstframe.ResultError, match="expected"):
            Table.of(COLUMNS, [row])
    path = tmp_path / "t.csv"
    path.write_text("name,count\nx,1\ny,many\n")
    with pytest.raises(firstframe.ResultError, match=r"t\.csv:3:3: count: expected a whole number"):
        Table.read_csv(path, {"count": "integer"})
    path.write_text("name,count\nx\n")
    with pytest.raises(firstframe.ResultError, match=r"t\.csv:2:1: expected 2 values, got 1"):
        Table.read_csv(path, {})
    path.write_text("")
    with pytest.raises(firstframe.ResultError, match="expected the names of columns"):
        Table.read_csv(path, {})


def test_what_is_no_problem_is_none() -> None:
    assert Problem.of("firstframe: something else") is None
    assert Problem.of("--set a.b: a.b: expected 1, got 2, got 3") == Problem(
        "--set a.b: a.b: expected 1, got 2, got 3",
        key="a.b",
        expected="1",
        got="2, got 3",
        option="--set a.b",
    )


def test_the_reference_names_every_column(scenario: Path, program: str, tmp_path: Path) -> None:
    study = Study(scenario, program=program).short()
    run = study.run(tmp_path, views=True)
    sweep = study.vary("policy.pool.size", [1]).replications(2).run(tmp_path)
    parts = tuple(name for name in run.views.names if name.startswith("part_"))
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "tables.md"
    told: dict[str, list[tuple[str, ...]]] = {}
    for line in page.read_text().splitlines():
        if line.startswith("| `"):
            name, _, columns = line.strip("| ").split(" | ")
            names = re.findall(r"`([a-z_]+)`", columns)
            told.setdefault(name.strip("`"), []).append(tuple(names))
    for name in ("metrics", "budgets", "cohorts", "windows", "views", "requests"):
        written: Table = getattr(run, name)
        own = tuple(column for column in written.names[2:] if column not in parts)
        assert told[name] == [own], name
    assert told["replications"] == [run.replications.names[2:], sweep.replications.names[2:]]
    assert told["points"] == [sweep.points.names[3:]]
