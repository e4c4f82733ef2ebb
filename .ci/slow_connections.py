#!/usr/bin/env python3
"""Holds `firstframe-live edge` against many slow connections, and beside an edge of before.

    slow_connections.py LIVE [--connections 10000] [--before LIVE] [--loops 3]

A normal client asks for a kept answer again and again: alone, and while so many connections send
a byte of a head now and then. Its 99th percentile beside them is at most twice the one alone, or
half a millisecond more. With --before two programs are loaded by turns, by wrk where it is there,
and the newer one answers at least 95 hits where the older one answers 100. With --loops one edge
has all on one loop and another one so many for its clients, without TLS and with it: what a hit
takes of the busiest thread bounds hits a second wherever there are cores for all of them.

Standard library only; Linux.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import resource
import select
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

ANSWER = (
    b"HTTP/1.1 200 OK\r\nCache-Control: max-age=6000\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000
)
REQUEST = b"GET /kept HTTP/1.1\r\nHost: a\r\n\r\n"


class Origin(threading.Thread):
    """Answers every request with the same bytes."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.start()

    def run(self) -> None:
        while True:
            client, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    @staticmethod
    def serve(client: socket.socket) -> None:
        while client.recv(65536):
            client.sendall(ANSWER)


class Edge:
    def __init__(self, program: str, origin: int, *options: str) -> None:
        self.process = subprocess.Popen(
            [program, "edge", "--origin", f"http://127.0.0.1:{origin}", "--port", "0", *options],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.scheme = "https" if "--tls" in options else "http"

    def threads(self) -> dict[str, float]:
        """Seconds that each of its threads has had of a core."""
        found = {}
        for thread in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            nanoseconds = (thread / "schedstat").read_text().split()[0]
            found[thread.name] = int(nanoseconds) / 1e9
        return found

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate()


def ask(client: socket.socket) -> float:
    """Seconds of one request."""
    begin = time.perf_counter()
    client.sendall(REQUEST)
    left = -1
    read = b""
    while left != 0:
        part = client.recv(65536)
        if not part:
            raise SystemExit("slow connections: error: the edge has closed the normal client")
        if left > 0:
            left -= len(part)
            continue
        read += part
        head = read.find(b"\r\n\r\n")
        if head >= 0:
            left = 1000 - (len(read) - head - 4)
    return time.perf_counter() - begin


def percentile(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)] * 1000


def measure(port: int, count: int) -> float:
    """Milliseconds of the 99th percentile: the least of three; others use the machine, too."""
    client = socket.create_connection(("127.0.0.1", port))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(500):
        ask(client)
    found = min(percentile([ask(client) for _ in range(count)]) for _ in range(3))
    client.close()
    return found


class Slow(threading.Thread):
    """Connections that send a byte of a head every few seconds."""

    def __init__(self, port: int, count: int) -> None:
        super().__init__(daemon=True)
        self.clients: list[socket.socket] = []
        for number in range(count):
            client = socket.socket()
            # As from many machines: one address has no more than some 28,000 ports.
            client.bind((f"127.0.0.{2 + number % 50}", 0))
            client.connect(("127.0.0.1", port))
            client.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            client.setblocking(False)
            self.clients.append(client)
        self.ended = False
        self.start()

    def run(self) -> None:
        while not self.ended:
            for number, client in enumerate(self.clients):
                if self.ended:
                    return
                try:
                    client.send(b"x")
                except OSError:
                    pass
                if number % 20 == 0:
                    time.sleep(0.01)

    def open(self) -> int:
        """Those that the edge has not closed."""
        poll = select.poll()
        for client in self.clients:
            poll.register(client, select.POLLIN)
        return len(self.clients) - len(poll.poll(0))


def slow(program: str, count: int) -> bool:
    origin = Origin()
    edge = Edge(program, origin.port)
    quiet = measure(edge.port, 5000)
    crowd = Slow(edge.port, count)
    time.sleep(1)
    beside = measure(edge.port, 5000)
    still = crowd.open()
    crowd.ended = True
    edge.stop()
    print(
        f"slow connections: {still} of {count} open; P99 of a hit {quiet:.3f} ms alone, "
        f"{beside:.3f} ms beside them"
    )
    if still < count * 0.99:
        print("slow connections: error: they are not there to the end", file=sys.stderr)
        return False
    if beside > 2 * quiet and beside > quiet + 0.5:
        print("slow connections: error: the normal client is held up", file=sys.stderr)
        return False
    return True


