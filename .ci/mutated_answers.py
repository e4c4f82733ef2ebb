#!/usr/bin/env python3
"""What a live run makes of answers that are wrong, and whether what stays up stays as it is.

    mutated_answers.py runs LIVE --runs 200 --answers 100000
        Short `live run`s against a stand-in behind a proxy that mutates answers: no run crashes,
        none is ended by its guard, and what they count as failures, by kind, is in sum what was
        mutated.

    mutated_answers.py endurance LIVE --minutes 3
        One run, in an open loop, against our edge behind such a proxy, with faults of the stand-in:
        memory and descriptors of run, edge and stand-in stay flat.

LIVE is the program firstframe-live. Standard library only; Linux.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

SCENARIO = "scenarios/wifi-budget-gate.yaml"
#: What is done to an answer, and what a run has to count it as.
KINDS = {
    "cut-head": "closed-before-head",
    "cut-body": "closed-mid-body",
    "garbage": "malformed",
    "twice": "malformed",
    "huge": "body-over-bound",
    "elsewhere": "redirect-elsewhere",
    "nonsense": "malformed answer",
}


class Proxy:
    """Passes HTTP/1.1 on, and spoils a share of the answers to GETs."""

    def __init__(self, port: int, share: float, seed: int) -> None:
        self.upstream = port
        self.share = share
        self.random = random.Random(seed)
        self.port = 0
        self.answers = 0
        self.mutated: Counter[str] = Counter()
        #: Spoiled answers whose client had gone before it could hear them.
        self.unheard = 0
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        threading.Thread(target=self.run, daemon=True).start()
        self.ready.wait()

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(
            asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=1024)
        )
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        self.loop.run_forever()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader: asyncio.StreamReader | None = None
        up_writer: asyncio.StreamWriter | None = None
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
            is_first = True
            while await self.exchange(reader, writer, up_reader, up_writer, is_first):
                is_first = False
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            for each in (writer, up_writer):
                if each is not None:
                    each.close()

    async def exchange(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        up_reader: asyncio.StreamReader,
        up_writer: asyncio.StreamWriter,
        is_first: bool,
    ) -> bool:
        """One request and its answer; whether the connection can have more."""
        head = await reader.readuntil(b"\r\n\r\n")
        up_writer.write(head + await self.body(head, reader))
        await up_writer.drain()
        answer = await up_reader.readuntil(b"\r\n\r\n")
        is_empty = re.match(rb"HTTP/1.1 (304|204)", answer)
        body = b"" if is_empty else await self.body(answer, up_reader)
        self.answers += 1
        if not head.startswith(b"GET ") or self.random.random() >= self.share:
            writer.write(answer + body)
            await writer.drain()
            return True
        kind = self.random.choice(list(KINDS))
        # On a connection that was used before, a client asks once more (RFC 9112 section 9.3.1).
        if kind == "cut-head" and not is_first:
            kind = "garbage"
        is_text = re.search(rb"(?i)content-type: *(application/json|[^\r]*mpegurl)", answer)
        if kind in ("cut-body", "nonsense") and len(body) < 64 or answer[9:12] != b"200":
            kind = "garbage"
        if kind == "nonsense" and not is_text:
            kind = "cut-body"
        if kind == "twice" and not re.search(rb"(?i)content-length:", answer):
            kind = "garbage"
        writer.write(self.spoil(kind, answer, body))
        if kind in ("cut-head", "cut-body"):
            writer.write_eof()
        # Who has read all of it closes in order; who left before makes the system refuse the rest.
        try:
            await writer.drain()
            await asyncio.wait_for(reader.read(65536), 10)
            # Who had closed already is at the end as well; the refusal comes behind it.
            await asyncio.sleep(0.05)
            error = writer.get_extra_info("socket").getsockopt(
                socket.SOL_SOCKET, socket.SO_ERROR)
            if error or reader.exception():
                raise OSError(error)
        except (OSError, asyncio.TimeoutError):
            self.unheard += 1
        else:
            self.mutated[kind] += 1
        return False

    def spoil(self, kind: str, answer: bytes, body: bytes) -> bytes:
        """The bytes that are sent in place of an answer, the last ones of their connection."""
        last = answer[:-2] + b"Connection: close\r\n\r\n"
        if kind == "cut-head":
            return answer[: self.random.randrange(10, len(answer) - 4)]
        if kind == "cut-body":
            return answer + body[: self.random.randrange(1, len(body) - 1)]
        if kind == "garbage":
            noise = bytes(self.random.randrange(256) for _ in range(64))
            return b"\x00" + noise + b"\r\n\r\n"
        # A client leaves at these heads, and what came behind them would be refused.
        if kind == "huge":
            return b"HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n"
        if kind == "elsewhere":
            return (
                b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\n"
                b"Connection: close\r\nContent-Length: 0\r\n\r\n"
            )
        if kind == "nonsense":
            return last + bytes(self.random.randrange(0x80, 0x100) for _ in range(len(body)))
        return answer[:-4] + b"\r\nContent-Length: %d\r\n\r\n" % (len(body) + 7)

    @staticmethod
    async def body(head: bytes, reader: asyncio.StreamReader) -> bytes:
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if length:
            return await reader.readexactly(int(length.group(1)))
        if not re.search(rb"(?i)\r\ntransfer-encoding: *chunked", head):
            return b""
        whole = b""
        while True:
            line = await reader.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
            chunk = await reader.readexactly(size + 2)
            whole += line + chunk
            if size == 0:
                return whole


class Server:
    """A `firstframe-live` that listens."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = 0
        for line in self.process.stdout:
            if "listening on" in line:
                self.port = int(line.rsplit(":", 1)[1])
                break
        if not self.port:
            raise SystemExit(f"{command[1]}: expected it to listen, got its end")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.stdout is not None
        self.process.stdout.read()
        self.process.wait()


