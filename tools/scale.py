#!/usr/bin/env python3
"""What a view costs, and a viewer, as the audience grows: for results/answers/scale.md.

Usage: tools/scale.py [--program P] [--out FOLDER] [SHARE:RUNS...]

Runs one replication of scenarios/million-viewers.yaml on one thread for each share of its
audience as often as is said, and once with hardly anybody: that is what a run costs before its
first viewer; runs differ in their seed. Prints the table as Markdown and writes scale.svg and
scale.json to the folder; without shares it draws scale.svg from scale.json again.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

from student import half_interval

SCENARIO = "scenarios/million-viewers.yaml"
FULL = 400e6


def run(program, views, seed):
    """One replication: what it cost and what it was."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            program, "run", SCENARIO, "--set", f"audience.viewsPerDayPerEdge={views:.0f}",
            "--seed", str(seed), "--replications", "1", "--threads", "1", "--quiet", "--json",
            "--output", folder,
        ]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command, stdout=output, env={**os.environ, "FIRSTFRAME_PILOTS": "off"})
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in (0, 10, 12, 13):
                sys.exit(f"scale: error: exit code {process.returncode}: {' '.join(command)}")
            output.seek(0)
            result = json.load(output)
    return {
        "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024,
        "views": result["views"], "events": result["events"],
        "viewers": result["counters"]["peakSessions"],
    }


def interval(values):
    """Mean and half of its 95 % interval; None with one value."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, None
    return mean, half_interval(values)


def text(values, digits):
    mean, half = interval(values)
    return f"{mean:,.{digits}f}" + (f" ± {half:,.{digits}f}" if half is not None else "")


def steps(top):
    """Round values up to `top`, three to eight of them."""
    step = 10 ** math.floor(math.log10(top))
    while top / step < 3:
        step /= 2
    return [step * number for number in range(int(top / step) + 1)]


def panel(rows, key, title, unit, above, limit=None):
    """One quantity over the number of viewers, with its intervals; the axis begins at zero.

    `limit`: a line, and what it is called.
    """
    width, height, left, right, upper, lower = 640, 260, 70, 30, 34, 40
    bottom = above + height - lower
    xs = [math.log10(row["viewers"]) for row in rows]
    low, high = min(xs) - 0.15, max(xs) + 0.15
    values = [interval(row[key]) for row in rows]
    tops = [mean + (half or 0) for mean, half in values]
    if limit:
        tops.append(limit[0])
    top = 1.1 * max(tops)

    def x(value):
        return left + (math.log10(value) - low) / (high - low) * (width - left - right)

    def y(value):
        return bottom - value / top * (height - upper - lower)

    parts = [f'<text x="{left}" y="{above + 18}" font-weight="bold">{title}</text>']
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = x(10 ** power)
        parts.append(
            f'<line x1="{at:.1f}" y1="{above + upper}" x2="{at:.1f}" y2="{bottom}" '
            'stroke="#ddd"/>')
        parts.append(
            f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{10 ** power:,}</text>')
    for value in steps(top):
        parts.append(
            f'<line x1="{left}" y1="{y(value):.1f}" x2="{width - right}" y2="{y(value):.1f}" '
            'stroke="#eee"/>')
        parts.append(
            f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    if limit:
        at = y(limit[0])
        parts.append(
            f'<line x1="{left}" y1="{at:.1f}" x2="{width - right}" y2="{at:.1f}" '
            'stroke="#b35900" stroke-dasharray="5 4"/>')
        parts.append(
            f'<text x="{left + 8}" y="{at - 5:.1f}" fill="#b35900">{limit[1]}</text>')
    points = [(x(row["viewers"]), y(mean)) for row, (mean, _) in zip(rows, values)]
    parts.append(
        '<polyline fill="none" stroke="#1f6feb" stroke-width="2" points="'
        + " ".join(f"{a:.1f},{b:.1f}" for a, b in points) + '"/>')
    for (mean, half), (a, b) in zip(values, points):
        if half:
            parts.append(
                f'<line x1="{a:.1f}" y1="{y(max(0, mean - half)):.1f}" x2="{a:.1f}" '
                f'y2="{y(mean + half):.1f}" stroke="#1f6feb"/>')
        parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="#1f6feb"/>')
    middle = (above + upper + bottom) / 2
    parts.append(f'<text x="14" y="{middle}" transform="rotate(-90 14 {middle})" '
                 f'text-anchor="middle">{unit}</text>')
    return parts


def plot(rows):
    """What a view and a viewer cost over the number of viewers, from the measured rows."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 550" '
        'font-family="sans-serif" font-size="12" fill="#222">',
        '<rect width="640" height="550" fill="#fff"/>',
    ]
    base = min(rows, key=lambda row: abs(math.log10(row["viewers"]) - 4))
    limit = (1.5 * interval(base["cost"])[0], f"1.5 times that at {base['viewers']:,} viewers")
    parts += panel(rows, "cost", "CPU time of a view", "µs a view", 0, limit)
    parts += panel(rows, "perViewer", "Memory of a viewer, caches included", "kB a viewer", 260)
    parts.append('<text x="355" y="540" text-anchor="middle">'
                 'viewers at one time (log scale); bars: 95 % intervals</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shares", nargs="*", metavar="SHARE:RUNS")
    arguments.add_argument("--program", default=".build/release/firstframe")
    arguments.add_argument("--out", default="results/answers")
    given = arguments.parse_args()
    if not given.shares:
        # The plot again, of the rows that are there.
        with open(f"{given.out}/scale.json", encoding="utf-8") as file:
            rows = json.load(file)["rows"]
        with open(f"{given.out}/scale.svg", "w", encoding="utf-8") as file:
            file.write(plot(rows))
        return
    empty = run(given.program, 100, 1)
    rows = []
    for text_of_share in given.shares:
        share, _, count = text_of_share.partition(":")
        share, count = float(share), int(count or 1)
        runs = [run(given.program, FULL * share, seed + 1) for seed in range(count)]
        rows.append({
            "share": share, "n": len(runs),
            "viewers": round(statistics.fmean(r["viewers"] for r in runs)),
            "views": round(statistics.fmean(r["views"] for r in runs)),
            "events": [r["events"] / r["views"] for r in runs],
            "cost": [(r["cpu"] - empty["cpu"]) / r["views"] * 1e6 for r in runs],
            "peak": [r["peak"] / 2 ** 20 for r in runs],
            "perViewer": [(r["peak"] - empty["peak"]) / r["viewers"] / 1000 for r in runs],
        })
        print(f"scale: {share}: done", file=sys.stderr)
    first = interval(rows[0]["cost"])[0]
    print("| share | viewers at one time | measured views | n | CPU a view, µs | over the first "
          "| events a view | peak memory, MiB | kB a viewer |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        ratio = interval(row["cost"])[0] / first
        print(f"| {row['share']:g} | {row['viewers']:,} | {row['views']:,} | {row['n']} "
              f"| {text(row['cost'], 1)} | {ratio:.2f} | {text(row['events'], 1)} "
              f"| {text(row['peak'], 0)} | {text(row['perViewer'], 1)} |")
    print(f"\nBefore the first viewer: {empty['cpu']:.1f} s, {empty['peak'] / 2 ** 20:.0f} MiB.")
    with open(f"{given.out}/scale.svg", "w", encoding="utf-8") as file:
        file.write(plot(rows))
    with open(f"{given.out}/scale.json", "w", encoding="utf-8") as file:
        json.dump({"empty": empty, "rows": rows}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
