#!/usr/bin/env python3
"""Every verb that writes or takes time, disturbed at random moments.

Usage: .ci/kills.py PROGRAM [--moments N] [--seed N] [--verb NAME …] [--fault NAME …] [--only N]
       [--lanes N]

A command runs undisturbed twice: its files, its exit code and how long it takes. Then again and
again with one thing that goes wrong at a random moment: SIGKILL, SIGTERM, SIGHUP, SIGINT, a disk
that is full (a small tmpfs, as root; a limit of the size of files otherwise), or an output folder
that is removed. Half of the moments are by the clock, half by what has appeared in the output
folder; half of the runs find older files of the same names. After each of them

- the exit code is one that the contract has for it, and the command has ended in time;
- no process of it is left;
- a file with its final name is whole: that of the undisturbed run, the older one, or one of a
  study that was cut (14), whole as well;
- no other file is left but after SIGKILL;
- the same command ends with the code and the bytes of the undisturbed one, without simulating
  again what was finished.

PROGRAM is firstframe, with firstframe-live beside it. Standard library only; Linux.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import uuid
import xml.etree.ElementTree

SCENARIO = """\
version: 1
name: s
replications: 6
audience: {viewsPerDayPerEdge: 200000, window: 1 min}
catalogue: {titles: 500}
budgets:
  - {metric: ttff_ms.p95, limit: "< 1 s", minimumSamples: 10}
