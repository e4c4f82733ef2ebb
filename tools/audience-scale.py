#!/usr/bin/env python3
"""What leaving viewers out costs: runs scenarios whole, sampled, and with a background audience.

Usage: tools/audience-scale.py [--seeds N] FIRSTFRAME SHARE [NAME...]
Every audience is that of the scenario file; SHARE (such as 0.1) of it is simulated in the second
and third form. Prints Markdown: value ± half of the 95 % interval of each form, the difference to
the whole and a verdict. "within": the difference and half of its interval are at most 1 point (3 %
for times). "off": its whole interval lies beyond that; "open": neither. The replications are fixed,
fewer for the whole.

Every seed has its catalogue and gives one value of each form; shown are their mean and the mean of
the differences seed by seed. A percentile is that of all views of a seed's replications together,
by Kaplan and Meier: the mean of replications' percentiles would differ with the size of a
replication, because it is pulled to the side where views lie thinner.
"""

import argparse
import csv
import glob
import json
import os
import pathlib
import statistics
import sys
import tempfile

from student import MOST, half_interval

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / ".ci"))
from verdict import answer  # noqa: E402

# Name: file, keys, views a day and edge, edges behind the shared tiers, and replications of a seed
# whole and part.
WORKLOADS = {
    "wifi-budget-gate": ("wifi-budget-gate.yaml",
                         ["cdn.edges=4", "cdn.edgesBehindShield=4"], 1500000, 4, 8, 32),
    "no prefetch": ("wifi-budget-gate.yaml",
                    ["cdn.edges=4", "cdn.edgesBehindShield=4", "policy.pool.size=1",
                     "policy.prefetch.headLength=0 s"], 1500000, 4, 8, 32),
    "cdn-ttl-flash-crowd": ("cdn-ttl-flash-crowd.yaml", ["cdn.edgesBehindShield=2"], 1500000, 2,
                            8, 32),
    "small caches": ("wifi-budget-gate.yaml",
                     ["cdn.edges=2", "cdn.edgesBehindShield=2", "catalogue.titles=30000",
                      "cdn.edge={kind: lru, capacity: 15 GB}",
                      "cdn.shield={kind: lru, capacity: 40 GB}",
                      "cdn.start={kind: warmed, period: 40 min}",
                      "audience.viewsPerDayPerEdge=4000000", "audience.window=10 min"],
                     4000000, 2, 1, 4),
}

METRICS = [
    ("edge hits", "hit_ratio{tier=edge,by=requests}.ratio", None),
    ("edge hits by bytes", "hit_ratio{tier=edge,by=bytes}.ratio", None),
    ("shield hits", "hit_ratio{tier=shield,by=requests}.ratio", None),
    ("TTFF P50, ms", "ttff_ms", 0.5),
    ("TTFF P75, ms", "ttff_ms", 0.75),
    ("TTFF P95, ms", "ttff_ms", 0.95),
    ("cold TTFF P50, ms", "ttff_cold_ms", 0.5),
    ("cold TTFF P75, ms", "ttff_cold_ms", 0.75),
    ("cold TTFF P95, ms", "ttff_cold_ms", 0.95),
]


