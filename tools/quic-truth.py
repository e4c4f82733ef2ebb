#!/usr/bin/env python3
"""Measures real HTTP/3 fetches over a link in user space: the truth for the model of QUIC.

Usage: tools/quic-truth.py SET [--output FILE] [--family NAME]... [--venv FOLDER] [--rows N]

SET is `development` or `held-out`: the parameters of both come from the same ranges by different
seeds. A model is built against the first and tried once on the second. Writes
Tests/Reference/network/quic_SET.json unless told otherwise.

Server and client are aioquic's, in processes of their own, and so is the link between them: a relay
of datagrams on the loopback interface with a rate and a propagation delay in both directions, a
drop-tail queue in bytes in front of the downlink and seeded losses of downlink packets behind it.
A datagram costs its bytes and 28 of UDP and IPv4. The link sleeps until 0.3 ms before a datagram is
due and spins the rest; with the rights to it, all three processes run with real-time priority.
How late datagrams were handed over is in every row, and how busy the processes were: a row of which
a process needed more than CPU_LIMIT of a core while bytes were under way is dropped and counted.

aioquic comes from PyPI into a virtual environment: a temporary one, or FOLDER, which stays.
Certificates are made anew. Everything but FILE and FOLDER is taken away at the end, also after an
interrupt. The rows of a set take about ten minutes, at most TIME_LIMIT; traffic stays on 127.0.0.1.
"""

import argparse
import asyncio
import contextlib
import gc
import heapq
import json
import math
import os
import pathlib
import random
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = {"development": 20_261_101, "held-out": 20_261_102}
AIOQUIC = "aioquic==1.7.2"
TIME_LIMIT = 3_600.0
RUN_LIMIT = 60.0
CPU_LIMIT = 0.7
SPIN = 0.000_3
# IPv4 and UDP.
FRAMING = 28
DATAGRAM = 1_200


# The link: `link`.

class Lane:
    """One direction: a rate, a queue and a delay. `free` is when the wire is free again."""

    def __init__(self, rate, delay, queue, loss, draws):
        self.rate, self.delay, self.queue = rate, delay, queue
        self.loss, self.draws = loss, draws
        self.free = 0.0
        self.waiting = []
        self.dropped = self.lost = self.carried = 0

    def offer(self, size, now):
        """When a datagram of so many bytes on the wire is at the other end; None when it is lost.

        The one in transmission takes no room in the queue; a lost one occupied the wire."""
        while self.waiting and self.waiting[0][0] <= now:
            self.waiting.pop(0)
        start = max(now, self.free)
        if start > now:
            if self.queue and sum(item[1] for item in self.waiting) + size > self.queue:
                self.dropped += 1
                return None
            self.waiting.append((start, size))
        self.free = start + size * 8 / self.rate
        self.carried += 1
        if self.loss and self.draws.random() < self.loss:
            self.lost += 1
            return None
        return self.free + self.delay


