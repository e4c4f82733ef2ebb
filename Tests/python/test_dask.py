"""DaskEngine on local workers; skipped without the extra `dask`, which a slow step has."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_engine import STUB, run, tries

import firstframe
from firstframe._engine import engine_of

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=request.param,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("cluster", [1, 2, 7], indirect=True)
def test_workers_make_every_shard_once(tmp_path: Path, cluster: Any) -> None:
    found = run(tmp_path, cluster, shards=20, waves=2, milliseconds=20)
    assert found.result["replications"] == 40
    assert tries(tmp_path) == {index: 1 for index in range(40)}


@pytest.mark.parametrize("cluster", [2], indirect=True)
def test_what_fails_is_tried_once_more_by_us(tmp_path: Path, cluster: Any) -> None:
    with pytest.raises(firstframe.ShardsFailed) as caught:
        run(tmp_path, cluster, faults={"1": "once", "2": "always", "3": "killed", "4": "lies"})
    assert set(caught.value.messages) == {2, 4}
    assert tries(tmp_path) == {0: 1, 1: 2, 2: 2, 3: 2, 4: 1}


@pytest.mark.parametrize("cluster", [2], indirect=True)
def test_a_worker_that_is_lost_costs_its_shard_alone(tmp_path: Path, cluster: Any) -> None:
    def lose(dask_worker: Any = None) -> None:
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)

    victim = next(iter(cluster.scheduler_info(n_workers=-1)["workers"]))
    engine = firstframe.DaskEngine(cluster, program=str(STUB))

    class Losing:
        def map_shards(self, plan_folder: str, indices: Any) -> Iterator[tuple[int, bool, str]]:
            for number, made in enumerate(engine.map_shards(plan_folder, indices)):
                if number == 3:
                    cluster.submit(lose, workers=[victim], retries=0, allow_other_workers=False)
                yield made

    found = run(tmp_path, Losing(), shards=20, milliseconds=50)
    assert found.result["replications"] == 20


@pytest.mark.parametrize("cluster", [2], indirect=True)
def test_few_tasks_are_in_flight_and_levels_of_logs_come_back(tmp_path: Path, cluster: Any) -> None:
    engine = engine_of(cluster, str(STUB), None)
    assert isinstance(engine, firstframe.DaskEngine)
    assert engine.slots() == 2
    level = logging.getLogger("distributed").level
    begin = time.monotonic()
    run(tmp_path, cluster, shards=8, milliseconds=200)
    # Eight of 0.2 s on two workers, which make them side by side.
    assert time.monotonic() - begin < 8 * 0.2 + 10
    assert logging.getLogger("distributed").level == level
