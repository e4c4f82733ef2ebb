#!/usr/bin/env python3
"""What leaving viewers out costs: runs scenarios whole, sampled, and with a background audience.

Usage: audience-scale.py FIRSTFRAME SHARE [NAME...]
Every audience is that of the scenario file; SHARE (such as 0.1) of it is simulated in the second
and third form. Prints Markdown: value ± half of the 95 % interval of each form, the difference to
the whole and a verdict. "within": the difference and half of its interval are at most 1 point (3 %
for times). "off": its whole interval lies beyond that; "open": neither. The replications are fixed,
fewer for the whole.
"""

import json
import math
import subprocess
import sys
import tempfile

# Name: file, keys, views a day and edge, edges behind the shared tiers, replications whole, part.
WORKLOADS = {
    "wifi-budget-gate": ("wifi-budget-gate.yaml",
                         ["cdn.edges=4", "cdn.edgesBehindShield=4"], 1500000, 4, 64, 256),
    "no prefetch": ("wifi-budget-gate.yaml",
                    ["cdn.edges=4", "cdn.edgesBehindShield=4", "policy.pool.size=1",
                     "policy.prefetch.headLength=0 s"], 1500000, 4, 64, 256),
    "cdn-ttl-flash-crowd": ("cdn-ttl-flash-crowd.yaml", ["cdn.edgesBehindShield=2"], 1500000, 2,
                            64, 256),
    "small caches": ("wifi-budget-gate.yaml",
                     ["cdn.edges=2", "cdn.edgesBehindShield=2", "catalogue.titles=30000",
                      "cdn.edge={kind: lru, capacity: 15 GB}",
                      "cdn.shield={kind: lru, capacity: 40 GB}",
                      "cdn.start={kind: warmed, period: 40 min}",
                      "audience.viewsPerDayPerEdge=4000000", "audience.window=10 min"],
                     4000000, 2, 8, 32),
}

METRICS = [
    ("edge hits", "hit_ratio{tier=edge,by=requests}.ratio", "points"),
    ("edge hits by bytes", "hit_ratio{tier=edge,by=bytes}.ratio", "points"),
    ("shield hits", "hit_ratio{tier=shield,by=requests}.ratio", "points"),
    ("TTFF P50, ms", "ttff_ms.p50", "percent"),
    ("TTFF P75, ms", "ttff_ms.p75", "percent"),
    ("TTFF P95, ms", "ttff_ms.p95", "percent"),
    ("cold TTFF P50, ms", "ttff_cold_ms.p50", "percent"),
    ("cold TTFF P75, ms", "ttff_cold_ms.p75", "percent"),
    ("cold TTFF P95, ms", "ttff_cold_ms.p95", "percent"),
]


# Replications that one run takes at most. More are runs of other seeds, the same ones for each
# form: a seed has its catalogue, whose first titles decide what the median view waits for.
MOST = 64


def run(program, file, sets, replications, seeds):
    """The metrics and the number of views of so many replications of so many seeds."""
    results = [run_once(program, file, sets + ([f"seed={seed}"] if seed else []),
                        replications // seeds) for seed in range(seeds)]
    metrics = {}
    for _, name, _ in METRICS:
        found = [result[0].get(name) for result in results]
        if None not in found:
            metrics[name] = pooled(found)
    return metrics, sum(result[1] for result in results)


def pooled(found):
    """The mean of independent estimates of the same."""
    values = [metric["value"] for metric in found]
    if None in values:
        return {"value": None, "interval": None}
    value = sum(values) / len(values)
    error = math.sqrt(sum(half(metric) ** 2 for metric in found)) / len(values)
    return {"value": value, "interval": [value - error, value + error]}


def run_once(program, file, sets, replications):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", "scenarios/" + file, "--quiet", "--json", "--output", folder,
                   "--replications", str(replications)]
        for key in sets:
            command += ["--set", key]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 10, 12, 13):
        sys.exit(f"audience-scale: error: exit code {ended.returncode}: {ended.stderr}")
    result = json.loads(ended.stdout)
    metrics = {metric["metric"]: metric for metric in result["metrics"]}
    return metrics, sum(cohort["views"] for cohort in result["cohorts"])


def half(metric):
    return (metric["interval"][1] - metric["interval"][0]) / 2 if metric["interval"] else 0


def cell(metric, kind):
    if metric["value"] is None:
        return "–"
    if kind == "points":
        return f"{100 * metric['value']:.2f} ±{100 * half(metric):.2f} %"
    return f"{metric['value']:.0f} ±{half(metric):.0f}"


def difference(whole, part, kind):
    if whole["value"] is None or part["value"] is None:
        return "–"
    if kind == "points":
        return f"{100 * (part['value'] - whole['value']):+.2f} points"
    if whole["value"] == 0:
        return "equal" if part["value"] == 0 else "from zero"
    return f"{100 * (part['value'] / whole['value'] - 1):+.1f} %"


# What is asked: points of a ratio, and the share of a time.
LIMITS = {"points": 0.01, "percent": 0.03}


def verdict(whole, part, kind):
    a, b = whole["value"], part["value"]
    if a is None or b is None:
        return "–"
    if a == b:
        return "within"
    if kind == "percent" and a == 0:
        return "open"
    unit = 1 if kind == "points" else a
    off = abs(b - a) / unit
    wide = math.hypot(half(whole), half(part)) / unit
    if off <= LIMITS[kind] and wide <= LIMITS[kind]:
        return "within"
    return "off" if off - wide > LIMITS[kind] else "open"


def main():
    program, share = sys.argv[1], float(sys.argv[2])
    for name in sys.argv[3:] or WORKLOADS:
        file, sets, views, edges, whole_runs, part_runs = WORKLOADS[name]
        seeds = max(1, part_runs // MOST)
        whole, first = run(program, file, sets, whole_runs, seeds)
        sample, second = run(
            program, file, sets + [f"audience.sampling={{share: {share}}}"], part_runs, seeds)
        law, third = run(
            program, file,
            sets + [f"audience.viewsPerDayPerEdge={views * share:.0f}",
                    f"audience.background={{viewers: {views * (1 - share) * edges:.0f}, "
                    "viewsPerDay: 1}"], part_runs, seeds)
        print(f"\n**{name}**: {first:,}, {second:,} and {third:,} views in {whole_runs}, "
              f"{part_runs} and {part_runs} replications\n")
        print("| | whole | sampled | difference | | background | difference | |")
        print("|---|---:|---:|---:|---|---:|---:|---|")
        for title, metric, kind in METRICS:
            a, b, c = whole[metric], sample[metric], law[metric]
            print(f"| {title} | {cell(a, kind)} | {cell(b, kind)} | {difference(a, b, kind)} "
                  f"| {verdict(a, b, kind)} | {cell(c, kind)} | {difference(a, c, kind)} "
                  f"| {verdict(a, c, kind)} |", flush=True)


main()