class Form:
    """The runs of one form, a seed each."""

    def __init__(self, program, file, sets, replications, seeds):
        self.results, self.views, self.times = [], 0, []
        for seed in range(1, seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                result = run(program, file, sets + [f"seed={seed}"], replications, folder)
                self.results.append({metric["metric"]: metric for metric in result["metrics"]})
                self.views += sum(cohort["views"] for cohort in result["cohorts"])
                self.times.append({name: histogram(folder, name)
                                   for name in ("ttff_ms", "ttff_cold_ms")})

    def values(self, name, share):
        """One value a seed; None where there is none."""
        if share is None:
            values = [result.get(name, {}).get("value") for result in self.results]
        else:
            values = [percentile(times[name], share) for times in self.times]
        return None if None in values else values


def run(program, file, sets, replications, folder):
    command = [program, "run", "scenarios/" + file, "--quiet", "--json", "--output", folder,
               "--replications", str(replications)]
    for key in sets:
        command += ["--set", key]
    return json.loads(answer(command).stdout)


def histogram(folder, name):
    """Started and censored views by time, of all networks."""
    bins = {}
    for path in glob.glob(os.path.join(folder, "*", "hist", name + ".*.csv")):
        with open(path, encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                place = (float(row["lower_ms"]), float(row["upper_ms"]))
                started, censored = bins.get(place, (0, 0))
                bins[place] = (started + int(row["started"]), censored + int(row["censored"]))
    return sorted(bins.items())


def percentile(bins, share):
    """By Kaplan and Meier, even inside a bin; None where so many views start is not reached."""
    left, waiting = sum(started + censored for _, (started, censored) in bins), 1.0
    for (lower, upper), (started, censored) in bins:
        after = waiting * (1 - started / left) if left else waiting
        if 1 - after >= share and waiting > after:
            return lower + (upper - lower) * (share - (1 - waiting)) / (waiting - after)
        waiting, left = after, left - started - censored
    return None


def cell(values, is_time):
    if values is None:
        return "–"
    value, error = statistics.fmean(values), half_interval(values)
    return f"{value:.0f} ±{error:.0f}" if is_time else f"{100 * value:.2f} ±{100 * error:.2f} %"


def compare(whole, part, is_time):
    """The difference with its interval, and the verdict, as cells."""
    if whole is None or part is None:
        return "– | –"
    if whole == part:
        return "equal | within"
    if is_time and 0 in whole:
        return "from zero | open"
    differences = [y / x - 1 if is_time else y - x for x, y in zip(whole, part)]
    off, wide = statistics.fmean(differences), half_interval(differences)
    if is_time:
        limit, text = 0.03, f"{100 * off:+.1f} ±{100 * wide:.1f} %"
    else:
        limit, text = 0.01, f"{100 * off:+.2f} ±{100 * wide:.2f} points"
    if abs(off) <= limit and wide <= limit:
        return f"{text} | within"
    return f"{text} | {'off' if abs(off) - wide > limit else 'open'}"


def share(text):
    value = float(text)
    if not 0 < value < 1:
        raise ValueError
    return value


def main():
    parser = argparse.ArgumentParser(usage="%(prog)s [--seeds N] FIRSTFRAME SHARE [NAME...]")
    parser.add_argument("program", metavar="FIRSTFRAME")
    parser.add_argument("share", metavar="SHARE", type=share)
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--seeds", metavar="N", type=int, default=8)
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in WORKLOADS:
            parser.error(f"argument NAME: expected one of {', '.join(WORKLOADS)}, got {name}")
    program, part, seeds = arguments.program, arguments.share, arguments.seeds
    if not 2 <= seeds <= MOST:
        parser.error(f"argument --seeds: expected a number in 2...{MOST}, got {seeds}")
    for title in arguments.names or WORKLOADS:
        file, sets, views, edges, whole_runs, part_runs = WORKLOADS[title]
        whole = Form(program, file, sets, whole_runs, seeds)
        sample = Form(
            program, file, sets + [f"audience.sampling={{share: {part}}}"], part_runs, seeds)
        law = Form(
            program, file,
            sets + [f"audience.viewsPerDayPerEdge={views * part:.0f}",
                    f"audience.background={{viewers: {views * (1 - part) * edges:.0f}, "
                    "viewsPerDay: 1}"], part_runs, seeds)
        print(f"\n**{title}**: {whole.views:,}, {sample.views:,} and {law.views:,} views in "
              f"{seeds} seeds of {whole_runs}, {part_runs} and {part_runs} replications\n")
        print("| | whole | sampled | difference | | background | difference | |")
        print("|---|---:|---:|---:|---|---:|---:|---|")
        for label, name, rank in METRICS:
            a, b, c = (form.values(name, rank) for form in (whole, sample, law))
            is_time = rank is not None
            print(f"| {label} | {cell(a, is_time)} | {cell(b, is_time)} "
                  f"| {compare(a, b, is_time)} | {cell(c, is_time)} "
                  f"| {compare(a, c, is_time)} |", flush=True)


main()