"""
SIGNALS = {
    "SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP,
    "SIGINT": signal.SIGINT,
}
FAULTS = [*SIGNALS, "full", "removed"]
# The codes with which a command ends, whatever it found.
ENDED = {0, 10, 11, 12, 13}
PARTIAL, BAD_DATA, MISSING_FILE, CANNOT_WRITE = 14, 65, 66, 73
# A folder with one of these was put there in one step.
MARKS = {"result.json", "sweep.json", "tune.json", "capacity.json", "backtest.json",
         "tables.json", "validation.json", "library.json"}
# What lines are written to as they come: none yet is whole.
ACCESS_LOG = "log.jsonl"
# What is not text.
MEDIA = (".mp4", ".m4s")
# What lines are added to.
HISTORY = "history.jsonl"
# What is made of it, too.
OF_HISTORY = {"history.json", "report.html"}
# What says when it was made, or by whom.
TIMED = {"provenance.json", "notes.json", "junit.xml", "history.json", HISTORY}
POOLS = ["--vary", "policy.pool.size=[1, 2, 3]", "--replications", "4"]
OUTAGES = ("cdn.origin.outages=[[], [{kind: error, from: 50 s, length: 5 s}], "
           "[{kind: error, from: 52 s, length: 5 s}]]")


# A name that no user has given.
HIDDEN = re.compile(r"\S*(?:\.\d+\.part|/\.[^/ ]+\.\d+\.\d+|\.draft|/\.making-)\S*")


class Failure(Exception):
    """What has to hold does not."""


@dataclasses.dataclass(frozen=True)
class Verb:
    """A command that writes files."""

    name: str
    command: list[str]
    #: What prepares the folder.
    before: list[list[str]] = dataclasses.field(default_factory=list)
    #: Codes after a signal, beside that of the undisturbed run and 128 and its number.
    cut: frozenset[int] = frozenset()
    #: The folder out is what it reads, too.
    needs: bool = False
    #: No older files of the names: it would refuse them, or is about them.
    is_new: bool = False
    #: By the clock: no two runs are equal.
    is_live: bool = False
    #: What it reads from standard input.
    said: str = ""
    #: The folder that gets its files.
    out: str = "out"
    #: A server's seconds until it is asked to end; what asks it for pages in them.
    serves: float = 0
    asks: str = ""


def quiet(*command: str) -> list[str]:
    return [*command, "--output", "out", "--quiet"]


def said(*messages: dict[str, object]) -> str:
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)


PLAN = ["plan", "--output", "out/p", "--cpu-time", "1 s", "--shard-time", "1 s",
        "sweep", "s.yaml", *POOLS, "--output", "out/merged", "--quiet"]
RUN = ["run", "s.yaml", "--replications", "6", "--output", "out", "--quiet"]
MIDDLE = frozenset({PARTIAL})
VERDICT = frozenset({PARTIAL, 10})
FUZZ = ["fuzz", "messaging/literal", "--seeds", "1..6000", "--output"]
GATE = ["--junit", "out/junit.xml", "--openmetrics", "out/m.txt", "--pr-comment", "out/comment",
        "--gitlab", "--tables", "out/tables"]
VERBS = [
    Verb("run", [*RUN, "--tables", "out/tables", "--events", "out/events.jsonl", "--requests",
                 "out/requests.csv"], cut=VERDICT),
    Verb("gate", [*quiet("gate", "s.yaml"), *GATE[:6], *GATE[7:], "--baseline", "b"],
         [["gate", "s.yaml", "--update-baseline", "--baseline", "b", "--output", "before"]],
         cut=VERDICT),
    Verb("gate-baseline", [*quiet("gate", "s.yaml"), "--update-baseline", "--history",
                           "out/history.jsonl"],
         [["gate", "s.yaml", "--seed", "2", "--history", "out/history.jsonl", "--output",
           "before"]], cut=VERDICT | {13}),
    Verb("compare", ["compare", "s.yaml", "--with", "policy.pool.size=1", "--page", "out/c.html",
                     "--replications", "4", "--quiet"]),
    Verb("sweep", [*quiet("sweep", "s.yaml", *POOLS), "--tables", "out/tables"], cut=MIDDLE),
    Verb("sweep-prefix", quiet(
        "sweep", "s.yaml", "--vary", OUTAGES, "--set", "audience.viewsPerDayPerEdge=2000000",
        "--replications", "4"), cut=MIDDLE),
    Verb("tune", quiet("tune", "s.yaml", "--minimise", "ttff_ms.p95", *POOLS), cut=MIDDLE),
    Verb("audit", ["audit", "s.yaml", "--mutant", "prefetch-off", "--mutant", "round-trip-30",
                   "--replications", "2", "--junit", "out/junit.xml", "--quiet"]),
    Verb("fuzz", [*FUZZ, "out"]),
    Verb("shrink", ["shrink", "f/messaging-literal-no-false-view.txt", "--output", "out/f.txt"],
         [[*FUZZ, "f"]]),
    Verb("replay-failure", ["replay", "failure", "f/messaging-literal-no-false-view.txt", "--svg",
                            "out/f.svg"], [[*FUZZ, "f"]]),
    Verb("replay-cache", ["replay", "cache", "requests.csv", "--mrc", "--mrc-csv", "out/m.csv",
                          "--svg", "out/m.svg"]),
    Verb("calibrate", ["calibrate", "events.jsonl", "--output", "out/c.yaml", "--html",
                       "out/c.html", "--edges", "1", "--resamples", "50"]),
    Verb("match", ["match", "s.yaml", "--observed", "events.jsonl", "--fit",
                   "network.access[0].sessionRate.median=10..40 Mbps", "--replications", "8",
                   "--set", "audience.viewsPerDayPerEdge=100000", "--output", "out/fitted.yaml",
                   "--quiet"]),
    Verb("backtest", [*quiet("backtest", "s.yaml", "--observed", "events.jsonl"),
                      "--replications", "8"]),
    Verb("capacity", ["capacity", "s.yaml", "--audience", "200000", "--replications", "2",
                      "--output", "out"]),
    Verb("plan", PLAN, is_new=True),
    Verb("shard", ["shard", "out/p"], [PLAN], needs=True, is_new=True),
    Verb("merge", ["merge", "out/p", "--audit", "20%"], [PLAN, ["shard", "out/p"]], needs=True),
    Verb("report", ["report", "out/RUN", "--full"], [RUN], needs=True, is_new=True),
    Verb("notebook", ["report", "ran/RUN", "--notebook", "--output", "out/n.ipynb"],
         [[*RUN[:-2], "ran", "--quiet"]]),
    Verb("trace", ["trace", "s.yaml", "--viewer", "1024", "--output", "out/t.json"]),
    Verb("init", ["init", "my", "--output", "out/my.yaml"], needs=True, is_new=True),
    Verb("fmt", ["fmt", "out/s.yaml", "out/t.yaml"], needs=True, is_new=True),
    Verb("reference", ["reference", "--docs", "out"], needs=True),
    Verb("mcp", ["mcp"], said=said(
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "kills", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {
            "name": "run", "arguments": {"file": "s.yaml", "replications": 6}}}), is_live=True,
        out="results"),
    Verb("live-run", quiet("live", "run", "s.yaml", "--window", "2s", "--warm-up", "1s",
                           "--views", "20", "--no-confirm"), cut=VERDICT | {13}, is_live=True),
    Verb("live-calls", ["live", "calls", "calls.yaml", "--length", "1s", "--rounds", "2",
                        "--changes", "5", "--callers", "20", "--output", "out/calls.json"],
         is_live=True),
    Verb("live-validate", quiet("live", "validate", "s.yaml", "--window", "2s", "--warm-up", "1s",
                                "--views", "20"), cut=VERDICT | {13}, is_live=True),
    Verb("live-messages", ["live", "messages", "messages.yaml", "--pairs", "3", "--for", "2s",
                           "--every", "500ms", "--drain", "2s"], is_live=True),
    Verb("live-edge", ["live", "edge", "--origin", "http://127.0.0.1:ORIGIN", "--port", "PORT",
                       "--log", "out/log.jsonl"], is_live=True, serves=1, asks="/{}"),
    Verb("live-standin", ["live", "standin", "s.yaml", "--port", "PORT"], is_live=True, serves=1,
         asks="/vod/t{}/media_manifest.json"),
    Verb("live-media", ["live", "media", "s.yaml", "--length", "2s"], out="cache", is_new=True),
    Verb("live-link", ["live", "link", "--down", "10Mbps", "--exec", "sleep 0.5"], is_live=True),
]
NEEDS_ROOT = {"live-link"}


@dataclasses.dataclass
class Ended:
    """How a command ended."""

    code: int
    output: str
    error: str
    seconds: float


class Command(threading.Thread):
    """The program in a folder, with a mark in its environment by which its processes are known."""

    def __init__(self, program: str, folder: pathlib.Path, arguments: list[str],
                 verb: Verb | None = None, bound: float = 120) -> None:
        super().__init__()
        self.mark = uuid.uuid4().hex
        self.text = verb.said if verb else ""
        self.serves = verb.serves if verb else 0
        self.asks = verb.asks if verb else ""
        self.bound = bound
        self.answers = 0
        self.port = 0
        if "PORT" in arguments:
            self.port = free_port()
            arguments = [str(self.port) if word == "PORT" else word for word in arguments]
        self.is_late = False
        for name in ("tmp", "pilots"):
            (folder / name).mkdir(exist_ok=True)
        environment = {
            **os.environ, "FIRSTFRAME_PILOTS": str(folder / "pilots"), "TERM": "dumb",
            "TMPDIR": str(folder / "tmp"), "FIRSTFRAME_KILLS_MARK": self.mark,
            "SWIFT_BACKTRACE": "enable=no", "COLUMNS": "100",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        self.begin = time.monotonic()
        # What the interpreter ignores stays ignored: SIGXFSZ, so that a write fails with EFBIG.
        self.child = subprocess.Popen(
            [program, *arguments], cwd=folder, env=environment, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=False,
            process_group=0)
        self.result = Ended(0, "", "", 0)
        self.start()

    def run(self) -> None:
        output = self.asked() if self.text else ""
        if self.serves:
            self.ask()
        try:
            rest, error = self.child.communicate(timeout=self.bound)
        except subprocess.TimeoutExpired:
            self.is_late = True
            self.take_away()
            rest, error = self.child.communicate()
        self.result = Ended(
            self.child.returncode, output + rest, error, time.monotonic() - self.begin)

    def ask(self) -> None:
        """Asks a server for pages, one after the other, until it is gone or asked to end."""
        number = 0
        # From its first answer on: a machine that others use, too, may begin late.
        end = self.begin + self.bound / 2
        while self.child.poll() is None and time.monotonic() < end:
            number += 1
            address = f"http://127.0.0.1:{self.port}{self.asks.format(number % 100)}"
            try:
                with urllib.request.urlopen(address, timeout=2) as answer:
                    answer.read()
                if not self.answers:
                    end = time.monotonic() + self.serves
                self.answers += 1
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)
        if self.child.poll() is None:
            self.child.terminate()

    def asked(self) -> str:
        """Says what is to be said, and hears the answers: the end of the input is the end."""
        assert self.child.stdin is not None and self.child.stdout is not None
        timer = threading.Timer(self.bound, self.give_up)
        timer.start()
        output = ""
        try:
            self.child.stdin.write(self.text)
            self.child.stdin.flush()
            while (line := self.child.stdout.readline()) and '"id":2' not in line:
                output += line
            output += line
        except OSError:
            pass
        timer.cancel()
        return output

    def end(self) -> Ended:
        self.join()
        return self.result

    def processes(self) -> dict[int, str]:
        """Processes that have the mark, with what they are."""
        found = {}
        wanted = f"FIRSTFRAME_KILLS_MARK={self.mark}".encode()
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            place = pathlib.Path("/proc", entry)
            try:
                if wanted in (place / "environ").read_bytes():
                    words = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(entry)] = words.decode(errors="replace").strip()
            except OSError:
                continue
        return found

    def left(self, seconds: float) -> dict[int, str]:
        """Processes that are there still after so long."""
        end = time.monotonic() + seconds
        while (found := self.processes()) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def give_up(self) -> None:
        self.is_late = True
        self.take_away()

    def take_away(self) -> None:
        for number in self.processes():
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def left_namespaces(process: int, seconds: float) -> list[str]:
    """Network namespaces of a process's links that are there still after so long."""
    end = time.monotonic() + seconds
    place = pathlib.Path("/run/netns")
    while found := [path.name for path in place.glob(f"ff-*-{process}-*")]:
        if time.monotonic() > end:
            return found
        time.sleep(0.05)
    return []


