#!/usr/bin/env python3
"""Studies cut into shards, under whatever may happen to who does them.

Usage: .ci/shards.py --firstframe PROGRAM [--runs N] [--seed N]

Each run plans a study, lets three workers do its shards while one thing goes wrong (a worker is
killed, stands still, finds the disk full, or is one of two clients that know nothing of each
other), lets others go on by what `status` says, and merges. The bytes have to be those of one
machine, and no replication that was finished may be run again.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

STUDIES = [
    ["sweep", "s.yaml", "--vary", "policy.pool.size=[1, 2, 3]", "--replications", "2"],
    ["gate", "s.yaml", "--replications", "6"],
    ["run", "s.yaml"],
    ["tune", "s.yaml", "--minimise", "ttff_ms.p95", "--vary", "policy.pool.size=[1, 2, 3]",
     "--replications", "8"],
    ["fuzz", "messaging/literal", "--seeds", "1..12000"],
    ["audit", "s.yaml", "--mutant", "prefetch-off", "--mutant", "round-trip-30",
     "--replications", "2"],
]
SCENARIO = """\
version: 1
name: s
replications: 12
audience: {viewsPerDayPerEdge: 400000, window: 1 min}
catalogue: {titles: 500}
budgets:
  - {metric: ttff_ms.p95, limit: "< 1 s", minimumSamples: 10}
