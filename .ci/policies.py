#!/usr/bin/env python3
"""The example policies beside the built-in family they are: equal results, and what a view costs.

Usage: .ci/policies.py [--firstframe PATH] [--rounds N] [--replications N] [--check RATIO]

Runs scenarios/policies/external-prefetch.yaml with the built-in family, with the policy of
Tests/SamplePolicies where its program `sample` stands beside firstframe, and with each example
whose program is there, in turns, with one thread; prints wall-clock time a view as the ratio to the
built-in one's, the least of all rounds; each counts its pilots itself. Ends with 1 when a result
differs in more than the scenario's part, or with --check when a ratio is above its limit. What is
missing is named.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from verdict import answer

SCENARIO = "scenarios/policies/external-prefetch.yaml"
EXTERNAL = "{kind: external, command: [%s]}"
PACKAGE = "Swift package"
POLICIES = {
    "built in": "{kind: head}",
    PACKAGE: "{kind: sample}",
    "Python": "python3, scenarios/policies/head_of_next.py",
    "Node": "node, scenarios/policies/head_of_next.js",
    "Java": "java, scenarios/policies/HeadOfNext.java",
}


def program(firstframe, policy):
    """What runs it: the package's policy has a program of its own, beside firstframe."""
    return firstframe.with_name("sample") if policy == PACKAGE else firstframe


def run(firstframe, policy, replications, folder):
    """Result without the scenario's part, and seconds."""
    words = POLICIES[policy]
    words = words if words.startswith("{") else EXTERNAL % words
    command = [str(program(firstframe, policy)), "run", SCENARIO, "--short", "--quiet", "--json"]
    command += ["--threads", "1"]
    command += ["--replications", str(replications), "--set", f"policy.prefetch={words}"]
    begin = time.monotonic()
    outcome = answer(command + ["--output", folder])
    seconds = time.monotonic() - begin
    if outcome.returncode not in (0, 10, 12, 13):
        sys.exit(f"policies: {policy}: {outcome.stderr}")
    result = json.loads(outcome.stdout)
    del result["scenario"]
    return result, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--firstframe", default=".build/release/firstframe")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--replications", type=int, default=8)
    parser.add_argument("--check", type=float, default=None, metavar="RATIO")
    options = parser.parse_args()
    firstframe = pathlib.Path(options.firstframe).resolve()
    os.environ["FIRSTFRAME_PILOTS"] = "off"
    there = [name for name, words in POLICIES.items()
             if program(firstframe, name).exists()
             and (words.startswith("{") or shutil.which(words.partition(",")[0]))]
    for name in POLICIES:
        if name not in there:
            print(f"policies: {name}: its program is not there, nothing is shown of it")
    seconds = {name: [] for name in there}
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for name in there:
                result, taken = run(firstframe, name, options.replications, folder)
                seconds[name].append(taken)
                if results.setdefault(name, result) != result:
                    sys.exit(f"policies: {name}: two runs differ")
    views = results["built in"]["views"]
    least = {name: min(taken) for name, taken in seconds.items()}
    print(f"{views} views, {options.rounds} rounds")
    fails = False
    for name in there:
        is_equal = results[name] == results["built in"]
        ratio = least[name] / least["built in"]
        is_slow = options.check is not None and ratio > options.check
        fails = fails or not is_equal or is_slow
        print(f"{name:10} {'equal' if is_equal else 'DIFFERS':8} {least[name]:7.2f} s "
              f"{least[name] / views * 1e6:7.1f} us a view  ratio {ratio:.2f}")
    return 1 if fails else 0


if __name__ == "__main__":
    sys.exit(main())
