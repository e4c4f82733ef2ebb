#!/usr/bin/env python3
"""Agreement and speed beside others' programs, as one table: `make peers`.

Usage: tools/peers.py [--sabre FOLDER] [--pensieve FOLDER] [--mm22 FOLDER] [--traces FOLDER]
                      [--firstframe PROGRAM] [--only PEER,...] [--repeats N] [--samples N]
                      [--python PROGRAM] [--work FOLDER] [--json]

FOLDER is where the user has a peer's repository (GitHub UMass-LIDS/sabre, hongzimao/pensieve and
AItransCompetition/Short-Video-Streaming-Challenge); nothing in it is changed. The packages of the
others (libcachesim, simpy, and numpy for Pensieve and MM22) are installed from PyPI into a folder
of .build/peers, unless --python names a Python that has them. Times are CPU seconds, user and
system, of whole processes, the best of --repeats by turns.

Exit codes: 0 every peer that is there agrees, 1 one does not or fails, 64 usage, 66 a file is
missing, 69 no peer is there that could agree. SimPy is another model, so it cannot.
"""
import argparse
import bisect
import contextlib
import itertools
import json
import os
import pathlib
import platform
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRIVER = ROOT / "tools" / "peers_drive.py"
REFERENCE = ROOT / "Tests" / "Reference" / "peers"
PEERS = ["sabre", "pensieve", "mm22", "libcachesim", "simpy"]
# What of a repository is run; of alternatives one is enough.
FILES = {
    "sabre": ["src/sabre.py", "example/movie.json", "example/network.json"],
    "pensieve": [
        "sim/fixed_env.py or test/fixed_env.py", "sim/load_trace.py or test/load_trace.py"],
    "mm22": [
        "run.py", "simulator/controller.py", "quickstart/fix_preload.py", "baseline/no_save.py",
        "data/network_traces", "data/short_video_size", "data/user_ret"],
}
NAMES = {"sabre": "Sabre", "pensieve": "Pensieve", "mm22": "MM22"}
# Of the value, or of 1 where that is more: what decision 0009 promises.
TOLERANCE = 1e-5

ALGORITHMS = ["bola", "bolae", "throughput", "dynamic", "dynamicdash"]
# Sabre's options, and ours for the same.
EVERYWHERE = [
    (["-ao"], []), (["-ao", "-noa"], ["--no-abandon"]),
    (["-ao", "-r", "left"], ["--replace", "left"]), (["-ao", "-b", "10"], ["--buffer", "10"]),
    (["-ao", "-ml", "300"], ["--movie-length", "300"]),
]
SOMEWHERE = [
    ("bola", ["-ao", "-ab"], ["--basic"]), ("bola", [], ["--no-osc"]),
    ("bolae", [], ["--no-osc"]), ("bolae", ["-ao", "-noibr"], ["--no-ibr"]),
]
SABRE_COLUMNS = [
    "time average played bitrate", "total play time", "total rebuffer", "rebuffer ratio",
    "total rebuffer events", "total bitrate change", "total log bitrate change",
    "total played utility", "time average score",
]
PENSIEVE_POLICIES = [f"fixed{level}" for level in range(6)] + ["bb"]
CLASSES = ["high", "medium", "low", "mixed"]
MM22_COLUMNS = ["score", "bandwidth_bytes", "qoe", "wasted_bytes", "downloaded_over_watched"]
# Ours, libCacheSim's, and what it is called.
EVICTION = [("lru", "LRU", "LRU"), ("sieve", "Sieve", "SIEVE"),
            ("s3-fifo:filling", "S3FIFO", "S3-FIFO")]
# So many that starting, which is taken off, is the smaller part.
REQUESTS, OBJECTS, EXPONENT, SEED = 4_000_000, 100_000, 0.9, 1
CAPACITIES = [1_000, 10_000]
CUSTOMERS = 100_000


class Failure(Exception):
    """A process of a comparison that failed, and how."""


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: error: {message}\n")


def whole(low):
    def number(text):
        if not text.isdigit() or int(text) < low:
            raise argparse.ArgumentTypeError(f"expected a whole number from {low}, got {text}")
        return int(text)
    return number


