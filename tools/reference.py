#!/usr/bin/env python3
"""Makes the compact ground truth in Tests/Reference from a folder of full measurements.

Usage: tools/reference.py [FOLDER] [--check]

FOLDER is laid out as Tests/Reference/README.md says; by default ../shared/reference. Writes what
the tests read, and nothing else: the same input gives the same bytes. `--check` writes nothing and
names each file that would change; it ends with 1 when there is one. `manifest.json` and README.md
of Tests/Reference are left alone.

Numbers keep their digits, except that Pensieve's steps and logs are cut to nine decimals (the tests
compare them to six). Rows and columns that no test reads are dropped.
"""

import argparse
import csv
import json
import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "Tests" / "Reference"

# What stands in for the peers' full sets: traces with stalls, with many and with few rows, and
# short ones that are read round and round.
HSDPA = [
    "norway_bus_14", "norway_bus_23", "norway_ferry_9", "norway_train_6", "norway_tram_27",
    "norway_tram_38",
]
NORWAY = [
    "report.2010-09-20_1542CEST", "report.2010-09-30_1113CEST", "report.2011-02-01_1000CET",
    "report.2011-02-14_2124CET",
]
SESSIONS = range(0, 125, 12)

SINGLE = "cc buffer buffer_pkts rate_mbps rtt_ms size total_ms"
FLOW = "rate_mbps rtt_ms size plus_1_5_rtt_ms"
LOSS = "cc loss rate_mbps rtt_ms size buffer_pkts min_rto_ms seeds mean_ms p50_ms"
SHARED = "cc buffer buffer_pkts rate_mbps rtt_ms flows size start_jitter_s mean_fct_ms"
CLASSES = "rate_mbps rtt_a_ms rtt_b_ms flows_per_class"
STEPS = "cc buffer_pkts rtt_ms size rates_mbps step_at_s total_ms"
POISSON = "cc dist load rate_mbps rtt_ms buffer_pkts by_size arrivals_size_start_s"

# File, fields that are kept, and what a row must have to be kept.
NETWORK = {
    "kernel_a_single_noloss": (SINGLE, {}),
    "kernel_b_random_loss": (LOSS, {}),
    "kernel_c_shared_bottleneck": (SHARED, {}),
    "kernel_d_two_rtt": (
        "cc buffer buffer_pkts goodput_a_mbps goodput_b_mbps ratio_a_over_b " + CLASSES, {}),
    "kernel_e_rate_steps": (STEPS, {}),
    "kernel_f_persistent": ("cc buffer_pkts rate_mbps rtt_ms size total_ms_per_object", {}),
    "kernel_g_poisson": (POISSON, {}),
    "kernel_h2_multiplex": ("rate_mbps rtt_ms size objects first_byte_total_ms_per_stream", {}),
    "kernel_tls": (
        "proto buffer_pkts rate_mbps rtt_ms size connect_ms appconnect_ms ttfb_ms total_ms", {}),
    "ns3_a_single_noloss": (SINGLE, {"cc": "TcpCubic"}),
    "ns3_b_random_loss": (LOSS, {"cc": "TcpCubic", "min_rto_ms": 1000}),
    "ns3_c_shared_bottleneck": (SHARED, {"cc": "TcpCubic", "start_jitter_s": 0.001}),
    "ns3_d_two_rtt": ("cc buffer bulk_ratio_a_over_b " + CLASSES, {"cc": "TcpCubic"}),
    "ns3_e_rate_steps": (STEPS, {"cc": "TcpCubic"}),
    "ns3_f_persistent": (
        "cc idle_s rate_mbps rtt_ms size connect_ms request_to_last_ms",
        {"cc": "TcpCubic", "idle_s": 0}),
    "simgrid_cm02_a": (FLOW, {}),
    "simgrid_lv08_a": (FLOW, {}),
    "simgrid_lv08_c": (
        "rate_mbps rtt_ms flows start_jitter_s mean_plus_1_5_rtt_ms", {"start_jitter_s": 0.001}),
    "simgrid_lv08_d": ("bulk_ratio_a_over_b " + CLASSES, {}),
}


