#!/usr/bin/env python3
"""What a study of many shards costs on many cores: by a formula, and by a simulation of its plan.

Usage: tools/shard-costs.py TIMES [--shards 10000] [--cores 64 1000] [--start 0.02] [--task 2]

TIMES is a file with measured seconds of a shard, one a line, from which each shard of the plan is
drawn. --start is what a task adds in seconds (a program that starts and reads the plan, and the
engine), --task what it takes at least, as the Python package puts shards together.
Formula: all work over all cores, and one task more for the end. Simulation: tasks in order, each
to the core that is free first.
"""

from __future__ import annotations

import argparse
import heapq
import pathlib
import random
import statistics


def tasks(times: list[float], cores: int, target: float, start: float) -> list[float]:
    """Seconds of each task."""
    found: list[float] = []
    mean = statistics.fmean(times)
    place = 0
    while place < len(times):
        room = (len(times) - place) // (4 * cores) + 1
        count = max(1, min(room, int(target / mean)))
        found.append(start + sum(times[place:place + count]))
        place += count
    return found


def simulated(parts: list[float], cores: int) -> float:
    free = [0.0] * cores
    for part in parts:
        heapq.heappush(free, heapq.heappop(free) + part)
    return max(free)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("times", type=pathlib.Path)
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--cores", type=int, nargs="+", default=[64, 1000])
    parser.add_argument("--start", type=float, default=0.02)
    parser.add_argument("--task", type=float, default=2.0)
    options = parser.parse_args()
    measured = [float(line) for line in options.times.read_text().split()]
    chance = random.Random(1)
    times = [chance.choice(measured) for _ in range(options.shards)]
    mean = statistics.fmean(measured)
    print(f"{len(measured)} shards measured, {mean:.3f} s each, {max(measured):.3f} s at most")
    for cores in options.cores:
        parts = tasks(times, cores, options.task, options.start)
        size = options.shards / len(parts)
        formula = (options.shards * (mean + options.start / size)) / cores + mean + options.start
        print(f"{cores} cores: {len(parts)} tasks, {sum(parts) / 3600:.2f} core hours; "
              f"formula {formula:.1f} s, simulation {simulated(parts, cores):.1f} s")


if __name__ == "__main__":
    main()