def run_command(
    live: str, port: int, folder: str, window: float, views: int, seed: int
) -> list[str]:
    url = f"http://127.0.0.1:{port}"
    return [live, "run", SCENARIO, "--short", "--target", url, "--api", url, "--link", "none"] + [
        *("--window", f"{window:g}s", "--warm-up", "2s", "--views", str(views)),
        *("--seed", str(seed), "--no-confirm", "--quiet", "--output", folder),
    ]


def failures(folder: str) -> Counter[str]:
    """What a run has counted, by kind."""
    found: Counter[str] = Counter()
    for file in Path(folder).glob("*/result.json"):
        live = json.loads(file.read_text()).get("live") or {}
        for row in live.get("failures", []):
            found[row["kind"]] += row["count"]
    return found


def runs(arguments: argparse.Namespace) -> int:
    standin = Server([arguments.live, "standin", SCENARIO, "--short", "--port", "0"])
    proxy = Proxy(standin.port, arguments.share, arguments.seed)
    counted: Counter[str] = Counter()
    codes: Counter[int] = Counter()
    bad: list[str] = []
    done = 0
    while done < arguments.runs or sum(proxy.mutated.values()) < arguments.answers:
        if done >= 4 * arguments.runs:
            break
        folder = tempfile.mkdtemp(prefix="mutated-")
        begin = time.monotonic()
        result = subprocess.run(
            run_command(arguments.live, proxy.port, folder, 8, arguments.views,
                        arguments.seed + done),
            capture_output=True,
            text=True,
            check=False,
        )
        span = time.monotonic() - begin
        codes[result.returncode] += 1
        # 0, 10 a budget, 12 too few views, 13 the machine: verdicts. The guard says so, too.
        is_late = "expected the run to be over" in result.stderr
        if result.returncode not in (0, 10, 11, 12, 13) or is_late:
            said = result.stderr[-400:]
            bad.append(f"run {done + 1}: {result.returncode} after {span:.1f} s: {said}")
        counted += failures(folder)
        shutil.rmtree(folder, ignore_errors=True)
        done += 1
    standin.stop()
    # What follows from an answer that was not heard is no answer.
    counted.pop("object that nothing named", None)
    total, heard = sum(proxy.mutated.values()), sum(counted.values())
    wanted: Counter[str] = Counter()
    for kind, count in proxy.mutated.items():
        wanted[KINDS[kind]] += count
    print(f"mutated answers: {done} runs, {proxy.answers} answers, {total} mutated, {heard} heard")
    print(f"  mutated: {dict(sorted(proxy.mutated.items()))}; {proxy.unheard} had no client then")
    print(f"  counted: {dict(sorted(counted.items()))}")
    print(f"  exit codes: {dict(sorted(codes.items()))}")
    for line in bad:
        print(f"mutated answers: error: {line}", file=sys.stderr)
    # A viewer may leave in the moment between reading an answer and saying what was wrong with it.
    near = True
    for kind in sorted(set(wanted) | set(counted)):
        if abs(wanted[kind] - counted[kind]) > max(6, wanted[kind] * arguments.tolerance):
            near = False
            said = f"{kind}: {counted[kind]} counted, {wanted[kind]} mutated"
            print(f"mutated answers: error: {said}", file=sys.stderr)
    return 0 if not bad and near and total >= arguments.answers else 1


