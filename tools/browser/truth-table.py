"""Prints what was predicted and what a browser played, from the folders of tools/browser/truth."""

import glob
import json
import math
import sys

CASES = [f"{name}-{link}" for link in ("laptop", "lte") for name in ("s01", "pool1", "nofetch")]
CLOCKS = [
    f"ttff_{clock}_ms.{stat}" for clock in ("cold", "swipe") for stat in ("p50", "p75", "p95")
]


def read(folder, name):
    """The metrics of one case by name, and why they are not to be believed; None where it was not
    run."""
    found = glob.glob(f"{folder}/{name}-2/*/validation.json")
    if not found:
        return None
    if len(found) > 1:
        sys.exit(f"truth: {folder}/{name}-2: expected one validation, got {len(found)}")
    with open(found[0], encoding="utf-8") as file:
        document = json.load(file)
    reasons = document["live"]["reasons"] if document["verdict"] == "invalid" else []
    return {row["metric"]: row for row in document["rows"]}, reasons


def within(difference, reference, share):
    return abs(difference) <= max(15, share * abs(reference))


def noise(*rows):
    """Half of the 95 % interval of a sum of differences, live minus simulated."""
    bounds = [row["differenceInterval"] for row in rows]
    if None in bounds:
        return 0
    return math.sqrt(sum(((upper - lower) / 2) ** 2 for lower, upper in bounds))


class Verdicts:
    """Counts what is outside, and what the noise does not let be told."""

    def __init__(self):
        self.outside = 0
        self.untold = 0

    def word(self, good, gap=math.inf, half=0):
        if good:
            return "yes"
        if abs(gap) <= half:
            self.untold += 1
            return f"not told: noise ±{half:.0f} ms"
        self.outside += 1
        return "**no**"


def main(folder):
    rows = {name: read(folder, name) for name in CASES}
    verdicts = Verdicts()
    print("| case | metric | predicted | played | difference | within 15 % or 15 ms |")
    print("|---|---|---:|---:|---:|---|")
    for name in CASES:
        case = rows[name]
        if case is None:
            print(f"| {name} | not run | | | | {verdicts.word(False)} |")
            continue
        case, reasons = case
        if reasons:
            words = "; ".join(reasons)
            print(f"| {name} | the machine was busy | | | {words} | {verdicts.word(False)} |")
        for metric in CLOCKS:
            row = case[metric]
            if row["simulated"] is None or row["live"] is None:
                print(f"| {name} | {metric} | no data | | | {verdicts.word(False)} |")
                continue
            gap = row["live"] - row["simulated"]
            word = verdicts.word(within(gap, row["live"], 0.15), gap, noise(row))
            print(
                f"| {name} | {metric} | {row['simulated']:.1f} ms | {row['live']:.1f} ms | "
                f"{gap:+.1f} ms | {word} |"
            )
        for metric, limit in (("ready_ratio", 0.02), ("rebuffer_ratio", None)):
            row = case[metric]
            if row["simulated"] is None or row["live"] is None:
                print(f"| {name} | {metric} | no data | | | {verdicts.word(False)} |")
                continue
            gap = row["live"] - row["simulated"]
            bounds = row["differenceInterval"]
            # Stalls: within their noise. Of the ready share: two points.
            is_noise = bounds is not None and bounds[0] <= 0 <= bounds[1]
            good = abs(gap) <= limit if limit is not None else is_noise or gap == 0
            print(
                f"| {name} | {metric} | {row['simulated']:.2%} | {row['live']:.2%} | "
                f"{gap * 100:+.2f} points | {verdicts.word(good)} |"
            )
    print()
    print("| against s01 | metric | predicted | played | same sign, within 25 % or 15 ms |")
    print("|---|---|---:|---:|---|")
    for link in ("laptop", "lte"):
        base = rows[f"s01-{link}"]
        for name in (f"pool1-{link}", f"nofetch-{link}"):
            case = rows[name]
            if base is None or case is None:
                continue
            for metric in CLOCKS:
                cells = [side[0][metric] for side in (base, case)]
                if any(cell[side] is None for cell in cells for side in ("simulated", "live")):
                    continue
                predicted = cells[1]["simulated"] - cells[0]["simulated"]
                played = cells[1]["live"] - cells[0]["live"]
                sign = predicted * played > 0 or max(abs(predicted), abs(played)) <= 15
                gap = played - predicted
                word = verdicts.word(sign and within(gap, played, 0.25), gap, noise(*cells))
                print(f"| {name} | {metric} | {predicted:+.1f} ms | {played:+.1f} ms | {word} |")
    print()
    print(f"{verdicts.outside} outside, {verdicts.untold} not told.")
    return 1 if verdicts.outside else 0


sys.exit(main(sys.argv[1]))
