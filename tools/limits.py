#!/usr/bin/env python3
"""In how many seeds a scenario keeps its hard budgets, and with how much to spare.

Usage: tools/limits.py SCENARIO [--seeds 100] [--replications N] [--firstframe PATH]

Every seed is one `firstframe gate` as CI would run it: by the looks of the decision rule, or with
--replications once after so many. Ends with 1 when fewer than 99 % of the seeds keep every hard
budget, or when the middle seed spares less than a tenth of some limit. What is spared of a lower
limit of more than a half on a share is counted in what may be missing: 98 % against at least 97 %
spares a third.
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / ".ci"))
from verdict import answer  # noqa: E402

WORDS = {0: "kept", 10: "missed", 12: "undecided", 13: "not judged"}


def spared(budget):
    """The share of its limit that a budget spares; None where that is no number."""
    margin, value = budget["margin"], budget["value"]
    if margin is None or budget["limit"].startswith("<") or budget["unit"] != "ratio":
        return margin
    limit = value / (1 + margin)
    if limit <= 0.5:
        return margin
    return (value - limit) / (1 - limit) if limit < 1 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenario")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--replications", type=int)
    parser.add_argument("--firstframe", default=".build/release/firstframe")
    given = parser.parse_args()
    counts, margins, missed = {}, {}, {}
    for seed in range(1, given.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            command = [given.firstframe, "gate", given.scenario, "--seed", str(seed)]
            command += ["--quiet", "--json", "--output", folder]
            if given.replications:
                command += ["--replications", str(given.replications)]
            done = answer(command)
        counts[done.returncode] = counts.get(done.returncode, 0) + 1
        for budget in json.loads(done.stdout)["gates"][0]["result"]["budgets"]:
            if budget["level"] != "hard":
                continue
            name = f"{budget['metric']} {budget['limit']}"
            if budget["verdict"] != "pass":
                missed.setdefault(name, []).append(f"{seed} {budget['verdict']}")
            share = spared(budget)
            if share is not None:
                margins.setdefault(name, []).append(share)
    total = sum(counts.values())
    text = ", ".join(f"{WORDS[code]} {count}" for code, count in sorted(counts.items()))
    print(f"{pathlib.Path(given.scenario).stem}: {total} seeds: {text}")
    tight = False
    for name, shares in margins.items():
        middle, least = statistics.median(shares), min(shares)
        tight = tight or middle < 0.1
        print(f"  {middle:7.1%} spared, at least {least:7.1%}: {name}")
    for name, seeds in missed.items():
        print(f"  not passed: {name}: {', '.join(seeds)}")
    sys.exit(1 if counts.get(0, 0) < 0.99 * total or tight else 0)


if __name__ == "__main__":
    main()