def reading(process: int) -> tuple[float, int]:
    """Resident MiB and open descriptors of a process."""
    text = Path(f"/proc/{process}/statm").read_text().split()
    return int(text[1]) * 4096 / 2**20, len(os.listdir(f"/proc/{process}/fd"))


def endurance(arguments: argparse.Namespace) -> int:
    window = arguments.minutes * 60
    # Titles that the run knows all of and sessions that are over within the first quarter: it keeps
    # what it has learnt of each title, and viewers come until as many go.
    session = window / 12
    keys = ["--set", f"catalogue.titles={arguments.titles}"]
    keys += ["--set", f"audience.sessionLength={{kind: constant, value: {session:g} s}}"]
    standin = Server(
        [arguments.live, "standin", SCENARIO, "--short", "--port", "0", *keys]
        + ["--fault", "reset:segment:0.002", "--fault", "status:segment:500:0.005"]
        + ["--fault", "latency:media_manifest:200ms:0.01"]
        + ["--fault", "malformed:media_playlist:0.002"]
    )
    proxy = Proxy(standin.port, 0.01, 2)
    edge = Server([arguments.live, "edge", "--origin", f"http://127.0.0.1:{proxy.port}"]
                  + ["--port", "0", "--capacity", "64MiB"])
    folder = tempfile.mkdtemp(prefix="endurance-")
    views = round(arguments.rate * window)
    run = subprocess.Popen(
        run_command(arguments.live, edge.port, folder, window, views, 1) + keys,
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    rows: dict[str, list[tuple[float, int]]] = {"run": [], "edge": [], "standin": []}
    numbers = {"run": run.pid, "edge": edge.process.pid, "standin": standin.process.pid}
    end = time.monotonic() + window
    while time.monotonic() < end and run.poll() is None:
        for name, number in numbers.items():
            rows[name].append(reading(number))
        time.sleep(1)
    _, error = run.communicate()
    print(f"endurance: {arguments.minutes:g} min, {views} views, exit code {run.returncode}, "
          f"{proxy.answers} answers of the origin, {sum(proxy.mutated.values())} mutated")
    print(f"  failures of the run: {dict(sorted(failures(folder).items()))}")
    is_good = run.returncode in (0, 10, 11, 12, 13) and "expected the run to be over" not in error
    if not is_good:
        print(f"endurance: error: {error[-600:]}", file=sys.stderr)
    for name, all_rows in rows.items():
        quarter = max(1, len(all_rows) // 4)
        for index, (what, slack) in enumerate([("MiB", arguments.slack), ("descriptors", 100)]):
            second = statistics.median(row[index] for row in all_rows[quarter : 2 * quarter])
            last = statistics.median(row[index] for row in all_rows[-quarter:])
            is_flat = last <= second * 1.1 + slack
            print(f"  {name}: {second:.0f} {what} in the second quarter, {last:.0f} in the last")
            if not is_flat:
                is_good = False
                print(f"endurance: error: {name} grows", file=sys.stderr)
    edge.stop()
    standin.stop()
    shutil.rmtree(folder, ignore_errors=True)
    return 0 if is_good else 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Live runs beside wrong answers.")
    commands = parser.add_subparsers(required=True)
    short = commands.add_parser("runs")
    short.add_argument("live")
    short.add_argument("--runs", type=int, default=10)
    short.add_argument("--answers", type=int, default=2_000)
    short.add_argument("--views", type=int, default=60)
    short.add_argument("--seed", type=int, default=1, help="of the first run")
    short.add_argument("--share", type=float, default=0.1)
    short.add_argument("--tolerance", type=float, default=0.02)
    short.set_defaults(act=runs)
    long = commands.add_parser("endurance")
    long.add_argument("live")
    long.add_argument("--minutes", type=float, default=3)
    long.add_argument("--rate", type=float, default=15, help="views a second")
    long.add_argument("--titles", type=int, default=300)
    long.add_argument("--slack", type=float, default=24, help="MiB that may come beside a tenth")
    long.set_defaults(act=endurance)
    arguments = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    result: int = arguments.act(arguments)
    return result


if __name__ == "__main__":
    sys.exit(main())
