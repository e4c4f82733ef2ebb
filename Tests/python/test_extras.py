"""Tables through pandas, Polars, Arrow, Parquet and DuckDB, and pictures by matplotlib; each
skipped without its package, which a slow step has."""

from pathlib import Path
from typing import Any

import pytest
from test_tables import COLUMNS, ROWS, table

import firstframe
from firstframe import Column, Study, Table


def wide() -> Table:
    return Table.of([Column("id", "integer")], [(2**64 - 1,), (0,), (None,)])


def native(rows: list[tuple[Any, ...]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row) for row in rows)


def assert_same(rows: list[tuple[Any, ...]], expected: Table) -> None:
    """The same values of the same types, to the last bit."""
    assert native(rows) == expected.data
    for row, other in zip(rows, expected.data, strict=True):
        assert [type(cell) for cell in row] == [type(cell) for cell in other]


@pytest.fixture(scope="session")
def tables(program: str, tmp_path_factory: pytest.TempPathFactory) -> list[Table]:
    """Tables of a real run and sweep, those of rows made up, and identifiers of 64 bits."""
    from conftest import SCENARIO

    folder = tmp_path_factory.mktemp("extras")
    (folder / "tiny.yaml").write_text(SCENARIO)
    study = Study(folder / "tiny.yaml", program=program).short()
    run = study.run(folder, views=True)
    sweep = study.vary("policy.pool.size", [1, 3]).replications(2).run(folder)
    found = [run.metrics, run.replications, run.cohorts, run.views, run.requests, sweep.points]
    assert all(len(part) > 0 for part in found)
    return [*found, table(), wide()]


def test_pandas_keeps_every_value(tables: list[Table]) -> None:
    pandas = pytest.importorskip("pandas")
    for part in tables:
        frame = part.to_pandas()
        assert list(frame.columns) == list(part.names)
        columns = []
        for name in part.names:
            cells: list[Any] = [None if cell is pandas.NA else cell for cell in frame[name]]
            columns.append([cell.item() if hasattr(cell, "item") else cell for cell in cells])
        assert_same(list(zip(*columns, strict=True)), part)


def test_polars_keeps_every_value(tables: list[Table], tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    for number, part in enumerate(tables):
        frame = part.to_polars()
        assert_same(frame.rows(), part)
        path = tmp_path / f"{number}.parquet"
        frame.write_parquet(path)
        assert_same(polars.read_parquet(path).rows(), part)


def test_parquet_keeps_every_value_for_arrow_polars_and_duckdb(
    tables: list[Table], tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    for number, part in enumerate(tables):
        path = tmp_path / f"{number}.parquet"
        part.to_parquet(path)
        read = parquet.read_table(path)
        assert_same([tuple(row.values()) for row in read.to_pylist()], part)
        assert_same(polars.read_parquet(path).rows(), part)
        with duckdb.connect() as base:
            assert_same(base.execute(f"SELECT * FROM '{path}'").fetchall(), part)
            base.execute(f"COPY (SELECT * FROM '{path}') TO '{path}.2' (FORMAT parquet)")
        assert_same([tuple(r.values()) for r in parquet.read_table(f"{path}.2").to_pylist()], part)
    assert not list(tmp_path.glob("*.part"))


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(OSError, match="none"):
        table().to_parquet(tmp_path / "none" / "t.parquet")
    assert not list(tmp_path.iterdir())


def test_the_front_on_axes_of_matplotlib(program: str, tmp_path: Path, scenario: Path) -> None:
    figure_module = pytest.importorskip("matplotlib.figure")
    sweep = (
        Study(scenario, program=program)
        .short()
        .vary("policy.pool.size", [1, 3])
        .replications(2)
        .front("ttff_ms.mean", "wasted_ratio")
        .run(tmp_path)
    )
    axes = figure_module.Figure().subplots()
    assert sweep.plot.front(axes) is axes
    assert axes.get_xlabel() == "ttff_ms.mean [ms]"
    assert len(axes.containers) == 2
    drawn = [container.lines[0].get_xdata()[0] for container in axes.containers]
    assert drawn == sweep.points.where(metric="ttff_ms.mean").column("value")


def test_without_a_package_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name, way in (("pandas", "to_pandas"), ("polars", "to_polars"), ("pyarrow", "to_arrow")):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=name):
            getattr(table(), way)()
    assert len(ROWS) == len(table()) and len(COLUMNS) == 4
    assert firstframe.Table is Table