def link(argument):
    """Relays datagrams; a line of JSON on the standard input is a new link for a new client."""
    server_port = int(argument)
    down = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    down.bind(("127.0.0.1", 0))
    down.setblocking(False)
    print(json.dumps({"port": down.getsockname()[1]}), flush=True)
    up, client, lanes, due, late = None, None, None, [], []
    order, command = 0, b""
    while True:
        now = time.monotonic()
        while due and due[0][0] <= now:
            moment, _, data, is_down = heapq.heappop(due)
            late.append(now - moment)
            with contextlib.suppress(OSError):
                if is_down:
                    down.sendto(data, client)
                else:
                    up.send(data)
            now = time.monotonic()
        wait = due[0][0] - now if due else 1.0
        if wait > SPIN:
            ready = select.select([down, 0] + ([up] if up else []), [], [], wait - SPIN)[0]
        else:
            ready = [down] + ([up] if up else [])
        if 0 in ready:
            block = os.read(0, 65_536)
            if not block:
                return
            command += block
            while b"\n" in command:
                line, command = command.split(b"\n", 1)
                told = json.loads(line)
                summary = {}
                if lanes:
                    ordered = sorted(late) or [0.0]
                    summary = {
                        "late_us": [
                            round(ordered[int(share * (len(ordered) - 1))] * 1e6)
                            for share in (0.5, 0.99, 1)
                        ],
                        "dropped": lanes[0].dropped, "lost": lanes[0].lost,
                        "carried": lanes[0].carried,
                    }
                print(json.dumps(summary), flush=True)
                if told.get("summary"):
                    continue
                if up:
                    up.close()
                up = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                up.connect(("127.0.0.1", server_port))
                up.setblocking(False)
                client, due, late = None, [], []
                delay = told["rtt_ms"] / 2_000
                rate = told["rate_mbps"] * 1e6
                lanes = (
                    Lane(rate, delay, told["queue_bytes"], told["loss"],
                         random.Random(told["seed"])),
                    Lane(rate, delay, 0, 0, None))
        for source, lane, is_down in ((down, 1, False), (up, 0, True)):
            if source is None or source not in ready:
                continue
            while True:
                try:
                    data, address = source.recvfrom(65_536)
                except OSError:
                    break
                if lanes is None:
                    continue
                if not is_down and client is None:
                    client = address
                if client is None or not is_down and address != client:
                    continue
                moment = lanes[lane].offer(len(data) + FRAMING, time.monotonic())
                if moment is not None:
                    order += 1
                    heapq.heappush(due, (moment, order, data, is_down))


# Server and client: `serve`, `fetch`.

def header_fields(size):
    """Fields of an answer such as a video server's; their bytes are in a row as measured."""
    return [
        (b":status", b"200"), (b"content-length", str(size).encode()),
        (b"content-type", b"video/mp4"), (b"cache-control", b"public, max-age=31536000"),
        (b"etag", b'"0123456789abcdef"'), (b"server", b"truth"),
    ]


def serve(folder):
    """Serves /SIZE: so many bytes. A certificate each port; a line of JSON names the ports."""
    from aioquic.asyncio import QuicConnectionProtocol
    from aioquic.asyncio import serve as listen
    from aioquic.h3.connection import H3_ALPN, H3Connection
    from aioquic.h3.events import HeadersReceived
    from aioquic.quic.configuration import QuicConfiguration
    from aioquic.quic.events import ProtocolNegotiated

    class Server(QuicConnectionProtocol):
        http = None

        def quic_event_received(self, event):
            if isinstance(event, ProtocolNegotiated):
                self.http = H3Connection(self._quic)
            if self.http is None:
                return
            for found in self.http.handle_event(event):
                if isinstance(found, HeadersReceived):
                    size = int(dict(found.headers)[b":path"][1:])
                    self.http.send_headers(found.stream_id, header_fields(size))
                    self.http.send_data(found.stream_id, bytes(size), end_stream=True)

    async def main():
        tickets, ports = {}, {}
        for chain in ("short", "long"):
            for control in ("reno", "cubic"):
                settings = QuicConfiguration(
                    is_client=False, alpn_protocols=H3_ALPN, max_datagram_size=DATAGRAM,
                    congestion_control_algorithm=control, idle_timeout=RUN_LIMIT)
                settings.load_cert_chain(f"{folder}/{chain}.pem", f"{folder}/key.pem")
                server = await listen(
                    "127.0.0.1", 0, configuration=settings, create_protocol=Server,
                    session_ticket_fetcher=tickets.get,
                    session_ticket_handler=lambda one: tickets.update({one.ticket: one}))
                sockets = server._transport.get_extra_info("sockname")
                ports[f"{chain} {control}"] = sockets[1]
        print(json.dumps(ports), flush=True)
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        def told():
            line = sys.stdin.readline()
            if not line:
                loop.remove_reader(0)
                done.set_result(None)
                return
            gc.collect()
            print(json.dumps({"cpu_s": time.process_time()}), flush=True)

        loop.add_reader(0, told)
        await done

    gc.disable()
    asyncio.run(main())


