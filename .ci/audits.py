#!/usr/bin/env python3
"""Whether the score that a scenario states in its head is the one that an audit finds.

Usage: .ci/audits.py check|write [--firstframe PATH] [SCENARIO…]

A scenario that ships says in the comment at its head how many mutants its budgets notice; a
large one says so of its short form. Without names every scenario but the negative controls is
audited. `check` ends with 1 when a line is missing or wrong, `write` puts it there.
"""

import argparse
import json
import pathlib
import re
import sys

from verdict import answer, replace

LINE = re.compile(r"^# Audit(?P<short> of the short form)?: .*\n", re.MULTILINE)


def found(firstframe, path, short):
    """The line that is right for a scenario."""
    command = [firstframe, "audit", str(path), "--json", "--quiet"] + ["--short"] * short
    audit = json.loads(answer(command).stdout)["audits"][0]
    form = " of the short form" if short else ""
    if audit["score"] is None:
        return f"# Audit{form}: none, the scenario itself is {audit['verdict']} (docs/audit.md).\n"
    noticed = round(audit["score"] * audit["relevant"])
    percent = f"{audit['score'] * 100:.0f}"
    return (f"# Audit{form}: {percent} %, {noticed} of {audit['relevant']} relevant mutants noticed"
            " (docs/audit.md).\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=["check", "write"])
    parser.add_argument("scenarios", nargs="*", type=pathlib.Path)
    parser.add_argument("--firstframe", default=".build/release/firstframe")
    parser.add_argument(
        "--short", action="store_true", help="audit the short form, whatever the head says")
    given = parser.parse_intermixed_args()
    paths = given.scenarios or [
        path for path in sorted(pathlib.Path("scenarios").glob("*.yaml"))
        if not path.name.endswith(".negative.yaml")]
    for path in paths:
        if not path.is_file():
            sys.exit(f"audits: error: {path}: expected an existing file, got none")
    wrong = 0
    for path in paths:
        text = path.read_text()
        stated = LINE.search(text)
        short = given.short or bool(stated and stated["short"])
        line = found(given.firstframe, path, short)
        if stated and stated[0] == line:
            print(f"audits: {path}: {line[2:].strip()}", flush=True)
        elif given.verb == "check":
            says = stated[0].strip() if stated else "no line"
            print(f"audits: {path}: expected '{line.strip()}', got {says}", flush=True)
            wrong += 1
        else:
            rest = LINE.sub("", text, count=1)
            lines = rest.splitlines(keepends=True)
            # Behind the head's comment, before the first key.
            place = next(at for at, words in enumerate(lines) if not words.startswith("#"))
            replace(path, "".join(lines[:place] + [line] + lines[place:]))
            print(f"audits: {path}: wrote {line[2:].strip()}", flush=True)
    sys.exit(1 if wrong else 0)


main()