"""
FAULTS = ["kill", "freeze", "full", "clients", "flip"]
# The codes with which a study ends, whatever it found.
ENDED = {0, 10, 11, 12, 13}


def written(command: list[str], folder: str) -> list[str]:
    """The command with where it writes to, and quiet."""
    if command[0] == "fuzz":
        return [*command, "--output", folder]
    if command[0] == "audit":
        return [*command, "--junit", f"{folder}/audit.xml", "--quiet"]
    return [*command, "--output", folder, "--quiet"]


class Failure(Exception):
    """What has to hold does not."""


@dataclasses.dataclass
class Work:
    """What workers have done: replications run, by what they say."""

    replications: int = 0
    failures: int = 0
    children: list[subprocess.Popen[str]] = dataclasses.field(default_factory=list)
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)


class Study:
    """One command in a folder of its own."""

    def __init__(self, program: str, folder: pathlib.Path, command: list[str]) -> None:
        self.program = program
        self.folder = folder
        self.command = command
        self.environment = {**os.environ, "FIRSTFRAME_PILOTS": "off", "TERM": "dumb"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *arguments], cwd=self.folder, env=self.environment, text=True,
            capture_output=True, check=False)

    def plan(self) -> None:
        done = self.run(
            "plan", "-o", "p", "--cpu-time", "1 s", "--shard-time", "1 s",
            *written(self.command, "merged"))
        if done.returncode != 0:
            raise Failure(f"plan ended with {done.returncode}: {done.stderr}")

    def status(self) -> dict[str, list[int]]:
        done = self.run("status", "p", "--json")
        if done.returncode != 0:
            raise Failure(f"status ended with {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def work(self, shards: list[int], work: Work) -> None:
        """Does shards one after the other, as a worker does."""
        for shard in shards:
            with work.lock:
                child = subprocess.Popen(
                    [self.program, "shard", "p", "--index", str(shard)], cwd=self.folder,
                    env=self.environment, text=True, stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE)
                work.children.append(child)
            _, told = child.communicate()
            with work.lock:
                work.children.remove(child)
                work.replications += sum(
                    int(count) for count in re.findall(r"finished, (\d+) replications run", told))
                work.failures += child.returncode != 0

    def result(self, name: str) -> dict[str, bytes]:
        """The folder of results, but for who made it and when."""
        root = self.folder / name
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.name not in ("provenance.json", "notes.json")
            and "shards" not in path.relative_to(root).parts
        }


def disturb(fault: str, study: Study, work: Work, chance: random.Random) -> None:
    """Lets a fault happen once while workers work."""
    time.sleep(chance.uniform(0.0, 0.3))
    if fault in ("kill", "freeze"):
        for _ in range(200):
            with work.lock:
                child = chance.choice(work.children) if work.children else None
                if child is not None and child.poll() is None:
                    child.send_signal(signal.SIGKILL if fault == "kill" else signal.SIGSTOP)
                    break
            time.sleep(0.005)
        else:
            return
        if fault == "freeze":
            time.sleep(chance.uniform(0.5, 1.5))
            child.send_signal(signal.SIGCONT)
    if fault == "flip":
        for _ in range(200):
            files = sorted((study.folder / "p" / "shards").rglob("*.shard"))
            if files:
                path = chance.choice(files)
                data = bytearray(path.read_bytes())
                data[chance.randrange(len(data) - 32, len(data))] ^= 1 << chance.randrange(8)
                path.write_bytes(data)
                return
            time.sleep(0.005)


@dataclasses.dataclass
class Ended:
    """How a study ended: its code, what it printed and what it wrote."""

    code: int
    told: str
    files: dict[str, bytes]


def play(program: str, command: list[str], fault: str, seed: int, alone: Ended) -> None:
    """One run with one fault."""
    chance = random.Random(seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="shards-"))
    store = folder / "p" / "shards"
    is_small = False
    try:
        (folder / "s.yaml").write_text(SCENARIO)
        study = Study(program, folder, command)
        study.plan()
        if fault == "full" and os.geteuid() == 0:
            store.mkdir(parents=True, exist_ok=True)
            is_small = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=16k", "shards", str(store)],
                check=False).returncode == 0
        work = Work()
        wave = 0
        while True:
            wave += 1
            if wave > 20:
                raise Failure("the study does not end")
            missing = study.status()["missing"]
            chance.shuffle(missing)
            clients = 2 if fault == "clients" else 1
            workers = [
                threading.Thread(target=study.work, args=(missing[place::3], work))
                for _ in range(clients) for place in range(3)
            ]
            if wave == 1:
                workers.append(threading.Thread(
                    target=disturb, args=(fault, study, work, chance)))
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            if is_small:
                # Somebody makes room; what is whole stays.
                subprocess.run(["mount", "-o", "remount,size=64m", str(store)], check=True)
            done = study.run("merge", "p", "--quiet")
            if done.returncode in ENDED:
                break
            if done.returncode != 14:
                raise Failure(f"merge ended with {done.returncode}: {done.stderr}")
        if study.result("merged") != alone.files:
            raise Failure("the merged folder is not that of one machine")
        if (done.returncode, done.stdout.replace("merged", "alone")) != (alone.code, alone.told):
            raise Failure(f"one machine ended with {alone.code}, got {done.returncode}, "
                          f"or it told something else: {done.stdout}")
        files = len(list(store.rglob("*.shard")))
        drafts = list(store.rglob("*.draft"))
        if fault not in ("kill", "full") and drafts:
            raise Failure(f"half-written files are left: {drafts}")
        again = work.replications - files
        allowed = {"clients": files, "flip": 1}.get(fault, 0)
        if not -1 <= again <= allowed:
            raise Failure(f"{work.replications} replications were run for {files}")
        if fault == "full" and is_small and work.failures == 0:
            raise Failure("the disk was never full")
    except Failure as failure:
        raise Failure(f"seed {seed}, {fault}, {' '.join(command)}: {failure}") from failure
    finally:
        if is_small:
            subprocess.run(["umount", "-l", str(store)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--firstframe", required=True)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = str(pathlib.Path(options.firstframe).resolve())
    alone = []
    with tempfile.TemporaryDirectory() as folder:
        for place, command in enumerate(STUDIES):
            own = pathlib.Path(folder) / str(place)
            own.mkdir()
            (own / "s.yaml").write_text(SCENARIO)
            study = Study(program, own, command)
            done = study.run(*written(command, "alone"))
            if done.returncode not in ENDED:
                print(f"shards: {' '.join(command)} ended with {done.returncode}", file=sys.stderr)
                return 1
            alone.append(Ended(done.returncode, done.stdout, study.result("alone")))
    failures = 0
    for number in range(options.runs):
        fault = FAULTS[number % len(FAULTS)]
        place = number // len(FAULTS) % len(STUDIES)
        try:
            play(program, STUDIES[place], fault, options.seed + number, alone[place])
        except Failure as failure:
            failures += 1
            print(f"shards: {failure}", file=sys.stderr)
    print(f"shards: {options.runs - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