def text(value):
    """JSON on one line."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def document(value, depth):
    """JSON with a line for each member or element down to a depth; plain lists stay on one."""
    if depth == 0 or not isinstance(value, (dict, list)) or not value:
        return text(value)
    if isinstance(value, list) and not any(isinstance(part, (dict, list)) for part in value):
        return text(value)
    if isinstance(value, list):
        return "[\n" + ",\n".join(document(part, depth - 1) for part in value) + "\n]"
    members = (f"{text(key)}:{document(part, depth - 1)}" for key, part in value.items())
    return "{\n" + ",\n".join(members) + "\n}"


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def network(source):
    for name, (fields, wanted) in NETWORK.items():
        file = load(source / "network" / f"{name}.json")
        rows = []
        for row in file["rows"]:
            arrivals = row.pop("arrivals_size_start_s_fct_ms", None)
            if arrivals:
                row["arrivals_size_start_s"] = [[pair[:2] for pair in run] for run in arrivals]
                row["by_size"] = [
                    {key: size[key] for key in ("size", "mean_ms", "p50_ms")}
                    for size in row["by_size"]
                ]
            if all(row.get(key) == value for key, value in wanted.items()):
                rows.append({key: row[key] for key in fields.split() if key in row})
        made = {"source": file["meta"]["source"], "rows": rows}
        yield f"network/{name}.json", document(made, 2) + "\n"


def varint(number):
    """LEB128: seven bits a byte, the low ones first, the top bit set on all but the last."""
    found = bytearray()
    while number >= 128:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def records(data):
    """The packed form of records of 17 bytes, as Tests/Reference/README.md has it."""
    rows = list(struct.iter_unpack("<IIIIB", data))
    lifetimes = sorted({row[3] for row in rows})
    found = bytearray(varint(len(lifetimes)) + b"".join(map(varint, lifetimes)))
    before, last, known = 0, 0, {}
    for time, name, size, lifetime, edge in rows:
        found += varint((time - before) << 2 | edge)
        step = name - last
        found += varint(2 * step if step >= 0 else -2 * step - 1)
        if name not in known:
            known[name] = (size, lifetime)
            found += varint(size) + varint(lifetimes.index(lifetime))
        assert known[name] == (size, lifetime) and edge < 4, "an object that changes"
        before, last = time, name
    return bytes(found)


def cache(source):
    folder = source / "cache"
    for name in ("T1", "T2", "T3"):
        data = (folder / f"{name}.dev.u32le").read_bytes()
        ids = [row[0] for row in struct.iter_unpack("<I", data)]
        yield f"cache/{name}.ids", b"".join(map(varint, ids))
    yield "cache/T4.records", records((folder / "T4.dev.rec17").read_bytes())
    yield "cache/sizes1024.txt", (folder / "sizes1024.txt").read_text().strip() + "\n"
    runs = load(folder / "reference.json")["runs"]
    for run in runs:
        for row in run["results"]:
            for ratio in ("miss_ratio", "byte_miss_ratio"):
                row.pop(ratio, None)
        run["results"] = [row for row in run["results"] if row["exact"]]
    lines = ",\n".join(document(run, 2) for run in runs)
    yield "cache/reference.json", f'{{"runs":[\n{lines}\n]}}\n'
    for name, depth in (("freshness", 2), ("cloudfront-ttl", 2)):
        file = load(folder / "http" / f"{name}-vectors.json")
        made = {"vectors": file["vectors"]}
        yield f"cache/http/{name}-vectors.json", document(made, depth) + "\n"
    runtime = load(folder / "http" / "coalescing-runtime.json")
    yield "cache/http/coalescing-runtime.json", document(runtime, 3) + "\n"


def series(parts):
    """Rows of numbers under lines `> NAME`."""
    lines = []
    for name, rows in parts:
        lines += [f"> {name}"] + [" ".join(row) for row in rows]
    return "\n".join(lines) + "\n"


def cut(number):
    return round(number, 9) if isinstance(number, float) else number


def pensieve(source):
    folder = source / "pensieve"
    traces = {
        name: [line.split() for line in (folder / "cooked_test_traces" / name).open()]
        for name in HSDPA
    }
    yield "peers/hsdpa.txt", series(traces.items())
    sizes = [(folder / "video_size" / f"video_size_{level}").read_text().split()
             for level in range(6)]
    yield "peers/video_sizes.txt", series(enumerate([[size] for size in level] for level in sizes))
    file = load(folder / "reference.json")
    policies = {
        policy: {"per_trace": {name: found["per_trace"][name] for name in HSDPA}}
        for policy, found in file["policies"].items()
    }
    steps = file["bb_steps_first_20_traces"]["rows"]
    rows = {name: [list(map(cut, row)) for row in steps[name]] for name in HSDPA if name in steps}
    made = {
        "columns": file["columns"], "policies": policies,
        "bb_steps_first_20_traces": {"rows": rows},
    }
    yield "peers/pensieve.json", document(made, 4) + "\n"
    logs = csv.DictReader((folder / "published_logs.csv").open())
    lines = ["scheme,trace,chunk,level,delay_ms,buffer_s,rebuffer_s,size_bytes"]
    for row in logs:
        if row["trace"] in HSDPA:
            for name in ("delay_ms", "buffer_s", "rebuffer_s"):
                row[name] = str(cut(float(row[name])))
            lines.append(",".join(row.values()))
    yield "peers/pensieve_logs.csv", "\n".join(lines) + "\n"


def sabre(source):
    folder = source / "sabre"
    # Sabre's two films have the same sizes.
    film = load(folder / "movie.json")
    assert film == load(folder / "bbb.json"), "films that differ"
    yield "peers/film.json", document(film, 2) + "\n"
    yield "peers/network.json", document(load(folder / "network.json"), 1) + "\n"
    traces = {name: [] for name in NORWAY}
    for row in csv.DictReader((folder / "3Glogs.csv").open()):
        if row["trace"] in traces:
            assert row["latency_ms"] == "100", "a latency that the series leave out"
            traces[row["trace"]].append([row["duration_ms"], row["bandwidth_kbps"]])
    yield "peers/norway3g.txt", series(traces.items())
    file = load(folder / "reference.json")
    # Sabre's own diagnostics are left out.
    kept = list(range(9)) + [file["columns"].index("startup_time_ms")]

    def columns(row):
        return [row[place] for place in kept]

    file["columns"] = columns(file["columns"])
    examples = file["example_movie_and_network"]
    made = {
        "columns": file["columns"],
        "example_movie_and_network": {name: columns(row) for name, row in examples.items()},
        "scenarios": {},
    }
    for name, scenario in file["scenarios"].items():
        found = {"args": scenario["args"]}
        found["algorithms"] = {
            algorithm: {
                "args": rows["args"],
                "per_trace": {trace: columns(rows["per_trace"][trace]) for trace in NORWAY},
            } for algorithm, rows in scenario["algorithms"].items()
        }
        made["scenarios"][name] = found
    yield "peers/sabre.json", document(made, 6) + "\n"
    decisions = load(folder / "example_decisions.json")["decisions"]
    yield "peers/sabre_decisions.json", document({"decisions": decisions}, 2) + "\n"


def fluid(bytes_, start, steps, efficiency):
    """Milliseconds in which steps of (ms, kbit/s) carry the bytes."""
    bits, now = bytes_ * 8 / efficiency, start
    for place, (_, rate) in enumerate(steps):
        end = steps[place + 1][0] if place + 1 < len(steps) else float("inf")
        if end <= now:
            continue
        if rate > 0 and rate * (end - now) >= bits:
            return now + bits / rate - start
        bits -= rate * (end - now)
        now = end
    raise ValueError("a trace that ends at zero")


def summary(errors):
    order = sorted(map(abs, errors))
    return {
        "n": len(order), "median_ape": round(order[len(order) // 2], 4),
        "p90_ape": round(order[int(0.9 * len(order))], 4),
        "bias": round(sum(errors) / len(errors), 4),
    }


def stated(chunks, capacity):
    """The errors of the peers' formulas, computed apart from the product."""
    steps = {}
    for row in capacity:
        part = steps.setdefault(row["session"], [])
        part.append((float(row["from_s"]) * 1000, float(row["mbps"]) * 1000))
    trips = {}
    for row in chunks:
        trip = float(row["min_rtt_ms"])
        trips[row["session"]] = min(trip, trips.get(row["session"], trip))
    found = {}
    for name in ("sabre: 1 RTT + fluid", "pensieve/mm22: 0.95*fluid + 80 ms"):
        errors = {"all_chunks": [], "first_chunk": []}
        for row in chunks:
            start, size = float(row["start_s"]) * 1000, int(row["size_bytes"])
            if name.startswith("sabre"):
                trip = trips[row["session"]]
                time = trip + fluid(size, start + trip, steps[row["session"]], 1)
            else:
                time = 80 + fluid(size, start, steps[row["session"]], 0.95)
            truth = float(row["download_ms"])
            errors["all_chunks"].append((time - truth) / truth)
            if row["chunk"] == "0":
                errors["first_chunk"].append((time - truth) / truth)
        found[name] = {part: summary(values) for part, values in errors.items()}
    return found


