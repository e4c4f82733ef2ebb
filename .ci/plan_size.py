#!/usr/bin/env python3
"""How long plans of ten thousand shards take, and how much memory.

Makes plans of three kinds (many points of a sweep, many replications of few points, many seeds of a
search), puts finished shards into their stores, merges, and prints processor time, elapsed time and
peak memory of each step. The shards are those that the program has written of two replications,
with other numbers and names: simulating ten thousand would tell nothing of a plan.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# Processor seconds of a plan and its merge together.
MOST_SECONDS = 10.0
# The same where each shard is of another configuration: each is resolved, checked and named, by the
# plan and by the merge (docs/decisions/0041).
MOST_SECONDS_OF_POINTS = 90.0
# Of each.
MOST_MEGABYTES = 500.0
MARK = b"firstframe shard 1\n"


class Failure(Exception):
    """What has to hold does not."""


@dataclasses.dataclass
class Kind:
    """A study whose plan has ten thousand shards."""

    name: str
    command: list[str]
    cut: list[str]
    most_seconds: float = MOST_SECONDS


def kinds() -> list[Kind]:
    lengths = ", ".join(f"{100 + 50 * step} ms" for step in range(100))
    delays = ", ".join(f"{20 + step} ms" for step in range(100))
    together = ["--cpu-time", "1 s", "--shard-time", "1 min"]
    each = ["--cpu-time", "1 s", "--shard-time", "1 ms"]
    return [
        Kind("10,000 points of a sweep", [
            "sweep", "feed.yaml", "--short", "--replications", "2",
            "--vary", f"policy.prefetch.headLength=[{lengths}]",
            "--vary", f"feed.latency=[{delays}]"], together, MOST_SECONDS_OF_POINTS),
        Kind("64 replications of 157 points", [
            "sweep", "feed.yaml", "--short", "--replications", "64",
            "--vary", "policy.prefetch.headLength=["
            + ", ".join(f"{100 + 10 * step} ms" for step in range(157)) + "]"], each),
        Kind("10,000,000 seeds of a search", [
            "fuzz", "calls/recommended", "--seeds", "1..10000000"], each),
    ]


@dataclasses.dataclass
class Cost:
    seconds: float
    elapsed: float
    megabytes: float

    def __str__(self) -> str:
        return (f"{self.seconds:6.2f} s of CPU, {self.elapsed:6.2f} s elapsed, "
                f"{self.megabytes:4.0f} MB")


class Folder:
    """Where one study is planned."""

    def __init__(self, program: str, folder: pathlib.Path) -> None:
        self.program = program
        self.folder = folder
        self.environment = {**os.environ, "FIRSTFRAME_PILOTS": "off", "TERM": "dumb"}

    def run(self, *arguments: str, codes: tuple[int, ...] = (0,)) -> Cost:
        """Runs the program and says what it took."""
        begin = time.monotonic()
        with open(self.folder / "told", "wb") as told:
            child = subprocess.Popen(
                [self.program, *arguments], cwd=self.folder, env=self.environment,
                stdout=told, stderr=told)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in codes:
            text = (self.folder / "told").read_text(errors="replace")
            raise Failure(f"{arguments[0]} ended with {child.returncode}: {text[-2000:]}")
        return Cost(
            used.ru_utime + used.ru_stime, time.monotonic() - begin, used.ru_maxrss / 1024)

    def finish(self) -> int:
        """Puts all shards into the store; the first one is simulated."""
        self.run("shard", "p", "--index", "0-1", "--quiet")
        plan = json.loads((self.folder / "p" / "plan.json").read_text())
        store = self.folder / "p" / "shards"
        contents = []
        for path in sorted(store.rglob("*.shard"))[:2]:
            data = path.read_bytes()
            head = data.index(b"\n", len(MARK)) + 1
            contents.append((data[:head], data[head:-32]))
        for shard in plan["shards"]:
            row = plan["series"][shard["series"]]
            for number in range(shard["first"], shard["first"] + shard["count"]):
                head, content = contents[number % len(contents)]
                if row["keeps"] == "record":
                    content = moved(content, number, shard["series"])
                name = f"{row['key']}-{number}"
                path = store / name[:2] / f"{name}.shard"
                path.parent.mkdir(parents=True, exist_ok=True)
                sum_ = hashlib.sha256(name.encode() + b"\0" + content).digest()
                path.write_bytes(head + content + sum_)
        return len(plan["shards"])


def moved(content: bytes, number: int, series: int) -> bytes:
    """A record with its own number, and metrics that are not those of another one."""
    record = json.loads(content)
    record["replication"] = number
    factor = 1 + ((series * 7919 + number * 104729) % 1000) / 1e5
    for sample in record["samples"]:
        for key in ("value", "numerator"):
            if isinstance(sample.get(key), (int, float)):
                sample[key] *= factor
    return json.dumps(record).encode()


def measure(program: str, kind: Kind) -> bool:
    """Plans, asks, and merges one study; whether it kept the limits."""
    with tempfile.TemporaryDirectory(prefix="plan-size-") as name:
        folder = Folder(program, pathlib.Path(name))
        folder.run("init", "feed")
        plan = folder.run(
            "plan", "--output", "p", *kind.cut, *kind.command, "--output", "merged")
        shards = folder.finish()
        status = folder.run("status", "p")
        merge = folder.run("merge", "p", "--quiet", codes=(0, 10))
        size = (folder.folder / "p" / "plan.json").stat().st_size / 1e6
    print(f"{kind.name}: {shards} shards, a plan of {size:.1f} MB")
    for verb, cost in (("plan", plan), ("status", status), ("merge", merge)):
        print(f"  {verb:6} {cost}")
    if shards < 10_000:
        raise Failure(f"{kind.name}: expected 10,000 shards, got {shards}")
    seconds = plan.seconds + merge.seconds
    megabytes = max(plan.megabytes, status.megabytes, merge.megabytes)
    if seconds > kind.most_seconds:
        print(f"  expected at most {kind.most_seconds:.0f} s of plan and merge, "
              f"got {seconds:.1f} s")
    if megabytes > MOST_MEGABYTES:
        print(f"  expected at most {MOST_MEGABYTES:.0f} MB, got {megabytes:.0f} MB")
    return seconds <= kind.most_seconds and megabytes <= MOST_MEGABYTES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--firstframe", required=True)
    parser.add_argument("--only", type=int, help="the place of one kind, from 0 on")
    options = parser.parse_args()
    program = str(pathlib.Path(options.firstframe).resolve())
    chosen = kinds()
    if options.only is not None:
        chosen = chosen[options.only:options.only + 1]
    try:
        kept = [measure(program, kind) for kind in chosen]
    except Failure as failure:
        print(f"plan_size: {failure}", file=sys.stderr)
        return 1
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
