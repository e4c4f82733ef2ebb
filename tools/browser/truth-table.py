"""Prints what was predicted and what a browser played, from the folders of tools/browser/truth."""

import glob
import json
import sys

CASES = [f"{name}-{link}" for link in ("laptop", "lte") for name in ("s01", "pool1", "nofetch")]
CLOCKS = [
    f"ttff_{clock}_ms.{stat}" for clock in ("cold", "swipe") for stat in ("p50", "p75", "p95")
]


def read(folder, name):
    """The metrics of one case by name; None where it was not run."""
    found = glob.glob(f"{folder}/{name}-2/*/validation.json")
    if not found:
        return None
    if len(found) > 1:
        sys.exit(f"truth: {folder}/{name}-2: expected one validation, got {len(found)}")
    with open(found[0], encoding="utf-8") as file:
        document = json.load(file)
    if document["verdict"] == "invalid":
        return "invalid"
    return {row["metric"]: row for row in document["rows"]}


def within(difference, reference, share):
    return abs(difference) <= max(15, share * abs(reference))


def main(folder):
    rows = {name: read(folder, name) for name in CASES}
    misses = 0
    print("| case | metric | predicted | played | difference | within 15 % or 15 ms |")
    print("|---|---|---:|---:|---:|---|")
    for name in CASES:
        case = rows[name]
        if case is None or case == "invalid":
            print(f"| {name} | {case or 'not run'} | | | | **no** |")
            misses += 1
            continue
        for metric in CLOCKS:
            row = case[metric]
            if row["simulated"] is None or row["live"] is None:
                print(f"| {name} | {metric} | no data | | | no |")
                misses += 1
                continue
            gap = row["live"] - row["simulated"]
            good = within(gap, row["live"], 0.15)
            misses += not good
            print(
                f"| {name} | {metric} | {row['simulated']:.1f} ms | {row['live']:.1f} ms | "
                f"{gap:+.1f} ms | {'yes' if good else '**no**'} |"
            )
        for metric, limit in (("ready_ratio", 0.02), ("rebuffer_ratio", None)):
            row = case[metric]
            if row["simulated"] is None or row["live"] is None:
                print(f"| {name} | {metric} | no data | | | no |")
                misses += 1
                continue
            gap = row["live"] - row["simulated"]
            bounds = row["differenceInterval"]
            # Stalls: within their noise. Of the ready share: two points.
            noise = bounds is not None and bounds[0] <= 0 <= bounds[1]
            good = abs(gap) <= limit if limit is not None else noise or gap == 0
            misses += not good
            print(
                f"| {name} | {metric} | {row['simulated']:.2%} | {row['live']:.2%} | "
                f"{gap * 100:+.2f} points | {'yes' if good else '**no**'} |"
            )
    print()
    print("| against s01 | metric | predicted | played | same sign, within 25 % or 15 ms |")
    print("|---|---|---:|---:|---|")
    for link in ("laptop", "lte"):
        base = rows[f"s01-{link}"]
        for name in (f"pool1-{link}", f"nofetch-{link}"):
            case = rows[name]
            if not isinstance(base, dict) or not isinstance(case, dict):
                continue
            for metric in CLOCKS:
                cells = [side[metric] for side in (base, case)]
                if any(cell[side] is None for cell in cells for side in ("simulated", "live")):
                    continue
                predicted = cells[1]["simulated"] - cells[0]["simulated"]
                played = cells[1]["live"] - cells[0]["live"]
                sign = predicted * played > 0 or max(abs(predicted), abs(played)) <= 15
                good = sign and within(played - predicted, played, 0.25)
                misses += not good
                print(
                    f"| {name} | {metric} | {predicted:+.1f} ms | {played:+.1f} ms | "
                    f"{'yes' if good else '**no**'} |"
                )
    print()
    print(f"{misses} outside.")
    return 1 if misses else 0


sys.exit(main(sys.argv[1]))
