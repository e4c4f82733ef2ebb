#!/usr/bin/env python3
"""`firstframe VERB … --on ENGINE` by real workers of Dask, against one machine.

Usage: .ci/dask.py equal --firstframe PROGRAM           1, 2 and 7 workers, local and by TCP
       .ci/dask.py kill --firstframe PROGRAM --runs N   with one thing that goes wrong in each run
       .ci/dask.py cost --firstframe PROGRAM            what the engine adds, as measured ratios
       .ci/dask.py slurm --firstframe PROGRAM           by a Slurm that SLURM_CONF names
       .ci/dask.py ssh --firstframe PROGRAM             by an sshd of its own on this machine
       .ci/dask.py workers --firstframe PROGRAM         with workers that cannot do the plan

Needs a Python with the package of Sources/python (PYTHONPATH) and its extra dask. Each comparison
is of all files of the folder of results but for who made them and when. In a run with a fault no
replication that was finished may be run again: each file of the store keeps its inode, but where
two were at the same replication at the same time.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

SCENARIO = """\
version: 1
name: s
replications: 12
audience: {viewsPerDayPerEdge: VIEWS, window: 1 min}
catalogue: {titles: 500}
budgets:
  - {metric: ttff_ms.p95, limit: "< 1 s", minimumSamples: 10}