def emulation(source):
    folder = source / "tcp-emulation"
    chunks = list(csv.DictReader((folder / "chunks.csv").open()))
    capacity = list(csv.DictReader((folder / "capacity.csv").open()))
    published = load(folder / "reference.json")["results"]["bba_lmh"]
    for name, parts in stated(chunks, capacity).items():
        for part, values in parts.items():
            for key, value in values.items():
                assert abs(published[name][part][key] - value) < 1.5e-4, (name, part, key)
    names = {str(session) for session in SESSIONS}
    for file, rows, unused in (
        ("chunks", chunks, ("cwnd_pkts_at_start", "rtt_ms")), ("capacity", capacity, ())
    ):
        rows = [row for row in rows if row["session"] in names]
        lines = [",".join(rows[0])]
        lines += [",".join("" if key in unused else row[key] for key in row) for row in rows]
        yield f"tcp-emulation/{file}.csv", "\n".join(lines) + "\n"
    chunks, capacity = ([row for row in rows if row["session"] in names]
                        for rows in (chunks, capacity))
    made = {"results": {"bba_lmh": stated(chunks, capacity)}}
    yield "tcp-emulation/reference.json", document(made, 4) + "\n"


def requirements(source):
    """Row and kind of each requirement: the sheet itself is not ours to publish."""
    sheet = (source.parent / "requirements").with_suffix(".md")
    lines = []
    for line in sheet.read_text(encoding="utf-8").split("\n"):
        cells = [cell.replace(" ", "") for cell in line.split("|")]
        if line.startswith("| ") and re.fullmatch(r"[A-Z]+-\d+", cells[1]):
            lines.append(f"{cells[1]},{'OQ' if cells[1].startswith('OQ') else cells[3]}")
    yield "requirements.txt", "\n".join(lines) + "\n"


