#!/usr/bin/env python3
"""How many players, over what sources span of a device's costs (results/answers/OQ-11.md).

Usage: tools/device-spans.py [--replications N] [--only KEY] FIRSTFRAME
Sweeps scenarios/pool-and-gating.yaml without its gate: pools of players under each cost, all device
classes alike, and prints Markdown: the mean wait after a swipe by class, and in brackets what it is
against two players, paired by replication, in the words of `firstframe compare`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

TWO = "{size: 2, ahead: 1, behind: 0}"
POOLS = ["{size: 1, ahead: 0, behind: 0}", TWO, "{size: 3, ahead: 2, behind: 0}",
         "{size: 3, ahead: 1, behind: 1}", "{size: 4, ahead: 2, behind: 1}",
         "{size: 5, ahead: 2, behind: 2}"]
CLASSES = [("high", 1), ("mid", 2), ("low-end", 1)]
METRICS = [f"swipe_wait_ms{{device={name}}}.mean" for name, _ in CLASSES]
METRICS += ["swipe_wait_ms.mean", "swipe_wait_ms.p95"]
# Ends of what sources span, and steps between them for what the answer turns on
# (docs/reference/parameters.md section 3.1).
COSTS = [
    ("as given", [""]),
    ("decoderReuse", [f"decoderReuse: {ms} ms" for ms in (5, 50, 100, 150, 200, 300, 500)]),
    ("decoderSetup", [f"decoderSetup: {ms} ms" for ms in (30, 500)]),
    ("firstDecode", [f"firstDecode: {ms} ms" for ms in (10, 100)]),
    ("playerCreation", [f"playerCreation: {ms} ms, mainThread: {{create: {ms} ms}}"
                        for ms in (1, 100)]),
    ("retarget", [f"mainThread: {{retarget: {ms} ms}}" for ms in (1, 80)]),
    ("attach", [f"presentation: {{attach: {ms} ms}}" for ms in (1, 50)]),
]


def sweep(program, cost, replications, folder):
    """The points of one sweep over the pools, as `sweep.json` has them."""
    scenario = os.path.join(os.path.dirname(__file__), "..", "scenarios", "pool-and-gating.yaml")
    keys = f", {cost}" if cost else ""
    devices = ", ".join(f"{{kind: {name}, weight: {weight}{keys}}}" for name, weight in CLASSES)
    command = [program, "sweep", scenario, "--json", "--replications", str(replications),
               "--output", folder, "--set", "client.gate={kind: none}",
               "--set", f"policy.pool={TWO}", "--set", f"devices=[{devices}]",
               "--vary", f"policy.pool=[{', '.join(POOLS)}]"]
    for metric in METRICS:
        command += ["--metric", metric]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr or done.stdout)
    return json.loads(done.stdout)["points"]


def cell(point, name):
    """A mean in milliseconds, and how it stands to that of two players."""
    metric = next(metric for metric in point["metrics"] if metric["metric"] == name)
    text = f"{metric['value']:.0f}"
    for row in point["changes"]:
        if row["metric"] == name and row["difference"] is not None:
            half = (row["upper"] - row["lower"]) / 2
            text += f" ({row['difference']:+.0f} ±{half:.0f}, {row['outcome']})"
    return text


def label(pool):
    size, ahead, behind = (part.split(":")[1].strip(" }") for part in pool.split(","))
    return f"{size} ({ahead}, {behind})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--replications", type=int, default=8)
    parser.add_argument("--only", help="a key of COSTS")
    parser.add_argument("firstframe")
    given = parser.parse_args()
    print("| cost | players (ahead, behind) | wait, high, ms | mid | low-end | all | P95, all |")
    print("|---|---|" + "---:|" * len(METRICS))
    with tempfile.TemporaryDirectory() as folder:
        for key, costs in COSTS:
            if given.only not in (None, key):
                continue
            for cost in costs:
                for pool, point in zip(POOLS, sweep(
                        given.firstframe, cost, given.replications, folder)):
                    cells = [cell(point, name) for name in METRICS]
                    print(f"| {cost or key} | {label(pool)} | " + " | ".join(cells) + " |",
                          flush=True)


if __name__ == "__main__":
    main()