"""
SWEEP = ["sweep", "s.yaml", "--vary", "policy.pool.size=[1, 2, 3, 4, 5, 6]",
         "--replications", "2"]
GATE = ["gate", "s.yaml", "--replications", "6"]
TUNE = ["tune", "s.yaml", "--vary", "policy.pool.size=[1, 2, 3]", "--replications", "4",
        "--halving", "--minimise", "ttff_ms.mean"]
FUZZ = ["fuzz", "calls/recommended", "--seeds", "1..4000"]
FAULTS = ["worker", "scheduler", "client", "full", "freeze", "clients"]
# The codes with which a study ends, whatever it found.
ENDED = {0, 10, 11, 12, 13}


class Failure(Exception):
    """What has to hold does not."""


def options(command: list[str], output: str) -> list[str]:
    """Where results go; a search has no progress to be quiet about."""
    return ["--output", output, *(["--quiet"] if command[0] != "fuzz" else [])]


class Place:
    """A folder with a scenario, and commands in it."""

    def __init__(self, program: str, folder: pathlib.Path, views: int = 400_000) -> None:
        self.program = program
        self.folder = folder
        self.environment = {
            **os.environ, "FIRSTFRAME_PROGRAM": program, "FIRSTFRAME_PILOTS": "off",
            "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1",
        }
        (folder / "s.yaml").write_text(SCENARIO.replace("VIEWS", str(views)))

    def alone(self, command: list[str], output: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *command, *options(command, output)], cwd=self.folder,
            env=self.environment, capture_output=True, text=True, check=False)

    def start(self, command: list[str], output: str, engine: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "firstframe", *command, *options(command, output),
             "--on", engine],
            cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, process_group=0)

    def on(self, command: list[str], output: str, engine: str) -> tuple[int, str, str]:
        """The exit code, what it said of problems, and its output."""
        child = self.start(command, output, engine)
        text, error = child.communicate(timeout=600)
        return child.returncode, error, text

    def result(self, name: str) -> dict[str, bytes]:
        root = self.folder / name
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.name not in ("provenance.json", "notes.json")
            and not {"shards", "plans"} & set(path.relative_to(root).parts)
        }


class Cluster:
    """A scheduler and workers of Dask as processes of their own."""

    def __init__(self, place: Place, workers: int) -> None:
        self.place = place
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.engine = f"dask://127.0.0.1:{self.port}"
        self.scheduler = self.start_scheduler()
        self.workers = [self.start_worker() for _ in range(workers)]

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        return self.start([], "scheduler", "--host", "127.0.0.1", "--port", str(self.port),
                          "--no-dashboard", "--no-show")

    def start_worker(
        self, prefix: list[str] | None = None, program: str | None = None
    ) -> subprocess.Popen[bytes]:
        """A worker; `program` in place of ours."""
        named = ["env", f"FIRSTFRAME_PROGRAM={program}"] if program else []
        return self.start(
            [*named, *(prefix or [])], "worker", f"tcp://127.0.0.1:{self.port}", "--no-nanny",
            "--nthreads", "1", "--no-dashboard", "--death-timeout", "120", "--memory-limit", "0",
            "--local-directory", str(self.place.folder / "dask"))

    def start(self, prefix: list[str], *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*prefix, sys.executable, "-m", "dask", *arguments],
            # Where the plan's relative paths mean nothing.
            cwd=self.place.folder if prefix else "/",
            env=self.place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            process_group=0)

    def stop(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()


@contextlib.contextmanager
def folder() -> Iterator[pathlib.Path]:
    path = pathlib.Path(tempfile.mkdtemp(prefix="dask-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


# Equal bytes


def found_by(command: list[str], files: dict[str, bytes], text: str) -> dict[str, bytes]:
    """What a command leaves; a search that finds nothing leaves its output alone."""
    return {**files, "output": text.encode()} if command[0] == "fuzz" else files


def equal(program: str, engines: list[str]) -> int:
    failures = 0
    with folder() as work:
        place = Place(program, work)
        alone = {}
        for command in (SWEEP, GATE, TUNE, FUZZ):
            name = f"alone-{command[0]}"
            done = place.alone(command, name)
            if done.returncode not in ENDED:
                raise Failure(f"{command[0]} alone ended with {done.returncode}: {done.stderr}")
            files = found_by(command, place.result(name), done.stdout)
            alone[command[0]] = (done.returncode, files)
        for engine in engines:
            for command in (SWEEP, GATE, TUNE, FUZZ):
                cluster = None
                target = engine
                if engine.startswith("dask://"):
                    cluster = Cluster(place, int(engine.removeprefix("dask://")))
                    target = cluster.engine
                output = f"on-{len(os.listdir(work))}"
                try:
                    begin = time.monotonic()
                    code, error, text = place.on(command, output, target)
                    found = (code, found_by(command, place.result(output), text))
                    if found != alone[command[0]]:
                        failures += 1
                        print(f"dask: {command[0]} on {engine}: other bytes, code {code}: {error}",
                              file=sys.stderr)
                    else:
                        print(f"dask: {command[0]} on {engine}: {len(found[1])} files equal, "
                              f"exit code {code}, {time.monotonic() - begin:.1f} s", flush=True)
                finally:
                    if cluster:
                        cluster.stop()
    return failures


# Faults


class Watch(threading.Thread):
    """Looks at the files of a store: which were written again, and how long after."""

    def __init__(self, root: pathlib.Path) -> None:
        super().__init__(daemon=True)
        self.root = root
        self.seen: dict[str, tuple[int, float]] = {}
        self.again: dict[str, float] = {}
        self.is_over = False

    def look(self) -> None:
        for path in self.root.glob("*/plans/*/shards/**/*.shard"):
            with contextlib.suppress(OSError):
                about = path.stat()
                before = self.seen.setdefault(path.name, (about.st_ino, about.st_mtime))
                if before[0] != about.st_ino:
                    self.again[path.name] = about.st_mtime - before[1]
                    self.seen[path.name] = (about.st_ino, about.st_mtime)

    def run(self) -> None:
        while not self.is_over:
            self.look()
            time.sleep(0.02)
        self.look()


def play(program: str, fault: str, seed: int, alone: tuple[int, dict[str, bytes]],
         command: list[str]) -> str:
    chance = random.Random(seed)
    with folder() as work:
        place = Place(program, work)
        cluster = Cluster(place, 0 if fault == "full" else 3)
        watch = Watch(work)
        try:
            if fault == "full":
                # Of this worker's own disk, where the store's folder is: it has no room at all.
                store = work / "full"
                store.mkdir()
                script = (
                    'mount --make-rprivate /; d=$(pwd)/r; mkdir -p "$d/plans"; '
                    'while [ -z "$(ls -d "$d"/plans/*/shards 2>/dev/null)" ]; do sleep 0.05; done; '
                    'for s in "$d"/plans/*/shards; do '
                    'mount -t tmpfs -o size=4k,nr_inodes=2 t "$s"; done; exec "$@"')
                cluster.workers.append(
                    cluster.start_worker(["unshare", "-m", "bash", "-c", script, "_"]))
            watch.start()
            clients = [place.start(command, "r", cluster.engine)
                       for _ in range(2 if fault == "clients" else 1)]
            disturb(fault, work, cluster, clients, chance)
            codes, told = [], ""
            for client in clients:
                _, error = client.communicate(timeout=300)
                codes.append(client.returncode)
                told += error
            ways = "ended"
            if codes[0] not in ENDED:
                ways = f"went on after {codes[0]}"
                if fault not in ("scheduler", "client"):
                    raise Failure(f"ended with {codes[0]}: {told}")
                if fault == "scheduler" and (codes[0] != 14 or "to go on: firstframe" not in told):
                    raise Failure(f"expected 14 and a command, got {codes[0]}: {told}")
                if fault == "scheduler":
                    cluster.stop()
                    cluster = Cluster(place, 3)
                code, told, _ = place.on(command, "r", cluster.engine)
                codes = [code]
            if codes[-1] != alone[0] or codes[0] != alone[0]:
                raise Failure(f"expected exit code {alone[0]}, got {codes}: {told}")
            if place.result("r") != alone[1]:
                raise Failure("the folder is not that of one machine")
            watch.is_over = True
            watch.join()
            late = {name: seconds for name, seconds in watch.again.items() if seconds > 20}
            if late:
                raise Failure(f"run again after they were finished: {late}")
            if watch.again and fault not in ("worker", "freeze", "clients", "client", "scheduler"):
                raise Failure(f"run again: {watch.again}")
            if "not asked again" in told:
                ways += ", a worker was refused"
            return (f"{ways}, {len(watch.seen)} replications, {len(watch.again)} done by two at a "
                    "time")
        except Failure as failure:
            raise Failure(f"seed {seed}, {fault}, {command[0]}: {failure}") from failure
        finally:
            watch.is_over = True
            cluster.stop()


def disturb(fault: str, work: pathlib.Path, cluster: Cluster,
            clients: list[subprocess.Popen[str]], chance: random.Random) -> None:
    deadline = time.monotonic() + 120
    # The first one is of the plan itself.
    first = 1 if fault == "full" else chance.randrange(2, 6)
    while (len(list(work.glob("r/plans/*/shards/**/*.shard"))) < first
           and time.monotonic() < deadline and clients[0].poll() is None):
        time.sleep(0.01)
    time.sleep(chance.uniform(0, 0.3))
    if fault == "full":
        # Side by side with the one that waits for the store.
        cluster.workers += [cluster.start_worker(), cluster.start_worker()]
    elif fault == "worker":
        victim = chance.choice(cluster.workers)
        victim.kill()
        cluster.workers.append(cluster.start_worker())
    elif fault == "scheduler":
        cluster.scheduler.kill()
    elif fault == "client":
        clients[0].kill()
    elif fault == "freeze":
        victim = chance.choice(cluster.workers)
        victim.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(2, 8))
        victim.send_signal(signal.SIGCONT)


def kill(program: str, runs: int, seed: int) -> int:
    alone = []
    commands = [SWEEP, GATE]
    with folder() as work:
        place = Place(program, work)
        for command in commands:
            done = place.alone(command, command[0])
            alone.append((done.returncode, place.result(command[0])))
    failures = full = 0
    for number in range(runs):
        fault = FAULTS[number % len(FAULTS)]
        which = number // len(FAULTS) % len(commands)
        try:
            told = play(program, fault, seed + number, alone[which], commands[which])
            full += fault == "full" and "refused" in told
            print(f"dask: {number} {fault}, {commands[which][0]}: {told}", flush=True)
        except Failure as failure:
            failures += 1
            print(f"dask: {failure}", file=sys.stderr, flush=True)
    if runs >= len(FAULTS) and not full:
        failures += 1
        print("dask: no disk was ever full", file=sys.stderr)
    print(f"dask: {runs - failures} passed, {failures} failed")
    return failures


# Workers that cannot


MEMORY = pathlib.Path("/sys/fs/cgroup/memory")


@contextlib.contextmanager
def little_memory(work: pathlib.Path, program: str) -> Iterator[str]:
    """A program that the kernel ends for want of memory."""
    group = MEMORY / f"firstframe-{os.getpid()}"
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text(str(6 << 20))
        script = work / "little-memory"
        script.write_text(f'#!/bin/sh\necho $$ >{group}/cgroup.procs\nexec {program} "$@"\n')
        script.chmod(0o755)
        yield str(script)
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)


def workers(program: str) -> int:
    """Some of the workers cannot do the plan, or none can."""
    failures = 0
    with folder() as work:
        place = Place(program, work)
        done = place.alone(SWEEP, "alone")
        alone = (done.returncode, place.result("alone"))
        other = work / "other-model"
        told = "shards: expected shards of model version 1, which this program has, got 2"
        other.write_text(f'#!/bin/sh\n[ "$1" = shard ] || exec {program} "$@"\n'
                         f'echo "firstframe: {told}" >&2\nexit 65\n')
        other.chmod(0o755)
        # The name, the program, how many of three workers have it, what is told, the exit code.
        cases: list[tuple[str, str, int, str, int]] = [
            ("one of another model version", str(other), 1, told, alone[0]),
            ("all of another model version", str(other), 3, told, 65),
        ]
        with contextlib.ExitStack() as stack:
            if (MEMORY / "memory.limit_in_bytes").exists() and os.access(MEMORY, os.W_OK):
                little = stack.enter_context(little_memory(work, program))
                cases += [
                    ("one without memory", little, 1, "out of memory", alone[0]),
                    ("all without memory", little, 3, "out of memory", 1),
                ]
            else:
                print("dask: workers without memory: skipped: expected groups of processes (v1)")
            for number, (name, path, count, expected, ends) in enumerate(cases):
                cluster = Cluster(place, 3 - count)
                cluster.workers += [cluster.start_worker(program=path) for _ in range(count)]
                try:
                    code, error, _ = place.on(SWEEP, f"r{number}", cluster.engine)
                finally:
                    cluster.stop()
                lines = [line for line in error.splitlines() if expected in line]
                # Where one can do it, all is done, whether or not the other was asked.
                left = bool(lines) if count == 3 else place.result(f"r{number}") == alone[1]
                if code == ends and left:
                    print(f"dask: {name}: exit code {code}; {lines[0] if lines else 'never asked'}",
                          flush=True)
                else:
                    failures += 1
                    print(f"dask: {name}: exit code {code}: {error}", file=sys.stderr, flush=True)
    return failures


# SSH


@contextlib.contextmanager
def ssh_daemon(work: pathlib.Path) -> Iterator[pathlib.Path]:
    """An sshd on this machine's own address; a home whose key it takes."""
    home = work / "home"
    (home / ".ssh").mkdir(parents=True)
    for key in (work / "host", home / ".ssh" / "id_ed25519"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    public = (work / "host.pub").read_text()
    (home / ".ssh" / "known_hosts").write_text(f"127.0.0.1 {public}")
    settings = work / "sshd"
    settings.write_text(
        f"Port 22\nListenAddress 127.0.0.1\nHostKey {work}/host\nPidFile none\nUsePAM no\n"
        f"StrictModes no\nAuthorizedKeysFile {home}/.ssh/id_ed25519.pub\n"
        "PermitRootLogin prohibit-password\n")
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    daemon = subprocess.Popen(["/usr/sbin/sshd", "-D", "-f", str(settings)])
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", 22), 1):
                break
            time.sleep(0.05)
        if daemon.poll() is not None:
            raise Failure(f"sshd ended with {daemon.returncode}")
        yield home
    finally:
        daemon.terminate()
        daemon.wait()


def ssh(program: str) -> int:
    if os.getuid() or not os.access("/usr/sbin/sshd", os.X_OK):
        print("dask: SSH: skipped: expected root and openssh-server")
        return 0
    with tempfile.TemporaryDirectory(prefix="ssh-") as name:
        with ssh_daemon(pathlib.Path(name)) as home:
            os.environ["HOME"] = str(home)
            return equal(program, ["dask+ssh:127.0.0.1,127.0.0.1"])


# Costs


def cost(program: str, pairs: int) -> int:
    """Time on an engine of one worker over the time of the shards' programs by themselves, and two
    workers over one. Medians of interleaved pairs; other work on the machine is in all of them."""
    for views, values, expected in ((40_000, 40, "80 ms"), (2_000_000, 6, "5 s")):
        command = ["sweep", "s.yaml", "--vary", "policy.pool.size=[1, 2]", "--replications",
                   str(values // 2)]
        ratios, gains, each, processor = [], [], [], []
        for _ in range(pairs):
            times = {}
            for workers in (0, 1, 2):
                with folder() as work:
                    place = Place(program, work, views)
                    times[workers] = measured(place, command, workers, values, expected)
            ratios.append(times[1][0] / times[0][0])
            gains.append(times[1][0] / times[2][0])
            each.append(times[0][0] / values)
            processor.append(times[1][1] / times[0][1])
        print(f"dask: shards of {statistics.median(each) * 1000:.0f} ms: one worker takes "
              f"{statistics.median(ratios):.3f} of their own time "
              f"({min(ratios):.3f} to {max(ratios):.3f}; of processor time "
              f"{statistics.median(processor):.3f}), two workers are "
              f"{statistics.median(gains):.2f} times one ({min(gains):.2f} to {max(gains):.2f}); "
              f"{pairs} pairs, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    return 0


def measured(
    place: Place, command: list[str], workers: int, count: int, expected: str
) -> tuple[float, float]:
    """Seconds for the shards of a plan, and of processors: of programs one by one, or of an engine
    with workers."""
    subprocess.run(
        [place.program, "plan", "-o", "p", "--cpu-time", expected, "--shard-time", expected,
         *command], cwd=place.folder, env=place.environment, check=True, capture_output=True)
    if workers == 0:
        begin, before = time.monotonic(), children()
        for index in range(count):
            subprocess.run([place.program, "shard", "p", "--index", str(index), "--quiet"],
                           cwd=place.folder, env=place.environment, check=True)
        return time.monotonic() - begin, children() - before
    code = (
        "import os, sys, time, firstframe, distributed\n"
        "with distributed.LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=1,\n"
        "        processes=False, dashboard_address=None, memory_limit=0) as cluster, \\\n"
        "        distributed.Client(cluster) as client:\n"
        "    begin, before = time.monotonic(), sum(os.times()[:4])\n"
        "    made = list(firstframe.DaskEngine(client).map_shards('p', range(int(sys.argv[2]))))\n"
        "    took = time.monotonic() - begin, sum(os.times()[:4]) - before\n"
        "    assert all(one[1] for one in made), made\n"
        "    print(*took)\n")
    done = subprocess.run([sys.executable, "-c", code, str(workers), str(count)],
                          cwd=place.folder, env=place.environment, check=True,
                          stdout=subprocess.PIPE, text=True)
    wall, processor = done.stdout.split()[-2:]
    return float(wall), float(processor)


def children() -> float:
    """Processor seconds of children that have ended."""
    return sum(os.times()[2:4])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["equal", "kill", "cost", "slurm", "ssh", "workers"])
    parser.add_argument("--firstframe", required=True)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = str(pathlib.Path(options.firstframe).resolve())
    local = [f"dask+local:{n}" for n in (1, 2, 7)]
    match options.part:
        case "equal":
            failures = equal(program, local + [f"dask://{n}" for n in (1, 2, 7)])
        case "kill":
            failures = kill(program, options.runs, options.seed)
        case "cost":
            failures = cost(program, options.pairs)
        case "ssh":
            failures = ssh(program)
        case "workers":
            failures = workers(program)
        case _:
            failures = equal(program, ["dask+slurm:all:2"])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