def licences(source):
    parts = [
        ("peers/: Sabre's films, traces and outputs (GitHub UMass-LIDS/sabre)",
         "sabre/LICENSE.sabre.txt"),
        ("peers/: traces, sizes and logs (GitHub thu-media/Comyco)",
         "pensieve/LICENCE.comyco.txt"),
        ("peers/: Pensieve's model, whose outputs they are (GitHub hongzimao/pensieve)",
         "pensieve/LICENSE.pensieve.txt"),
        ("tcp-emulation/: sessions (GitHub Purdue-ISL/Veritas)",
         "tcp-emulation/LICENSE.veritas.txt"),
    ]
    made = ["The figures of the folders peers and tcp-emulation were published by others under"]
    made += ["these terms. All else in Tests/Reference is ours."]
    for title, path in parts:
        made += ["", "== " + title, "", (source / path).read_text(encoding="utf-8").strip()]
    yield "NOTICES.txt", "\n".join(made) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", default=str(ROOT.parent / "shared" / "reference"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    source = pathlib.Path(options.folder)
    if not source.is_dir():
        sys.exit(f"reference.py: {options.folder}: expected a folder, got none")
    differing = 0
    for part in (network, cache, pensieve, sabre, emulation, requirements, licences):
        for name, made in part(source):
            data = made if isinstance(made, bytes) else made.encode()
            path = TARGET / name
            if path.is_file() and path.read_bytes() == data:
                continue
            differing += 1
            print(f"{'differs' if options.check else 'written'}: Tests/Reference/{name}")
            if not options.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
    sys.exit(1 if options.check and differing else 0)


if __name__ == "__main__":
    main()