def run(command, accepted=(0,)):
    """What a process printed, and its CPU seconds."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output,
                stderr=errors, env={**os.environ, "FIRSTFRAME_PILOTS": "off"})
        except OSError as error:
            raise Failure(f"{pathlib.Path(command[0]).name}: {error.strerror}") from error
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            os.waitpid(process.pid, 0)
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines() or ["no message"]
            raise Failure(f"exit code {process.returncode}: {lines[-1][:200]}")
        output.seek(0)
        return output.read().decode(), usage.ru_utime + usage.ru_stime


def total(commands, accepted=(0,)):
    """What the processes printed, and their CPU seconds in all."""
    found = [run(command, accepted) for command in commands]
    return [output for output, _ in found], sum(seconds for _, seconds in found)


def turns(theirs, ours, repeats, accepted=(0,)):
    """Both sides' output, and the best of their CPU seconds when they take turns."""
    best = [float("inf")] * 2
    for _ in range(repeats):
        answers = [total(theirs), total(ours, accepted)]
        best = [min(before, seconds) for before, (_, seconds) in zip(best, answers)]
    return answers[0][0], answers[1][0], *best


class Agreement:
    """Differences of values of two programs, each relative to the value or to 1."""

    def __init__(self, tolerance=TOLERANCE):
        self.tolerance = tolerance
        self.largest, self.unequal, self.values, self.where = 0.0, 0, 0, None

    def add(self, place, theirs, ours):
        """Numbers may differ by the tolerance; anything else is to be equal."""
        self.values += 1
        if isinstance(theirs, str) or isinstance(ours, str) or ours is None:
            difference = 0.0 if theirs == ours else float("inf")
        else:
            difference = abs(theirs - ours) / max(1.0, abs(theirs))
        if not difference <= self.tolerance:
            self.unequal += 1
            self.where = self.where or f"{place}: theirs {theirs}, ours {ours}"
        self.largest = max(self.largest, difference)

    @property
    def holds(self):
        return self.values > 0 and self.unequal == 0

    def text(self):
        if not self.values:
            return "nothing compared"
        if self.unequal:
            by = "" if self.largest == float("inf") else f" by up to {self.largest * 100:.2g} %"
            return f"DIFFERS in {self.unequal:,} of {self.values:,}{by}"
        if not self.largest:
            return f"equal, n = {self.values:,}"
        return f"within {self.largest:.0e}, n = {self.values:,}"


def row(peer, version, compared, cases, agreement, times, notes):
    """A line of the table. `agreement`: an Agreement, or a text where nothing can agree."""
    agrees, text = (
        (agreement.holds, agreement.text()) if isinstance(agreement, Agreement)
        else (None, agreement))
    theirs, ours = times
    if isinstance(agreement, Agreement) and agreement.where:
        notes = [f"first difference: {agreement.where}"] + notes
    return {
        "peer": peer, "version": version, "compared": compared, "cases": cases, "agrees": agrees,
        "agreement": text, "theirs_s": theirs, "ours_s": ours,
        "ratio": theirs / ours if theirs and ours else None, "notes": notes,
    }


def absent(peer, reason):
    return {
        "peer": peer, "version": None, "compared": None, "cases": 0, "agrees": None,
        "agreement": f"not here: {reason}", "theirs_s": None, "ours_s": None, "ratio": None,
        "notes": [],
    }


def failed(peer, version, error):
    text = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
    reason = f"failed: {text}"
    if "SyntaxError" in text or "TabError" in text:
        reason = f"cannot run on Python 3: {text}"
    return {**absent(peer, ""), "version": version, "agrees": False, "agreement": reason}


def commit(peer, folder):
    """The commit of a repository, `+` behind it when a file that is run differs from it."""
    def git(*words):
        try:
            return subprocess.run(
                ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True,
            ).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return None
    top = git("rev-parse", "--show-toplevel")
    if top is None or pathlib.Path(top).resolve() != pathlib.Path(folder).resolve():
        return "no commit"
    names = [name for files in FILES[peer] for name in files.split(" or ")]
    differs = any(
        git("hash-object", name) != git("rev-parse", f"HEAD:{name}")
        for name in names if os.path.isfile(os.path.join(folder, name)))
    return f"{git('rev-parse', '--short=7', 'HEAD')}{'+' if differs else ''}"


def starts(task, ours):
    """What a process costs that does next to nothing, theirs and ours."""
    return min(run(task)[1] for _ in range(3)), min(run(ours)[1] for _ in range(3))


