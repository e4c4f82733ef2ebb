#!/usr/bin/env python3
"""Runs one peer for tools/peers.py, in a Python that has the peer's packages.

Usage: tools/peers_drive.py PEER JSON

PEER is versions, pensieve, mm22-watch, mm22, cache or queue; JSON says what to run. Prints one
line of JSON. The peers' files are run as they stand: what Python 2 or an older NumPy had and they
need is put in place beforehand, in this process.
"""
import builtins
import contextlib
import importlib
import importlib.metadata
import json
import os
import random
import sys
import types

# Pensieve: kbit/s of its levels, and its reward's weights.
LEVELS = [300, 750, 1200, 1850, 2850, 4300]
REBUFFER_WEIGHT = 4.3


def versions(task):
    """The version of each package; none where it cannot be imported."""
    found = {}
    for name in task["packages"]:
        try:
            importlib.import_module(name)
            found[name] = importlib.metadata.version(name)
        except ImportError:
            found[name] = None
    return found


def pensieve(task):
    """Sessions of one policy over the traces, each summed as Pensieve's own players log it."""
    builtins.xrange = range
    sys.path.insert(0, task["folder"])
    load_trace = importlib.import_module("load_trace")
    fixed_env = importlib.import_module("fixed_env")
    fixed_env.VIDEO_SIZE_FILE = os.path.join(task["sizes"], "video_size_")
    times, rates, names = load_trace.load_trace(os.path.join(task["traces"], ""))
    world = fixed_env.Environment(all_cooked_time=times, all_cooked_bw=rates)
    rows = {}
    for name in names:
        steps, level = [], pensieve_level(task["policy"], None)
        while not steps or not steps[-1][-1]:
            delay, _, buffer, stall, size, _, is_end, _ = world.get_video_chunk(level)
            steps.append([level, float(delay), float(buffer), float(stall), size, is_end])
            level = pensieve_level(task["policy"], buffer)
        taken, delays, buffers, stalls, sizes, _ = zip(*steps)
        kilobits = [LEVELS[step] for step in taken]
        changes = sum(abs(a - b) for a, b in zip(kilobits, [LEVELS[1]] + kilobits))
        rows[name] = {
            "levels": "".join(map(str, taken)), "startup_delay_ms": delays[0],
            "sum_delay_ms": sum(delays), "rebuffer_s_total": sum(stalls),
            "rebuffer_s_after_first": sum(stalls[1:]), "bytes": sum(sizes),
            "final_buffer_s": buffers[-1], "mean_bitrate_kbps": sum(kilobits) / len(kilobits),
            "qoe_lin": sum(kilobits) / 1e3 - REBUFFER_WEIGHT * sum(stalls) - changes / 1e3,
        }
    return rows


def pensieve_level(policy, buffer):
    """A fixed level, or the buffer's: lowest below 5 s, highest from 15 s, in proportion between;
    level 1 before the first step.
    """
    if policy.startswith("fixed"):
        return int(policy[len("fixed"):])
    if buffer is None:
        return 1
    return int(min(max((buffer - 5) / 10, 0), 1) * 5)


class NextOne:
    """The head of the queue, then the next video, at the highest level; else 500 ms of nothing."""

    def Initialize(self):  # noqa: N802, the challenge's name
        pass

    def run(self, delay, stall, size, is_end, playing, players, is_first=False):
        for place, player in enumerate(players[:2]):
            if player.get_remain_video_num() > 0:
                return playing + place, 2, 0
        return playing, 0, 500


def challenge(task):
    """The challenge's run.py as a module, and the seeds of the samples, by name."""
    # An import that is not used, of what NumPy 2 no longer has.
    sys.modules["numpy.lib.utils"] = types.SimpleNamespace(_split_line=None)
    # Python 3.11 takes no NumPy integers.
    seed = random.seed
    random.seed = lambda value=None: seed(None if value is None else int(value))
    sys.modules["solution"] = types.SimpleNamespace(Algorithm=NextOne)
    os.chdir(task["folder"])
    sys.path.insert(0, task["folder"])
    sys.argv = ["run.py"]
    run = importlib.import_module("run")
    numpy = importlib.import_module("numpy")
    seeds = {"run.py": run.seeds}
    for number in range(1, task["samples"]):
        seeds[f"seed {number}"] = numpy.random.RandomState(number).randint(10_000, size=(7, 2))
    return run, seeds


def mm22_watch(task):
    """The watch times of the samples in ms, as the challenge draws them."""
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        _, samples = challenge(task)
        player = importlib.import_module("video_player").Player
        retention = importlib.import_module("user_module").Retention
        return {
            name: [
                round(float(retention(*player(video).get_user_model(), seeds[video])
                            .get_ret_duration()))
                for video in range(7)
            ] for name, seeds in samples.items()
        }


def mm22(task):
    """Score, bytes, quality, wasted bytes and downloaded over watched, by sample and trace."""
    policy, network = task["policy"], task["class"]
    rows = {}
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        run, samples = challenge(task)
        traces = os.path.join("data", "network_traces", network, "")
        run.all_cooked_time, run.all_cooked_bw = run.short_video_load_trace.load_trace(traces)
        for name, run.seeds in samples.items():
            for trace in range(len(run.all_cooked_time)):
                # What the last session left behind would change this one.
                run.last_chunk_bitrate[:] = [-1] * 7
                found = run.test(
                    policy == "no_save", policy == "fixed_preload", policy, trace, 0)
                rows[f"{name} {trace}"] = [float(value) for value in found]
    return rows


def cache(task):
    """One replay by libCacheSim's own reader: misses of the requests."""
    library = importlib.import_module("libcachesim")
    reader = library.TraceReader(
        task["trace"], trace_type=library.TraceType.ORACLE_GENERAL_TRACE)
    options = {"hashpower": task["hashpower"]} if task["hashpower"] else {}
    ratio, _ = getattr(library, task["policy"])(task["capacity"], **options).process_trace(reader)
    return round(ratio * task["requests"])


def queue(task):
    """The events of an M/M/1 queue in SimPy: customers who come, are served and leave."""
    simpy = importlib.import_module("simpy")
    draws = random.Random(1)
    world = simpy.Environment()
    server = simpy.Resource(world)

    def customer():
        with server.request() as turn:
            yield turn
            yield world.timeout(draws.expovariate(1.0))

    def arrivals():
        for _ in range(task["customers"]):
            yield world.timeout(draws.expovariate(0.8))
            world.process(customer())

    world.process(arrivals())
    events = 0
    with contextlib.suppress(simpy.core.EmptySchedule):
        while True:
            world.step()
            events += 1
    return events


def main():
    parts = {
        part.__name__.replace("_", "-"): part
        for part in (versions, pensieve, mm22_watch, mm22, cache, queue)
    }
    if len(sys.argv) != 3 or sys.argv[1] not in parts:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(64)
    # The peers' files stand in folders that are not ours to leave byte code in.
    sys.dont_write_bytecode = True
    print(json.dumps(parts[sys.argv[1]](json.loads(sys.argv[2]))))


if __name__ == "__main__":
    main()
