#!/usr/bin/env python3
"""Speaks plan, shard, status and merge as firstframe does, for tests of the engines.

The scenario is a JSON file: `shards` in the first wave, `waves` in all, `milliseconds` that a shard
takes, and `faults` by the number of a shard: "once" ends with code 1 the first time and "always"
each time, "refused" ends with 65, "lies" ends well without a file, "killed" kills itself the first
time. `stuck`: merge asks for more and adds none.
"""

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text)
    part.replace(path)


def option(arguments: list[str], name: str) -> str:
    return arguments[arguments.index(name) + 1]


def body(index: int) -> str:
    return f"shard {index}\n"


def whole(folder: Path, index: int) -> bool:
    path = folder / "store" / f"{index}.txt"
    return path.is_file() and path.read_text() == body(index)


def plan(arguments: list[str]) -> int:
    folder = Path(option(arguments, "--output"))
    verb = arguments[arguments.index("--output") + 2 :]
    if verb[0] == "--cpu-time":
        verb = verb[2:]
    try:
        scenario = json.loads(Path(verb[1]).read_text())
    except json.JSONDecodeError as problem:
        at = f"{verb[1]}:{problem.lineno}:{problem.colno}"
        print(f"{at}: shards: expected JSON, got another text", file=sys.stderr)
        return 65
    about = {"scenario": scenario, "wave": 1, "output": option(verb, "--output"), "verb": verb}
    if not (folder / "plan.json").exists():
        write(folder / "plan.json", json.dumps(about))
    return 0


def read(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "plan.json").read_text())
    return found


def shard(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    assert option(arguments, "--threads") == "1"
    for index in option(arguments, "--index").split(","):
        if status := make(folder, int(index)):
            return status
        print(f"shard {index}: finished, 1 replications run", file=sys.stderr)
    return 0


def make(folder: Path, index: int) -> int:
    scenario = read(folder)["scenario"]
    tries = folder / "tries" / str(index)
    tries.parent.mkdir(exist_ok=True)
    # One character a try; both tries never run at a time.
    with tries.open("a") as file:
        file.write("x")
    number = len(tries.read_text())
    fault = scenario.get("faults", {}).get(str(index))
    if fault == "killed" and number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "always" or (fault == "once" and number == 1):
        print(f"stub: shard {index} fails in try {number}", file=sys.stderr)
        return 1
    if fault == "refused":
        print("stub: expected another plan, got this", file=sys.stderr)
        return 65
    time.sleep(scenario.get("milliseconds", 0) / 1000)
    if fault != "lies":
        write(folder / "store" / f"{index}.txt", body(index))
    return 0


def count(folder: Path) -> int:
    about = read(folder)
    return int(about["scenario"]["shards"]) * int(about["wave"])


def status(arguments: list[str]) -> int:
    assert arguments[1:] == ["--json"]
    folder = Path(arguments[0])
    shards = count(folder)
    missing = [index for index in range(shards) if not whole(folder, index)]
    print(
        json.dumps(
            {
                "schema": 1,
                "kind": "firstframe.status",
                "shards": shards,
                "finished": shards - len(missing),
                "missing": missing,
            }
        )
    )
    return 0


def merge(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    about = read(folder)
    if not all(whole(folder, index) for index in range(count(folder))):
        print("stub: shards are missing", file=sys.stderr)
        return 14
    if about["wave"] < about["scenario"].get("waves", 1):
        about["wave"] += 1
        write(folder / "plan.json", json.dumps(about))
        return 14
    if about["scenario"].get("stuck"):
        print("stub: nothing more to make", file=sys.stderr)
        return 14
    digest = hashlib.sha256(b"".join(body(i).encode() for i in range(count(folder)))).hexdigest()
    target = Path(about["output"]) / f"stub-sweep-{digest[:8]}"
    sweep = {
        "schema": 1,
        "kind": "sweep",
        "scenario": "stub",
        "seed": 1,
        "replications": count(folder),
        "factors": [],
        "points": [],
        "effects": [],
        "front": [],
        "frontPoints": [],
    }
    write(target / "sweep.json", json.dumps(sweep))
    print(f"merged\nresults in {target}")
    return 0


def stop(*_: object) -> None:
    sys.exit(130)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, stop)
    verbs = {"plan": plan, "shard": shard, "status": status, "merge": merge}
    sys.exit(verbs[sys.argv[1]](sys.argv[2:]))