def fetch(folder):
    """Does what each line of JSON on the standard input says, and prints what it measured."""
    from aioquic.asyncio import QuicConnectionProtocol
    from aioquic.h3.connection import H3_ALPN, H3Connection
    from aioquic.h3.events import DataReceived, HeadersReceived
    from aioquic.quic.configuration import QuicConfiguration
    from aioquic.quic.connection import QuicConnection
    from aioquic.quic.events import HandshakeCompleted

    class Client(QuicConnectionProtocol):
        def prepare(self, told):
            self.told, self.http = told, H3Connection(self._quic)
            self.start = self.cpu = self.secure = None
            self.asked, self.first, self.body, self.last = {}, {}, {}, {}
            self.sizes = {}
            self.next = 0
            self.done = self._loop.create_future()

        def begin(self, address):
            self.cpu, self.start = time.process_time(), self._loop.time()
            self._quic.connect(address, now=self.start)
            if self.told["early"]:
                self.ask()
            self.transmit()

        def ask(self):
            """Asks for all objects at once, or for the next one."""
            count = len(self.told["sizes"]) if self.told["parallel"] else 1
            for size in self.told["sizes"][self.next:self.next + count]:
                stream = self._quic.get_next_available_stream_id()
                self.http.send_headers(stream, [
                    (b":method", b"GET"), (b":scheme", b"https"), (b":authority", b"localhost"),
                    (b":path", f"/{size}".encode()), (b"user-agent", b"truth")], end_stream=True)
                # The first ones are timed from the connection's start.
                self.asked[stream] = self._loop.time() if self.next else self.start
                self.sizes[stream] = 0
            self.next += count

        def ask_later(self):
            self.ask()
            self.transmit()

        def quic_event_received(self, event):
            now = self._loop.time()
            if isinstance(event, HandshakeCompleted):
                self.secure = now
                self.early = event.early_data_accepted
                if not self.told["early"]:
                    self.ask()
            for found in self.http.handle_event(event):
                stream = found.stream_id
                if isinstance(found, HeadersReceived):
                    self.first[stream] = now
                elif isinstance(found, DataReceived):
                    self.body.setdefault(stream, now)
                    self.sizes[stream] += len(found.data)
                    if found.stream_ended:
                        self.last[stream] = now
                        self.finished()

        def finished(self):
            if len(self.last) == len(self.told["sizes"]):
                self.cpu = time.process_time() - self.cpu
                self.done.set_result(None)
            elif not self.told["parallel"]:
                if self.told["gap_s"]:
                    self._loop.call_later(self.told["gap_s"], self.ask_later)
                else:
                    self.ask()

    tickets = []

    async def run(told):
        loop = asyncio.get_running_loop()
        settings = QuicConfiguration(
            is_client=True, alpn_protocols=H3_ALPN, max_datagram_size=DATAGRAM,
            congestion_control_algorithm=told["cc"], server_name="localhost",
            idle_timeout=RUN_LIMIT)
        settings.load_verify_locations(f"{folder}/{told['chain']}-root.pem")
        if told["early"] or told["resumed"]:
            settings.session_ticket = tickets[-1]
        quic = QuicConnection(configuration=settings, session_ticket_handler=tickets.append)
        transport, client = await loop.create_datagram_endpoint(
            lambda: Client(quic), local_addr=("127.0.0.1", 0))
        client.prepare(told)
        gc.collect()
        client.begin(("127.0.0.1", told["port"]))
        try:
            await asyncio.wait_for(client.done, RUN_LIMIT)
        finally:
            if told["warm"]:
                # The ticket and the last acknowledgements are still under way.
                await asyncio.sleep(told["warm"])
            client.close()
            transport.close()
        order = sorted(client.asked)
        assert [client.sizes[one] for one in order] == told["sizes"]

        def since(times):
            return [round((times[one] - client.asked[one]) * 1e3, 3) for one in order]

        return {
            "handshake_ms": round((client.secure - client.start) * 1e3, 3),
            "first_byte_ms": since(client.first), "first_body_ms": since(client.body),
            "total_ms": since(client.last), "early_data": client.early,
            "cpu_s": client.cpu, "wall_s": max(client.last.values()) - client.start,
        }

    async def main():
        loop = asyncio.get_running_loop()
        while True:
            line = await loop.run_in_executor(None, sys.stdin.readline)
            if not line:
                return
            try:
                found = await run(json.loads(line))
            except (TimeoutError, ConnectionError) as error:
                found = {"error": repr(error)}
            print(json.dumps(found), flush=True)

    gc.disable()
    asyncio.run(main())