class Bench:
    """What the comparisons need: the programs, the folders and how often to measure."""

    def __init__(self, options, scratch):
        self.options, self.scratch, self.python = options, scratch, options.python
        self.ours, self.repeats = options.firstframe, options.repeats

    def drive(self, peer, **task):
        return [self.python, DRIVER, peer, json.dumps(task)]

    def start(self, package):
        """The note on what starting costs."""
        command = (
            [self.python, "-c", f"import {package}"] if package else [sys.executable, "-c", ""])
        theirs, ours = starts(command, [self.ours, "--help"])
        what = f"Python{f' with {package}' if package else ''}"
        return f"starting alone, a process: {what} {theirs:.3f} s, ours {ours:.3f} s"

    # Each peer yields its rows.

    def sabre(self, version):
        folder = pathlib.Path(self.options.sabre)
        cases = [(name, *words) for name in ALGORITHMS for words in EVERYWHERE] + SOMEWHERE
        film, network = (folder / "example" / f"{name}.json" for name in ("movie", "network"))
        theirs, ours, *times = turns(
            [[sys.executable, "-B", folder / "src" / "sabre.py", "-m", film, "-n", network,
              "-a", name] + words for name, words, _ in cases],
            [[self.ours, "peer", "sabre", "--movie", film, "--network", network, "--algorithm",
              name, "--json"] + words for name, _, words in cases],
            self.repeats)
        agreement = Agreement()
        for (name, words, _), printed, answer in zip(cases, theirs, ours):
            values = dict(
                line.rsplit(": ", 1) for line in printed.splitlines() if ": " in line)
            answer = json.loads(answer)["rows"][0]
            for column in SABRE_COLUMNS:
                place = f"-a {name} {' '.join(words)}, {column}"
                agreement.add(place, float(values[column]), answer[column])
        yield row(
            "Sabre", version, "its example, 5 algorithms by options: 9 columns", len(cases),
            agreement, times, ["a case is a process on both sides", self.start(None)])

    def pensieve(self, version):
        folder = pathlib.Path(self.options.pensieve)
        part = next((
            part for part in (folder / "sim", folder / "test")
            if all((part / f"{name}.py").is_file() for name in ("fixed_env", "load_trace"))), None)
        if part is None:
            raise Failure("no folder has both fixed_env.py and load_trace.py")
        sizes, traces = self.scratch / "sizes", self.scratch / "traces"
        sizes.mkdir()
        for level, rows in series(REFERENCE / "video_sizes.txt"):
            (sizes / f"video_size_{level}").write_text("\n".join(rows) + "\n")
        if self.options.traces:
            traces, whose = pathlib.Path(self.options.traces), "the traces of --traces"
        else:
            traces.mkdir()
            whose = "the traces of Tests/Reference"
            for name, rows in series(REFERENCE / "hsdpa.txt"):
                (traces / name).write_text("\n".join(rows) + "\n")
        theirs, ours, *times = turns(
            [self.drive("pensieve", folder=str(part.resolve()), sizes=str(sizes),
                        traces=str(traces), policy=policy) for policy in PENSIEVE_POLICIES],
            [[self.ours, "peer", "pensieve", "--traces", traces, "--sizes", sizes, "--policy",
              policy, "--json"] for policy in PENSIEVE_POLICIES],
            self.repeats)
        agreement, cases = Agreement(), 0
        for policy, answer, rows in zip(PENSIEVE_POLICIES, theirs, ours):
            rows = {found["trace"]: found for found in json.loads(rows)["rows"]}
            for name, values in json.loads(answer).items():
                cases += 1
                for column, value in values.items():
                    agreement.add(
                        f"{policy}, {name}, {column}", value, rows.get(name, {}).get(column))
        yield row(
            "Pensieve", version,
            "sessions of 48 chunks, 6 fixed levels and bb: 9 columns", cases, agreement, times,
            [f"{whose}; each step's level, and sums of the steps' delays, stalls and bytes",
             "7 processes on both sides, one a policy", self.start("numpy")])

    def mm22(self, version):
        folder = pathlib.Path(self.options.mm22)
        copy = self.scratch / "mm22"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        (copy / "logs" / "sample_user").mkdir(parents=True, exist_ok=True)
        start = self.start("numpy")
        for policy in ("fixed_preload", "next_one", "no_save"):
            task = {"folder": str(copy), "samples": self.options.samples}
            watch = self.scratch / "watch.json"
            watch.write_text(run(self.drive("mm22-watch", **task))[0])
            theirs, ours, *times = turns(
                [self.drive("mm22", **{**task, "policy": policy, "class": name})
                 for name in CLASSES],
                [[self.ours, "peer", "mm22", "--data", copy / "data", "--watch", watch, "--policy",
                  policy, "--class", name, "--json"] for name in CLASSES],
                self.repeats)
            agreement, cases = Agreement(), 0
            for name, answer, rows in zip(CLASSES, theirs, ours):
                rows = {f"{found['sample']} {found['trace']}": found
                        for found in json.loads(rows)["rows"]}
                for session, values in json.loads(answer).items():
                    cases += 1
                    for column, value in zip(MM22_COLUMNS, values):
                        agreement.add(f"{policy}, {name}, {session}, {column}", value,
                                      rows.get(session, {}).get(column))
            notes = [f"sessions a second: theirs {cases / times[0]:,.0f}, "
                     f"ours {cases / times[1]:,.0f}"]
            if policy == "fixed_preload":
                notes += [
                    "score, QoE, bytes, waste, downloaded over watched; 4 processes on both sides, "
                    "one a class; each session as the first of its process, since run.py leaves "
                    "the last levels behind", start]
            if policy == "next_one":
                notes += ["their simulator, the policy written anew for it: they have none"]
            yield row(
                "MM22", version, f"{policy}, {self.options.samples} users over 4 classes of "
                "traces: 5 columns", cases, agreement, times, notes)

    def libcachesim(self, version):
        trace, single = trace_file(self.options.work, REQUESTS), trace_file(self.options.work, 1)
        for policy, name, title in EVICTION:
            for fits in (False, True):
                def commands(file, requests):
                    return (
                        [self.drive(
                            "cache", trace=str(file), policy=name, capacity=capacity,
                            requests=requests,
                            hashpower=capacity.bit_length() + 1 if fits else None)
                         for capacity in CAPACITIES],
                        [[self.ours, "replay", "cache", file, "--policy", policy, "--capacity",
                          capacity, "--threads", "1", "--json"] for capacity in CAPACITIES])
                theirs, ours, *times = turns(*commands(trace, REQUESTS), self.repeats)
                *_, their_start, our_start = turns(*commands(single, 1), 3 * self.repeats)
                agreement = Agreement(tolerance=0)
                for capacity, misses, answer in zip(CAPACITIES, theirs, ours):
                    agreement.add(f"{capacity:,} objects, misses", int(misses),
                                  json.loads(answer)["results"][0]["misses"])
                replays = [times[0] - their_start, times[1] - our_start]
                speeds = [len(CAPACITIES) * REQUESTS / seconds / 1e6 for seconds in replays]
                notes = [
                    f"{REQUESTS:,} requests; without starting (the same on one request), reading "
                    f"within: theirs {speeds[0]:.1f}, ours {speeds[1]:.1f} million a second, "
                    f"ratio {replays[0] / replays[1]:.2f}"]
                if policy == "sieve":
                    notes += ["asked for is at least 1.00 times"]
                if policy == "s3-fifo:filling" and not fits:
                    notes += ["ours by the package's rule: until something is evicted, new objects "
                              "go to the main queue while the small one is full"]
                table = "fitted" if fits else "default"
                if policy == "lru":
                    notes.append("its hash table has 2 to 4 places an object" if fits
                                 else "its hash table has 2^24 places")
                yield row(
                    "libCacheSim", version, f"{title}, {CAPACITIES[0]:,} and {CAPACITIES[1]:,} "
                    f"objects, {table} hash table: misses", len(CAPACITIES), agreement, times,
                    notes)

    def simpy(self, version):
        scenario = ROOT / "scenarios" / "wifi-budget-gate.yaml"
        output = self.scratch / "run"
        theirs, _, *times = turns(
            [self.drive("queue", customers=CUSTOMERS)],
            [[self.ours, "run", scenario, "--short", "--quiet", "--threads", "1", "--seed", "1",
              "--output", output]], self.repeats, accepted=(0, 10, 12, 13))
        results = list(output.glob("*/result.json"))
        if len(results) != 1:
            raise Failure(f"{len(results)} results of a run, one was expected")
        result = json.loads(results[0].read_text())
        events = [int(theirs[0]), result["events"]]
        speeds = [count / seconds / 1e6 for count, seconds in zip(events, times)]
        found = row(
            "SimPy", version, "events a second: its M/M/1, our short wifi-budget-gate",
            sum(events), "none: another model", times,
            [f"speed only: theirs {events[0]:,} events, {speeds[0]:.2f} million a second; ours "
             f"{events[1]:,}, {speeds[1]:.2f} million; the ratio is of seconds an event"])
        found["ratio"] = speeds[1] / speeds[0]
        yield found


