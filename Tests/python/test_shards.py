"""Engines with the real program: what several workers do is what one process does."""

from pathlib import Path

import pytest
from conftest import SCENARIO

import firstframe


def files(folder: Path) -> dict[str, bytes]:
    """What a folder of results holds, but for who made it and when."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("provenance.json", "notes.json")
    }


def study(folder: Path, program: str) -> firstframe.Study:
    path = folder / "tiny.yaml"
    path.write_text(SCENARIO)
    return firstframe.Study(path, program=program).short()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_sweep_from_shards_has_the_bytes_of_one_process(
    tmp_path: Path, program: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    varied = study(tmp_path, program).vary("policy.pool.size", [1, 3])
    alone = varied.run(tmp_path / "alone")
    shared = varied.run(tmp_path / "shared", client=firstframe.LocalEngine(workers))
    assert files(Path(shared.folder)) == files(Path(alone.folder))
    assert shared.points == alone.points


def test_a_run_from_shards_has_the_bytes_of_one_process(
    tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = study(tmp_path, program)
    alone = one.run(tmp_path / "alone")
    shared = one.run(tmp_path / "shared", client=firstframe.LocalEngine(2))
    assert shared.verdict == alone.verdict
    assert files(Path(shared.folder)) == files(Path(alone.folder))


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_a_sweep_by_dask_has_the_bytes_of_one_process(
    tmp_path: Path, program: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    varied = study(tmp_path, program).vary("policy.pool.size", [1, 3])
    alone = varied.run(tmp_path / "alone")
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        shared = varied.run(tmp_path / "shared", client=client)
    assert files(Path(shared.folder)) == files(Path(alone.folder))