# Rows: `measure`.

def certificates(folder):
    """A P-256 key with a short chain (one certificate) and a long one (as of a large issuer).

    Returns their bytes."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

    sizes = {}

    def pem(one):
        return one.public_bytes(serialization.Encoding.PEM)

    def sign(name, key, issuer, issuer_key, is_root, names=0):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = x509.CertificateBuilder(
            issuer_name=issuer, subject_name=name, public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - datetime.timedelta(days=1),
            not_valid_after=now + datetime.timedelta(days=2))
        builder = builder.add_extension(x509.BasicConstraints(is_root, None), True)
        if not is_root:
            listed = ["localhost"] + [f"edge-{index:03}.video.localhost" for index in range(names)]
            listed = [x509.DNSName(one) for one in listed]
            builder = builder.add_extension(x509.SubjectAlternativeName(listed), False)
        return builder.sign(issuer_key, hashes.SHA256())

    def called(text):
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

    key = ec.generate_private_key(ec.SECP256R1())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())
    (folder / "key.pem").write_bytes(private)
    roots = {
        "short": ec.generate_private_key(ec.SECP256R1()),
        "long": rsa.generate_private_key(public_exponent=65_537, key_size=4_096),
    }
    for chain, root_key in roots.items():
        root = sign(called(f"{chain} root"), root_key, called(f"{chain} root"), root_key, True)
        (folder / f"{chain}-root.pem").write_bytes(pem(root))
        if chain == "short":
            leaves = [sign(called("localhost"), key, root.subject, root_key, False)]
        else:
            middle_key = rsa.generate_private_key(public_exponent=65_537, key_size=4_096)
            middle = sign(called("long middle"), middle_key, root.subject, root_key, True)
            leaf = sign(called("localhost"), key, middle.subject, middle_key, False, 60)
            leaves = [leaf, middle]
        (folder / f"{chain}.pem").write_bytes(b"".join(map(pem, leaves)))
        encoding = serialization.Encoding.DER
        sizes[chain] = sum(len(one.public_bytes(encoding)) for one in leaves)
    return sizes


def draw(name):
    """The parameters of all rows of a set, in the order in which they are measured."""
    draws = random.Random(SEEDS[name])

    def log(low, high, step):
        value = math.exp(draws.uniform(math.log(low), math.log(high)))
        return type(step)(round(value / step) * step)

    def row(family, repeats, low=10_000, high=1_000_000, **fields):
        rate, rtt = round(log(1.5, 16, 0.1), 1), log(12, 160, 1)
        made = {
            "family": family, "cc": "reno", "chain": "short", "handshake": "full",
            "rate_mbps": rate, "rtt_ms": rtt, "queue": "deep", "loss": 0.0, "gap_s": 0.0,
            "parallel": False, "sizes": [log(low, high, 100)], "repeats": repeats,
        }
        made.update(fields)
        product = rate * 1e6 / 8 * rtt / 1e3
        deep = made["queue"] == "deep"
        made["queue_bytes"] = 4_000_000 if deep else max(24_000, math.ceil(product))
        return made

    def several(family, repeats, count, low, high, **fields):
        made = row(family, repeats, low, high, **fields)
        made["sizes"] *= count
        return made

    rows = []
    for index in range(26):
        rows.append(row(
            "single", 5, cc="cubic" if index % 4 == 3 else "reno",
            queue="bdp" if index % 3 == 2 else "deep"))
    rows += [row("long chain", 5, high=200_000, chain="long") for _ in range(8)]
    rows += [row("resumed", 5, handshake="resumed") for _ in range(5)]
    rows += [row("0-RTT", 5, 2_000, 500_000, handshake="early") for _ in range(16)]
    for loss in (0.005, 0.01, 0.02):
        for index in range(4):
            rows.append(row(
                "loss", 60, 30_000, 600_000, loss=loss, cc="cubic" if index == 3 else "reno"))
    rows += [
        several("streams", 5, draws.randint(2, 6), 20_000, 250_000, parallel=True)
        for _ in range(12)]
    rows += [several("reuse", 5, 3, 20_000, 400_000) for _ in range(10)]
    rows += [
        several("idle", 3, 2, 50_000, 500_000, gap_s=round(draws.uniform(0.3, 3), 1))
        for _ in range(8)]
    for number, made in enumerate(rows):
        made["row"] = number
    return rows


class Child:
    """A process of this file that answers lines."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--part", *map(str, words)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        with contextlib.suppress(OSError, PermissionError):
            os.sched_setscheduler(self.process.pid, os.SCHED_RR, os.sched_param(1))

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a process of the measurement ended early")
        return json.loads(line)

    def tell(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return self.read()

    def stop(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def spread(values):
    """Median, least and greatest, count; with many also the mean, its error and P95."""
    ordered = sorted(values)
    made = {
        "n": len(values), "median": round(statistics.median(values), 2),
        "min": round(ordered[0], 2), "max": round(ordered[-1], 2),
    }
    if len(values) >= 20:
        made["mean"] = round(statistics.fmean(values), 2)
        error = statistics.stdev(values) / math.sqrt(len(values))
        made["standard_error"] = round(error, 2)
        made["p95"] = round(ordered[math.ceil(0.95 * len(values)) - 1], 2)
    return made


def repeat(row, links, server, client, number, lot=""):
    """One run; what it measured. Which packets are lost is drawn by lot, row and number."""
    relay = links[f"{row['chain']} {row['cc']}"]
    plan = {
        "port": relay.port, "cc": row["cc"], "chain": row["chain"], "sizes": row["sizes"],
        "parallel": row["parallel"], "gap_s": row["gap_s"],
        "early": row["handshake"] == "early", "resumed": row["handshake"] == "resumed", "warm": 0,
    }
    path = {key: row[key] for key in ("rate_mbps", "rtt_ms", "queue_bytes", "loss")}
    seed = f"{lot} {row['row']} {number}"
    if row["handshake"] != "full" and number == 0:
        # A first visit leaves the ticket.
        relay.tell(**{**path, "loss": 0, "seed": seed})
        first = {**plan, "early": False, "resumed": False, "warm": 0.5, "sizes": [1_000]}
        client.tell(**first)
    relay.tell(**path, seed=seed)
    before = server.tell(cpu=True)["cpu_s"]
    found = client.tell(**plan)
    found["server_cpu_s"] = server.tell(cpu=True)["cpu_s"] - before
    found.update(relay.tell(summary=True))
    return found


def computing(links, server, client):
    """What the two ends take by themselves, ms: runs over a link without delay.

    Of a handshake by chain and kind; from its end, or with early data from the start, until a first
    answer begins; until a later one does."""
    made = {}
    for kind, chain, handshake in (
        ("full", "short", "full"), ("long chain", "long", "full"),
        ("resumed", "short", "resumed"), ("early", "short", "early"),
    ):
        row = {
            "row": kind, "chain": chain, "cc": "reno", "handshake": handshake, "loss": 0,
            "rate_mbps": 1_000, "rtt_ms": 0, "queue_bytes": 4_000_000, "gap_s": 0,
            "parallel": False, "sizes": [1_000, 1_000],
        }
        runs = [repeat(row, links, server, client, number) for number in range(21)]
        begun = 0 if handshake == "early" else 1
        made[kind] = {
            "handshake": spread([run["handshake_ms"] for run in runs]),
            "first": spread(
                [run["first_byte_ms"][0] - begun * run["handshake_ms"] for run in runs]),
            "later": spread([run["first_byte_ms"][1] for run in runs]),
        }
    return made


def measure(name, output, families, most):
    import aioquic

    rows = [row for row in draw(name) if not families or row["family"] in families][:most]
    made, slow, failed = [], 0, 0
    begun = time.monotonic()
    children = []
    with tempfile.TemporaryDirectory(prefix="quic-truth-") as place:
        folder = pathlib.Path(place)
        chains = certificates(folder)
        try:
            server = Child("serve", folder)
            children.append(server)
            links = {}
            for key, port in server.read().items():
                links[key] = Child("link", port)
                children.append(links[key])
                links[key].port = links[key].read()["port"]
            client = Child("fetch", folder)
            children.append(client)
            computed = computing(links, server, client)
            for row in rows:
                if time.monotonic() - begun > TIME_LIMIT:
                    print("quic-truth: out of time", file=sys.stderr)
                    break
                runs = [
                    repeat(row, links, server, client, number, lot=name)
                    for number in range(row["repeats"])]
                failed += sum("error" in run for run in runs)
                runs = [run for run in runs if "error" not in run]
                busy = statistics.median(
                    max(run["server_cpu_s"], run["cpu_s"])
                    / max(run["wall_s"] - row["gap_s"], 0.001) for run in runs)
                if busy > CPU_LIMIT:
                    slow += 1
                    continue
                found = dict(row)
                found["repeats"] = len(runs)
                found["chain_bytes"] = chains[row["chain"]]
                found["handshake_ms"] = spread([run["handshake_ms"] for run in runs])
                for key in ("first_byte_ms", "first_body_ms", "total_ms"):
                    found[key] = [
                        spread(values) for values in zip(*(run[key] for run in runs))]
                if row["handshake"] == "early":
                    found["early_data"] = all(run["early_data"] for run in runs)
                found["busy"] = round(busy, 2)
                found["late_us"] = [
                    max(run["late_us"][place] for run in runs) for place in range(3)]
                found["dropped"] = sum(run["dropped"] for run in runs)
                found["lost"] = sum(run["lost"] for run in runs)
                made.append(found)
                print(
                    f"{len(made):3} {row['family']:10} {row['rate_mbps']:5} Mbit/s "
                    f"{row['rtt_ms']:4} ms {len(row['sizes'])} x {row['sizes'][0]:7} "
                    f"{found['total_ms'][0]} busy {found['busy']} late {found['late_us']}",
                    file=sys.stderr)
        finally:
            for child in reversed(children):
                child.stop()
    document = {
        "source": {
            "program": f"aioquic {aioquic.__version__} on Python {sys.version.split()[0]}, HTTP/3",
            "set": name, "seed": SEEDS[name], "cores": os.cpu_count(),
            "date": time.strftime("%Y-%m-%d"), "max_datagram_size": DATAGRAM,
            "initial_window": 10, "framing_bytes": FRAMING,
            "compute_ms": computed, "dropped_as_bound_by_cpu": slow, "failed_runs": failed,
        },
        "rows": made,
    }
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in made)
    source = json.dumps(document["source"])
    output.write_text(f'{{"source": {source},\n"rows": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"quic-truth: {len(made)} rows, {slow} bound by the CPU, {failed} runs failed",
          file=sys.stderr)


def main():
    if sys.argv[1:2] == ["--part"]:
        part, argument = sys.argv[2:4]
        {"link": link, "serve": serve, "fetch": fetch}[part](argument)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("quic-truth: ended"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", choices=sorted(SEEDS))
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--venv", type=pathlib.Path)
    given = parser.parse_args()
    try:
        import aioquic  # noqa: F401
    except ImportError:
        if os.environ.get("QUIC_TRUTH_INNER"):
            sys.exit("quic-truth: aioquic could not be installed")
        with contextlib.ExitStack() as stack:
            scratch = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
            place = given.venv or scratch / "venv"
            python = place / "bin" / "python3"
            if not python.exists():
                venv.create(place, with_pip=True)
            subprocess.run(
                [python, "-m", "pip", "install", "--quiet", "--no-cache-dir", AIOQUIC], check=True)
            again = dict(os.environ, QUIC_TRUTH_INNER="1", TMPDIR=str(scratch))
            inner = subprocess.Popen([python, __file__, *sys.argv[1:]], env=again)
            try:
                sys.exit(inner.wait())
            finally:
                inner.terminate()
                inner.wait()
    output = given.output
    if output is None:
        file = f"quic_{given.set.replace('-', '_')}.json"
        output = ROOT / "Tests" / "Reference" / "network" / file
    measure(given.set, output, given.family, given.rows)


if __name__ == "__main__":
    main()