class Page(http.server.BaseHTTPRequestHandler):
    """What an edge's origin answers to everything."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.path.encode() * 100
        self.send_response(200)
        self.send_header("Cache-Control", "max-age=60")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


# Files


def files(root: pathlib.Path) -> dict[str, bytes]:
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(root))] = path.read_bytes()
    return found


def is_draft(name: str) -> bool:
    """Whether a file has no final name yet."""
    path = pathlib.PurePath(name)
    if any(part.startswith(".") and part != ".firstframe" for part in path.parts):
        return True
    if path.suffix in (".part", ".draft", ".old"):
        return True
    return path.suffix == ".pilot" and len(path.stem) != 32


def unit(name: str, names: set[str]) -> str:
    """What is put in its place in one step together with a file: its folder, or itself."""
    for folder in reversed(pathlib.PurePath(name).parents[:-1]):
        if any(str(folder / mark) in names for mark in MARKS):
            return str(folder)
    return name


def check_form(name: str, data: bytes) -> None:
    """A file that is whole, by its form alone."""
    if name.endswith(MEDIA):
        return
    text = data.decode()
    kind = pathlib.PurePath(name).suffix
    try:
        if kind in (".json", ".ipynb"):
            json.loads(text)
        elif kind == ".jsonl":
            for line in filter(None, text.splitlines()):
                json.loads(line)
        elif kind in (".xml", ".svg"):
            xml.etree.ElementTree.fromstring(text)
        elif kind == ".html" and not text.rstrip().endswith("</html>"):
            raise ValueError("no </html>")
    except (ValueError, xml.etree.ElementTree.ParseError) as error:
        raise Failure(f"{name} is not whole: {error}") from error
    if not data and pathlib.PurePath(name).name == ACCESS_LOG:
        return
    if not data or kind not in (".json", ".ipynb", ".svg") and not text.endswith("\n"):
        raise Failure(f"{name} is not whole: it ends with {text[-40:]!r}")


def is_kept(name: str) -> bool:
    return name.endswith(".shard")


class Study:
    """A verb, its folder before, and what it does undisturbed."""

    def __init__(self, program: str, verb: Verb, inputs: pathlib.Path,
                 base: pathlib.Path) -> None:
        self.program = program
        self.base = base
        template = base / "template"
        shutil.copytree(inputs, template)
        (template / verb.out).mkdir()
        if verb.name == "fmt":
            for name in ("s", "t"):
                (template / "out" / f"{name}.yaml").write_text(
                    SCENARIO.replace(": ", ":   ") + "# " + "x" * 60_000 + "\n")
        for command in verb.before:
            done = Command(program, template, command).end()
            if done.code not in ENDED:
                raise Failure(f"{verb.name}: {' '.join(command)} ended with {done.code}: "
                              f"{done.error}")
        for place in ("tmp", "pilots"):
            shutil.rmtree(template / place, ignore_errors=True)
        # Where a run lies follows from what it depends on.
        command = list(verb.command)
        for number, word in enumerate(command):
            if word.endswith("/RUN"):
                folder = word.removesuffix("RUN")
                place = next((template / folder).glob("*/result.json")).parent.name
                command[number] = folder + place
        self.verb = dataclasses.replace(verb, command=command)
        self.template = template
        self.before = files(template / verb.out)
        first, second = self.alone(), self.alone()
        self.ended = first[0]
        self.seconds = (first[0].seconds + second[0].seconds) / 2
        self.files = first[1]
        names = set(self.files)
        codes = {first[0].code, second[0].code}
        # What a live run comes to is the machine's doing, too.
        if names != set(second[1]) or len(codes) > 1 and not verb.is_live:
            raise Failure(f"{verb.name}: two undisturbed runs differ: {names ^ set(second[1])}, "
                          f"codes {codes}")
        self.differ = {name for name in names if self.files[name] != second[1][name]}
        unknown = {name for name in self.differ
                   if pathlib.PurePath(name).name not in TIMED and not is_kept(name)}
        if unknown and not verb.is_live:
            raise Failure(f"{verb.name}: two undisturbed runs have other bytes: {unknown}")
        self.tells = first[0].output if first[0].output == second[0].output else None
        for name, data in self.files.items():
            if not is_kept(name):
                check_form(name, data)
        # Older files of the names: a line longer, so that they are known.
        self.older = {
            name: data + b"\n" for name, data in self.files.items()
            if not verb.is_new and not verb.is_live and not is_kept(name)
            and name not in self.before}

    def alone(self) -> tuple[Ended, dict[str, bytes]]:
        folder = self.base / "alone"
        shutil.copytree(self.template, folder)
        command = Command(self.program, folder, self.verb.command, self.verb)
        done = command.end()
        if done.code not in ENDED:
            raise Failure(f"{self.verb.name} ended with {done.code}: {done.error}")
        if self.verb.serves and not command.answers:
            raise Failure(f"{self.verb.name} answered nothing: {done.error}")
        found = self.written(folder)
        self.size = sum(len(data) for data in files(folder).values())
        shutil.rmtree(folder)
        return done, found

    def written(self, folder: pathlib.Path) -> dict[str, bytes]:
        return files(folder / self.verb.out)

    @property
    def bound(self) -> float:
        """Seconds after which a command hangs, on a machine that others use, too."""
        return 120 + 20 * self.seconds

    def allowed(self, fault: str) -> set[int]:
        codes = {self.ended.code}
        if self.verb.is_live:
            codes |= ENDED
        if fault in SIGNALS:
            number = SIGNALS[fault]
            # What is not caught ends by the signal itself, which a shell tells as 128 more.
            codes |= {-number}
            if fault != "SIGKILL":
                codes |= {128 + number} | self.verb.cut
                if self.verb.serves:
                    # The SIGTERM that ends its time is its second then, which ends it at once.
                    codes |= {128 + signal.SIGTERM}
        else:
            codes |= {CANNOT_WRITE}
            if fault == "removed" and self.verb.needs:
                codes |= {PARTIAL, BAD_DATA, MISSING_FILE}
        return codes


@dataclasses.dataclass
class Moment:
    """What is to go wrong, and when."""

    fault: str
    #: Seconds after the start, or after what was to appear has appeared.
    after: float
    #: That many new files in the output folder; nil for the clock alone.
    appeared: int | None
    has_older: bool
    #: Bytes that are left on a disk that is full.
    room: int = 0

    @staticmethod
    def drawn(study: Study, number: int, seed: int, faults: list[str]) -> Moment:
        chance = random.Random(f"{seed}/{study.verb.name}/{number}")
        first = [verb.name for verb in VERBS].index(study.verb.name)
        fault = faults[(first + number) % len(faults)]
        new = [name for name in study.files if name not in study.before]
        if fault == "full":
            # Early enough, and so that it ends within a file.
            sizes = [len(study.files[name]) for name in new] or [0]
            room = chance.choice([0, chance.randint(0, chance.choice([max(sizes), sum(sizes)]))])
            return Moment(fault, chance.uniform(0, study.seconds), None,
                          chance.random() < 0.5 and bool(study.older), room)
        if chance.random() < 0.5 or not new:
            appeared, after = None, chance.uniform(0, 1.1 * study.seconds)
        else:
            # Half of these at the first ones: a folder is written as a whole.
            most = chance.choice([1, len(new)])
            appeared, after = chance.randint(1, most), chance.choice([0, chance.uniform(0, 0.004)])
        return Moment(fault, after, appeared, chance.random() < 0.5 and bool(study.older))

    def __str__(self) -> str:
        when = f"{self.after:.4f} s"
        if self.appeared is not None:
            when += f" after file {self.appeared}"
        if self.room:
            when += f", {self.room} bytes left"
        return f"{self.fault} at {when}{', older files there' if self.has_older else ''}"

    def wait(self, command: Command, folder: pathlib.Path) -> None:
        if self.appeared is not None:
            before = inodes(folder)
            new: set[tuple[str, int]] = set()
            while len(new) < self.appeared and command.child.poll() is None:
                new |= inodes(folder) - before
                time.sleep(0.0002)
        end = time.monotonic() + self.after
        while (left := end - time.monotonic()) > 0 and command.child.poll() is None:
            time.sleep(min(left, 0.01))


def inodes(folder: pathlib.Path) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    found |= inodes(pathlib.Path(entry.path))
                else:
                    found.add((entry.name, entry.inode()))
    except OSError:
        pass
    return found


@dataclasses.dataclass
class Count:
    """What came of the moments of a verb."""

    codes: collections.Counter[int] = dataclasses.field(default_factory=collections.Counter)
    #: Unfinished files after SIGKILL, and those that the next run has left.
    drafts: int = 0
    stayed: int = 0
    #: Replications that were kept when the command was given again.
    kept: int = 0
    #: Whether the fault came before the end.
    hit: int = 0


class Disturbed:
    """One run with one moment."""

    def __init__(self, study: Study, moment: Moment, count: Count) -> None:
        self.study = study
        self.moment = moment
        self.count = count
        self.folder = study.base / "disturbed"
        self.out = self.folder / study.verb.out
        self.is_mounted = False
        self.folder.mkdir()
        try:
            if moment.fault == "full" and os.geteuid() == 0:
                size = 2 * study.size + (4 << 20)
                self.is_mounted = subprocess.run(
                    ["mount", "-t", "tmpfs", "-o", f"size={size}", "kills", str(self.folder)],
                    check=False, stderr=subprocess.DEVNULL).returncode == 0
            self.prepare()
            self.play()
        finally:
            if self.is_mounted:
                subprocess.run(["umount", "-l", str(self.folder)], check=False)
            shutil.rmtree(self.folder, ignore_errors=True)

    def prepare(self) -> None:
        shutil.copytree(self.study.template, self.folder, dirs_exist_ok=True)
        if self.moment.has_older:
            for name, data in self.study.older.items():
                path = self.out / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)

    def disturb(self, command: Command) -> None:
        fault = self.moment.fault
        number = command.child.pid
        if fault in SIGNALS:
            command.child.send_signal(SIGNALS[fault])
        elif fault == "removed":
            # In one step, so that what is left of a file is of the program's making.
            self.out.rename(self.study.base / "removed")
            shutil.rmtree(self.study.base / "removed")
        elif self.is_mounted:
            with open(self.folder / "fill", "wb", buffering=0) as file:
                try:
                    while file.write(bytes(1 << 16)):
                        pass
                except OSError:
                    pass
                file.truncate(max(0, file.tell() - self.moment.room))
        else:
            try:
                room = self.moment.room
                resource.prlimit(number, resource.RLIMIT_FSIZE, (room, room))
            except ProcessLookupError:
                pass

    def play(self) -> None:
        study, moment = self.study, self.moment
        command = Command(
            study.program, self.folder, study.verb.command, study.verb, study.bound)
        moment.wait(command, self.out)
        if command.child.poll() is None:
            self.count.hit += 1
        self.disturb(command)
        done = command.end()
        self.count.codes[done.code] += 1
        if command.is_late:
            raise Failure(f"it was not over after {study.bound:.0f} s")
        left = command.left(3 if study.verb.command[0] == "live" else 1)
        if left:
            command.take_away()
            raise Failure(f"processes are left: {left}")
        if namespaces := left_namespaces(command.child.pid, 3):
            raise Failure(f"namespaces are left: {namespaces}")
        if self.is_mounted:
            (self.folder / "fill").unlink(missing_ok=True)
        if done.code not in study.allowed(moment.fault):
            raise Failure(f"exit code {done.code}: {done.error[-400:]}")
        if done.code == CANNOT_WRITE and (hidden := HIDDEN.search(done.error)):
            raise Failure(f"it names {hidden.group(0)!r}: {done.error[-400:]}")
        drafts = [name for name in files(self.folder) if is_draft(name)]
        drafts += [str(path) for path in (self.folder / "tmp").rglob("*")]
        if moment.fault == "SIGKILL":
            self.count.drafts += len(drafts)
        elif drafts:
            raise Failure(f"with code {done.code} unfinished files are left: {drafts}")
        self.check_files(done)
        kept = self.kept()
        self.count.kept += len(kept)
        told = re.search(r"stopped after (\d+) of \d+ replications; to go on", done.error)
        if told and moment.fault in SIGNALS and len(kept) < int(told.group(1)):
            raise Failure(f"{told.group(0)}, and {len(kept)} are kept")
        self.again(kept)

    def kept(self) -> dict[str, int]:
        return {str(path.relative_to(self.out)): path.stat().st_ino
                for path in self.out.rglob("*.shard")}

    def check_files(self, done: Ended) -> None:
        """Every file that has its final name is whole."""
        study = self.study
        found = {name: data for name, data in study.written(self.folder).items()
                 if not is_draft(name)}
        is_cut = (self.moment.fault in SIGNALS and done.code != study.ended.code
                  or study.verb.is_live)
        units: dict[str, set[str]] = collections.defaultdict(set)
        for name in {*found, *study.files}:
            units[unit(name, {*found, *study.files})].add(name)
        for place, names in units.items():
            self.check_unit(place, {name: found[name] for name in names if name in found},
                            names, is_cut)
        missing = set(study.files) - set(found)
        if done.code == study.ended.code and missing and self.moment.fault != "removed" \
                and not study.verb.is_live:
            raise Failure(f"code {done.code}, and files are missing: {sorted(missing)}")

    def check_unit(self, place: str, found: dict[str, bytes], names: set[str],
                   is_cut: bool) -> None:
        study = self.study
        if not found:
            return
        for name, data in found.items():
            if not is_kept(name):
                check_form(name, data)
        # What was made of an input that is gone is whole, and nothing else.
        is_gone = study.verb.needs and self.moment.fault == "removed"
        if all(is_kept(name) for name in found) or study.verb.is_live or is_gone:
            return

        # A history that was removed before it was read is not told of.
        tells_history = (OF_HISTORY if self.moment.fault == "removed"
                         and HISTORY in study.before else set())

        def is_that(these: dict[str, bytes]) -> bool:
            wanted = {name: data for name, data in these.items() if name in names}
            return wanted.keys() == found.keys() and all(
                data == found[name] or name in study.differ
                or pathlib.PurePath(name).name in tells_history
                for name, data in wanted.items())

        if any(is_that(these) for these in (study.files, study.older, study.before)):
            return
        if place == HISTORY:
            # Lines are added; those that were there stay.
            is_new = self.moment.fault == "removed"
            if is_new or found[place].startswith(study.before[place]):
                return
        # A study that was cut has a result of its own, of the same files but the time lines.
        has_mark = any(pathlib.PurePath(name).name in MARKS for name in found) or place in found
        if is_cut and has_mark and found.keys() <= {*study.files, *study.older}:
            return
        other = [name for name in found if found[name] != study.files.get(name)]
        raise Failure(f"{place} is neither new nor old: {other}, of {len(found)}")

    def again(self, kept: dict[str, int]) -> None:
        """The same command, undisturbed."""
        study = self.study
        if study.verb.is_live:
            return
        is_whole_again = not kept
        if self.moment.fault == "removed" and study.verb.needs:
            shutil.rmtree(self.folder)
            self.folder.mkdir()
            self.prepare()
            kept = {}
        if HISTORY in study.before:
            self.out.mkdir(exist_ok=True)
            (self.out / HISTORY).write_bytes(study.before[HISTORY])
        is_refused = study.verb.name == "init" and (self.out / "my.yaml").exists()
        command = Command(
            study.program, self.folder, study.verb.command, study.verb, study.bound)
        done = command.end()
        if command.is_late:
            raise Failure(f"again: it was not over after {study.bound:.0f} s")
        if is_whole_again and not is_refused:
            # Others use the machine, too, now more and now less.
            study.seconds = (study.seconds + done.seconds) / 2
        # A scenario that is whole stays; a new one is never written over.
        wanted = CANNOT_WRITE if is_refused else study.ended.code
        if done.code != wanted:
            raise Failure(f"again: expected exit code {wanted}, got {done.code}: "
                          f"{done.error[-400:]}")
        # What has changed is what fmt tells, and a path from the root is what media tells.
        is_told = (study.tells is None or is_refused
                   or study.verb.name in ("fmt", "live-media"))
        if not is_told and done.output != study.tells:
            raise Failure(f"again: it tells something else: {done.output[-400:]}")
        found = study.written(self.folder)
        stayed = {name for name in found if is_draft(name)}
        self.count.stayed += len(stayed)
        names = set(found) - stayed
        if names != set(study.files):
            raise Failure(f"again: other files: {names ^ set(study.files)}")
        other = [name for name in names - study.differ
                 if found[name] != study.files[name] and not is_kept(name)]
        if other:
            raise Failure(f"again: other bytes: {other}")
        for name, inode in self.kept().items():
            if kept.get(name, inode) != inode:
                raise Failure(f"again: {name} was finished, and was simulated again")


def inputs(program: str, folder: pathlib.Path) -> None:
    """What the commands read."""
    folder.mkdir()
    (folder / "s.yaml").write_text(SCENARIO)
    shutil.copy("scenarios/call-presence-contention.yaml", folder / "calls.yaml")
    shutil.copy("scenarios/tbm-push-poll.yaml", folder / "messages.yaml")
    (folder / "big.yaml").write_text(
        SCENARIO.replace("name: s", "name: big").replace("200000", "2000000"))
    done = Command(program, folder, [
        "run", "big.yaml", "--replications", "1", "--events", "events.jsonl", "--requests",
        "requests.csv", "--output", "tmp/big", "--quiet"]).end()
    if done.code not in ENDED:
        raise Failure(f"run for the inputs ended with {done.code}: {done.error}")
    for place in ("tmp", "pilots"):
        shutil.rmtree(folder / place)


def in_lanes(options: argparse.Namespace) -> int:
    """Several verbs at a time, each in a process of its own."""
    verbs = options.verb or [verb.name for verb in VERBS]
    sums = [0, 0]

    def play(verb: str) -> tuple[str, list[int]]:
        command = [sys.executable, __file__, options.program, "--moments", str(options.moments),
                   "--seed", str(options.seed), "--verb", verb]
        for fault in options.fault or []:
            command += ["--fault", fault]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        told = re.search(r"^kills: (\d+) moments, (\d+) failures\n\Z", done.stdout, re.M)
        if not told:
            return done.stdout + f"kills: error: {verb} ended with {done.returncode}\n", [0, 1]
        return done.stdout[:told.start()], [int(number) for number in told.groups()]

    with concurrent.futures.ThreadPoolExecutor(options.lanes) as pool:
        for text, numbers in pool.map(play, verbs):
            print(text, end="", flush=True)
            sums = [sum(pair) for pair in zip(sums, numbers)]
    print(f"kills: {sums[0]} moments, {sums[1]} failures")
    return 1 if sums[1] else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Verbs disturbed at random moments.")
    parser.add_argument("program")
    parser.add_argument("--moments", type=int, default=6, help="of each verb")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verb", action="append", choices=[verb.name for verb in VERBS])
    parser.add_argument("--fault", action="append", choices=FAULTS)
    parser.add_argument("--only", type=int, help="the moment of this number alone")
    parser.add_argument("--lanes", type=int, default=1, help="verbs at a time")
    options = parser.parse_args()
    # Whoever started this may ignore them, and so would what is started here.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.lanes > 1 and options.only is None:
        return in_lanes(options)
    program = str(pathlib.Path(options.program).resolve())
    failures = 0
    total = 0
    origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    has_links = os.geteuid() == 0 and os.path.exists("/dev/net/tun")
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        base = pathlib.Path(place)
        inputs(program, base / "inputs")
        for verb in VERBS:
            if options.verb and verb.name not in options.verb:
                continue
            if verb.name in NEEDS_ROOT and not has_links:
                print(f"kills: {verb.name}: skipped: root and /dev/net/tun are needed", flush=True)
                continue
            verb = dataclasses.replace(verb, command=[
                word.replace("ORIGIN", str(origin.server_port)) for word in verb.command])
            own = base / verb.name
            own.mkdir()
            count = Count()
            begin = time.monotonic()
            try:
                study = Study(program, verb, base / "inputs", own)
            except Failure as failure:
                print(f"kills: error: {failure}", file=sys.stderr, flush=True)
                failures += 1
                continue
            numbers = range(options.moments) if options.only is None else [options.only]
            for number in numbers:
                moment = Moment.drawn(study, number, options.seed, options.fault or FAULTS)
                total += 1
                try:
                    Disturbed(study, moment, count)
                except Failure as failure:
                    failures += 1
                    print(f"kills: error: {verb.name}, moment {number}, {moment}: {failure}",
                          file=sys.stderr, flush=True)
            codes = ", ".join(f"{code}: {times}" for code, times in sorted(count.codes.items()))
            print(f"kills: {verb.name}: {len(numbers)} moments, {count.hit} before the end of "
                  f"{study.seconds:.1f} s; codes {codes}; {count.kept} replications kept; "
                  f"{count.drafts} unfinished files after SIGKILL, {count.stayed} after the next "
                  f"run; {time.monotonic() - begin:.0f} s", flush=True)
            shutil.rmtree(own, ignore_errors=True)
    print(f"kills: {total} moments, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
