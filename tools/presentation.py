#!/usr/bin/env python3
"""What a frame costs when everything is there: players by device class, beside
the published bands.

Usage: tools/presentation.py [--replications N] FIRSTFRAME
Runs scenarios/presentation.yaml for each player and each device class and prints Markdown:
P10, P50 and P90 of the time from a swipe's settle to the first frame on the display (by Kaplan and
Meier over all replications together), and the means of its parts in the views about the median.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

CLASSES = ["high", "mid", "low-end"]
SINGLE = "policy.player={kind: media3-single}"
PLAYERS = [
    ("three players, the next one decoded", []),
    ("one Media3 player, preloaded", [SINGLE]),
    ("one Media3 player, preloaded, 1 Mbps", [SINGLE, "network.access[0].sessionRate=1 Mbps"]),
    ("one Media3 player, not preloaded", [SINGLE, "policy.prefetch={kind: head, headLength: 0 s}"]),
    ("one player that keeps its decoder", ["policy.pool={size: 1, ahead: 0, behind: 0}"]),
    ("five players", ["policy.pool={size: 5, ahead: 2, behind: 2}"]),
]
# Parts that stand together in the table; the rest is the network's.
GROUPS = [("decoder", ["decoder"]), ("first decode", ["first_decode"]),
          ("main thread", ["main_thread"]), ("presentation", ["presentation"])]


def run(program, name, changes, replications, folder):
    """The result of one scenario."""
    scenario = os.path.join(os.path.dirname(__file__), "..", "scenarios", "presentation.yaml")
    command = [program, "run", scenario, "--quiet", "--json", "--replications", str(replications),
               "--output", folder, "--set", f"devices=[{{kind: {name}}}]", "--set", "budgets=[]"]
    for change in changes:
        command += ["--set", change]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False,
        env={**os.environ, "FIRSTFRAME_PILOTS": "off"})
    if done.returncode not in (0, 13):
        sys.exit(done.stderr or done.stdout)
    return json.loads(done.stdout)


def percentiles(result, shares):
    """Of the swipes: [lower, upper, started, censored] with views that were left as censored."""
    buckets = next(entry["buckets"] for entry in result["histograms"]
                   if entry["metric"] == "ttff_swipe_ms")
    at_risk = sum(bucket[2] + bucket[3] for bucket in buckets)
    left, found = 1.0, []
    for lower, upper, started, censored in buckets:
        after = left * (1 - started / at_risk) if at_risk else left
        while len(found) < len(shares) and 1 - after >= shares[len(found)]:
            part = (shares[len(found)] - (1 - left)) / (left - after)
            found.append(lower + part * (upper - lower))
        left, at_risk = after, at_risk - started - censored
    return found + [None] * (len(shares) - len(found))


def parts(result):
    """Mean milliseconds of each group in the views about the median of all, and the network's."""
    means = {part["part"]: part["meanMilliseconds"]
             for part in result["startupBreakdown"]["p50"]["parts"]}
    groups = [sum(means[name] for name in names) for _, names in GROUPS]
    return [sum(means.values()) - sum(groups)] + groups


def number(value):
    return "–" if value is None else f"{value:,.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--replications", type=int, default=4)
    parser.add_argument("firstframe")
    given = parser.parse_args()
    heads = ["network"] + [name for name, _ in GROUPS]
    print("| player | class | P10 | P50 | P90 | " + " | ".join(heads) + " |")
    print("|---|---|" + "---:|" * (3 + len(heads)))
    with tempfile.TemporaryDirectory() as folder:
        for player, changes in PLAYERS:
            for name in CLASSES:
                result = run(given.firstframe, name, changes, given.replications, folder)
                cells = percentiles(result, [0.1, 0.5, 0.9]) + parts(result)
                print(f"| {player} | {name} | " + " | ".join(number(cell) for cell in cells) + " |",
                      flush=True)


if __name__ == "__main__":
    main()