def series(path):
    """The parts of a file with lines `> NAME`, each with its rows."""
    name, rows = None, []
    for line in path.read_text().splitlines() + ["> "]:
        if not line.startswith("> "):
            rows.append(line)
            continue
        if name is not None:
            yield name, rows
        name, rows = line[2:], []


def trace_file(folder, requests):
    """A Zipf trace of objects of one byte, as records of 24 bytes; written once."""
    path = pathlib.Path(folder) / f"zipf-{requests}-{OBJECTS}-{EXPONENT}-{SEED}.oracleGeneral"
    if path.is_file() and path.stat().st_size == requests * 24:
        return path
    shares = list(itertools.accumulate(1 / rank ** EXPONENT for rank in range(1, OBJECTS + 1)))
    draws = random.Random(SEED)
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        for _ in range(requests):
            name = bisect.bisect(shares, draws.random() * shares[-1]) + 1
            file.write(struct.pack("<IQIq", 0, min(name, OBJECTS), 1, -1))
    part.replace(path)
    return path


def missing(folder, peer):
    """What is wrong with a folder that the user gave."""
    if not os.path.isdir(folder):
        return [f"--{peer}: {folder}: expected a folder, got none"]
    return [
        f"--{peer}: {folder}: expected {files}, got none" for files in FILES[peer]
        if not any(os.path.exists(os.path.join(folder, name)) for name in files.split(" or "))
    ]