def hits(port: int, seconds: float, scheme: str = "http") -> float:
    """Hits a second of sixteen connections."""
    if shutil.which("wrk"):
        text = subprocess.run(
            ["wrk", "-t1", "-c16", f"-d{seconds:g}s", f"{scheme}://127.0.0.1:{port}/kept"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        found = re.search(r"Requests/sec: *([\d.]+)", text)
        return float(found.group(1)) if found else 0
    clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(16)]
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        for client in clients:
            client.sendall(REQUEST * 20)
        for client in clients:
            bodies = 0
            while bodies < 20:
                bodies += client.recv(1 << 20).count(b"HTTP/1.1 200")
        count += 20 * len(clients)
    for client in clients:
        client.close()
    return count / seconds


def by_turns(edges: list[Edge], turns: int) -> Iterator[tuple[int, float, float]]:
    """Of each turn of each edge but the first two, in which it warms up: its place, hits a second,
    and what one took of the busiest thread, in microseconds."""
    for turn in range(turns):
        for index in range(len(edges)) if turn % 2 == 0 else reversed(range(len(edges))):
            edge = edges[index]
            before = edge.threads()
            rate = hits(edge.port, 2, edge.scheme)
            after = edge.threads()
            busiest = max(after[name] - before.get(name, 0) for name in after)
            if turn > 1:
                yield index, rate, busiest / (2 * rate) * 1e6


def compare(program: str, before: str) -> bool:
    origin = Origin()
    edges = [Edge(before, origin.port), Edge(program, origin.port)]
    found: list[list[float]] = [[], []]
    for index, rate, _ in by_turns(edges, 12):
        found[index].append(rate)
    for edge in edges:
        edge.stop()
    old, new = (statistics.median(each) for each in found)
    tool = "wrk" if shutil.which("wrk") else "a load of its own"
    print(f"hits a second, by turns, by {tool}: {old:.0f} before, {new:.0f} now, {new / old:.3f}")
    if new < 0.95 * old:
        print("slow connections: error: fewer hits a second than before", file=sys.stderr)
        return False
    return True


def threads(program: str, loops: int) -> bool:
    """Hits a second, and what one takes of the busiest thread, of one loop and of several."""
    if not shutil.which("wrk"):
        print("slow connections: error: expected wrk for --loops, got none", file=sys.stderr)
        return False
    good = True
    for tls in ([], ["--tls"]):
        origin = Origin()
        edges = [
            Edge(program, origin.port, *tls),
            Edge(program, origin.port, "--loops", str(loops), *tls),
        ]
        rates: list[list[float]] = [[], []]
        costs: list[list[float]] = [[], []]
        for index, rate, cost in by_turns(edges, 10):
            rates[index].append(rate)
            costs[index].append(cost)
        for edge in edges:
            edge.stop()
        (one, several), (alone, shared) = (
            [statistics.median(each) for each in found] for found in (rates, costs)
        )
        print(
            f"{'TLS' if tls else 'plain'}: {one:.0f} hits a second of one loop, {several:.0f} of "
            f"{loops} and the cache's ({several / one:.3f}); a hit takes {alone:.1f} us of the "
            f"one loop, {shared:.1f} us of the busiest thread ({alone / shared:.2f} times as many "
            "where all have a core)"
        )
        if shared >= alone:
            print("slow connections: error: several loops bear no more", file=sys.stderr)
            good = False
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="The edge beside many slow connections.")
    parser.add_argument("live")
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--before")
    parser.add_argument("--loops", type=int)
    arguments = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    good = slow(arguments.live, min(arguments.connections, hard - 200))
    if arguments.before:
        good = compare(arguments.live, arguments.before) and good
    if arguments.loops:
        good = threads(arguments.live, arguments.loops) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
