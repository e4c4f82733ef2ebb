#!/usr/bin/env python3
"""What an answer becomes over what sources span of a device's costs (results/answers).

Usage: tools/device-spans.py [--question NAME] [--replications N] [--only KEY] FIRSTFRAME
players (OQ-11)  scenarios/pool-and-gating.yaml without its gate: pools of players
cards (OQ-08)    scenarios/mixed-feed-scroll.yaml: who plays
gates (OQ-09)    the same: what holds mounts back while the list moves fast
Sweeps the points under each cost, all device classes alike, and prints Markdown: the mean of each
metric, and in brackets what it is against the first point that is the answer so far, paired by
replication, in the words of `firstframe compare`.
"""

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile

CLASSES = [("high", 1), ("mid", 2), ("low-end", 1)]
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


@dataclasses.dataclass
class Question:
    """What is swept, and what is printed of it."""

    scenario: str
    key: str
    # The answer so far, which the others are compared with, and the points.
    answer: str
    points: list
    heading: str
    # Times in milliseconds, shares or counts.
    metrics: list
    settings: list = dataclasses.field(default_factory=list)


def pool_label(pool):
    size, ahead, behind = (part.split(":")[1].strip(" }") for part in pool.split(","))
    return f"{size} ({ahead}, {behind})"


TWO = "{size: 2, ahead: 1, behind: 0}"
POOLS = ["{size: 1, ahead: 0, behind: 0}", TWO, "{size: 3, ahead: 2, behind: 0}",
         "{size: 3, ahead: 1, behind: 1}", "{size: 4, ahead: 2, behind: 1}",
         "{size: 5, ahead: 2, behind: 2}"]
MOST_CENTRED = "{kind: most-centred}"
MODELS = ["{kind: thresholds}", MOST_CENTRED, "{kind: predicted-rest}", "{kind: projected-dwell}"]
VELOCITY = "{kind: velocity, limit: 2}"
GATES = ["{kind: none}", VELOCITY, "{kind: velocity, limit: 1}",
         "{kind: debounce, delay: 200 ms}"]
MIXED = ["ttff_swipe_ms.mean", "not_started_ratio.ratio", "flaps_per_minute.rate",
         "mounts_per_minute.rate"]
QUESTIONS = {
    "players": Question(
        "pool-and-gating.yaml", "policy.pool", TWO, [(pool_label(pool), pool) for pool in POOLS],
        "players (ahead, behind) | wait, high, ms | mid | low-end | all | P95, all",
        [f"swipe_wait_ms{{device={name}}}.mean" for name, _ in CLASSES]
        + ["swipe_wait_ms.mean", "swipe_wait_ms.p95"], ["client.gate={kind: none}"]),
    "cards": Question(
        "mixed-feed-scroll.yaml", "surface.visibility.model", MOST_CENTRED,
        [(model[7:-1], model) for model in MODELS],
        "who plays | start after a swipe, ms | left before a frame | flaps a minute "
        "| mounts a minute", MIXED),
    "gates": Question(
        "mixed-feed-scroll.yaml", "surface.gate", VELOCITY,
        [(gate[7:-1], gate) for gate in GATES],
        "gate | start after a swipe, ms | left before a frame | flaps a minute "
        "| mounts a minute", MIXED),
}


def sweep(program, question, cost, replications, folder):
    """The points of one sweep, as `sweep.json` has them."""
    scenario = os.path.join(
        os.path.dirname(__file__), "..", "scenarios", question.scenario)
    keys = f", {cost}" if cost else ""
    devices = ", ".join(f"{{kind: {name}, weight: {weight}{keys}}}" for name, weight in CLASSES)
    points = ", ".join(point for _, point in question.points)
    command = [program, "sweep", scenario, "--json", "--replications", str(replications),
               "--output", folder, "--set", f"{question.key}={question.answer}",
               "--set", f"devices=[{devices}]", "--vary", f"{question.key}=[{points}]"]
    for setting in question.settings:
        command += ["--set", setting]
    for metric in question.metrics:
        command += ["--metric", metric]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr or done.stdout)
    return json.loads(done.stdout)["points"]


def cell(point, name):
    """A mean, and how it stands to that of the answer so far."""
    metric = next(metric for metric in point["metrics"] if metric["metric"] == name)

    def text(value, sign=""):
        if "_ms" in name:
            return f"{value:{sign}.0f}"
        return f"{100 * value:{sign}.2f}" if name.endswith(".ratio") else f"{value:{sign}.2f}"

    words = text(metric["value"]) + (" %" if name.endswith(".ratio") else "")
    for row in point["changes"]:
        if row["metric"] == name and row["difference"] is not None:
            half = (row["upper"] - row["lower"]) / 2
            words += f" ({text(row['difference'], '+')} ±{text(half)}, {row['outcome']})"
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--question", choices=QUESTIONS, default="players")
    parser.add_argument("--replications", type=int, default=8)
    parser.add_argument("--only", help="a key of COSTS")
    parser.add_argument("firstframe")
    given = parser.parse_args()
    if given.only is not None and given.only not in dict(COSTS):
        parser.error(f"--only: expected one of {', '.join(dict(COSTS))}, got {given.only}")
    question = QUESTIONS[given.question]
    print(f"| cost | {question.heading} |")
    print("|---|---|" + "---:|" * len(question.metrics))
    with tempfile.TemporaryDirectory() as folder:
        for key, costs in COSTS:
            if given.only not in (None, key):
                continue
            for cost in costs:
                if question.metrics is MIXED and "mainThread" in cost:
                    # Its main thread has costs of its own, and the key is refused.
                    cost = ", ".join(key for key in cost.split(", ") if "mainThread" not in key)
                    if not cost:
                        continue
                points = sweep(given.firstframe, question, cost, given.replications, folder)
                if len(points) != len(question.points):
                    sys.exit(f"expected {len(question.points)} points, got {len(points)}")
                for (label, _), point in zip(question.points, points):
                    cells = [cell(point, name) for name in question.metrics]
                    print(f"| {cost or key} | {label} | " + " | ".join(cells) + " |",
                          flush=True)


if __name__ == "__main__":
    main()