def problems(options, wanted):
    found = []
    for peer in FILES:
        if getattr(options, peer) and peer in wanted:
            found += missing(getattr(options, peer), peer)
    if options.traces and not os.path.isdir(options.traces):
        found.append(f"--traces: {options.traces}: expected a folder, got none")
    for name in ("firstframe", "python"):
        program = getattr(options, name)
        if program and not shutil.which(program):
            found.append(f"--{name}: {program}: expected a program, got none")
    return found


def packages(options, names):
    """A Python, and the version of each package there; they are installed when they are missing.

    Without PyPI a package is none, and the others are what they are.
    """
    def ask(python):
        try:
            return json.loads(run([python, DRIVER, "versions", json.dumps({"packages": names})])[0])
        except Failure:
            return dict.fromkeys(names)
    if options.python:
        return options.python, ask(options.python)
    folder = pathlib.Path(options.work) / "venv"
    python = folder / "bin" / "python3"
    found = ask(python)
    if all(found.values()):
        return str(python), found
    log = pathlib.Path(options.work) / "pip.log"
    with log.open("w") as output:
        if not python.is_file():
            subprocess.run([sys.executable, "-m", "venv", folder], stdout=output, stderr=output)
        for name in (name for name in names if not found[name] and python.is_file()):
            print(f"peers: installing {name}", file=sys.stderr)
            subprocess.run(
                [python, "-m", "pip", "install", "--quiet", "--no-cache-dir",
                 "--disable-pip-version-check", name],
                stdout=output, stderr=output)
    return str(python), ask(python)


def compare(options, wanted, scratch):
    """The rows of every peer that is wanted."""
    needed = {"libcachesim": ["libcachesim"], "simpy": ["simpy"]}
    needed |= {peer: ["numpy"] for peer in ("pensieve", "mm22") if getattr(options, peer)}
    names = sorted({name for peer in wanted for name in needed.get(peer, [])})
    bench = Bench(options, scratch)
    found = {}
    if names:
        bench.python, found = packages(options, names)
    for peer in wanted:
        title = NAMES.get(peer, {"libcachesim": "libCacheSim", "simpy": "SimPy"}.get(peer))
        lacking = [name for name in needed.get(peer, []) if not found[name]]
        if peer in FILES and not getattr(options, peer):
            yield absent(title, f"give {peer.upper()}=FOLDER")
        elif lacking:
            where = ("--python has it not" if options.python else
                     f"PyPI did not give it ({os.path.relpath(options.work)}/pip.log says why)")
            yield absent(title, f"needs the package {lacking[0]}, and {where}")
        else:
            print(f"peers: {title}", file=sys.stderr)
            version = found[peer] if peer not in FILES else commit(peer, getattr(options, peer))
            try:
                yield from getattr(bench, peer)(version)
            except (Failure, OSError, ValueError, KeyError, IndexError) as error:
                yield failed(title, version, error)


def seconds(value):
    return "–" if value is None else f"{value:.2f} s"


def machine():
    """The cores that this process may use, and what the processor calls itself."""
    name = platform.machine()
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    return len(os.sched_getaffinity(0)), name


def table(rows, repeats):
    heads = ["peer", "compared", "cases", "agreement", "theirs", "ours", "ratio", "note"]
    lines, notes = [], []
    for found in rows:
        if found["notes"]:
            notes.append("; ".join(found["notes"]))
        lines.append([
            " ".join(filter(None, (found["peer"], found["version"]))), found["compared"] or "–",
            f"{found['cases']:,}" if found["cases"] else "–", found["agreement"],
            seconds(found["theirs_s"]), seconds(found["ours_s"]),
            f"{found['ratio']:.2f}" if found["ratio"] else "–",
            str(len(notes)) if found["notes"] else "",
        ])
    widths = [max(len(line[place]) for line in [heads] + lines) for place in range(len(heads))]
    right = {2, 4, 5, 6, 7}

    def text(cells):
        return "| " + " | ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(cells, widths))) + " |"
    rule = "|" + "|".join(
        "-" * (width + 1) + (":" if place in right else "-")
        for place, width in enumerate(widths)) + "|"
    cores, processor = machine()
    yield from [text(heads), rule, *map(text, lines), ""]
    yield (f"CPU seconds (user and system) of whole processes, best of {repeats} by turns, on "
           f"{cores} cores ({processor}), Python {platform.python_version()}. "
           "Ratio: theirs over ours.")
    if notes:
        yield ""
        yield from (f"{number}. {note}." for number, note in enumerate(notes, 1))


def options_of(arguments):
    parser = Arguments(
        description=__doc__.split("\n")[0], epilog=__doc__[__doc__.index("FOLDER is where"):],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    for peer in FILES:
        parser.add_argument(f"--{peer}", metavar="FOLDER", help=f"{NAMES[peer]}'s repository")
    parser.add_argument(
        "--traces", metavar="FOLDER", help="Pensieve's traces; those of Tests/Reference without")
    parser.add_argument(
        "--firstframe", metavar="PROGRAM", default=str(ROOT / ".build" / "release" / "firstframe"),
        help="ours; .build/release/firstframe")
    parser.add_argument(
        "--only", metavar="PEER,...", default=",".join(PEERS), help=f"of {', '.join(PEERS)}")
    parser.add_argument("--repeats", metavar="N", type=whole(1), default=3, help="turns; 3")
    parser.add_argument(
        "--samples", metavar="N", type=whole(1), default=10, help="MM22's users a trace; 10")
    parser.add_argument("--python", metavar="PROGRAM", help="a Python that has the packages")
    parser.add_argument(
        "--work", metavar="FOLDER", default=str(ROOT / ".build" / "peers"),
        help="where packages and the trace are kept; .build/peers")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    options = parser.parse_args(arguments)
    wanted = options.only.split(",")
    unknown = [peer for peer in wanted if peer not in PEERS]
    if unknown:
        parser.error(f"--only: expected of {', '.join(PEERS)}, got {', '.join(unknown)}")
    return options, [peer for peer in PEERS if peer in wanted]


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options, wanted = options_of(sys.argv[1:])
    found = problems(options, wanted)
    if found:
        print("\n".join(f"peers: error: {problem}" for problem in found), file=sys.stderr)
        sys.exit(66)
    pathlib.Path(options.work).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="firstframe-peers-") as scratch:
        rows = list(compare(options, wanted, pathlib.Path(scratch)))
    if options.json:
        cores, processor = machine()
        print(json.dumps({
            "schema": 1, "cores": cores, "processor": processor, "repeats": options.repeats,
            "python": platform.python_version(), "rows": rows}, indent=2, ensure_ascii=False))
    else:
        print("\n".join(table(rows, options.repeats)))
    verdicts = [found["agrees"] for found in rows if found["agrees"] is not None]
    sys.exit(69 if not verdicts else 0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
