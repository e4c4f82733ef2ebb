"""What runs on a worker of an engine.

It imports the standard library alone and nothing of this package, and is sent as it stands
(cloudpickle's `register_pickle_by_value`): a worker needs neither the package nor a program.
"""

from __future__ import annotations

import os
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

VARIABLE = "FIRSTFRAME_PROGRAM"
NO_PROGRAM = -1
"""In place of an exit code: this worker has no program, and may be sent one."""
CANNOT_START = 126
"""As a shell tells of a program that it cannot start."""

Answer = dict[str, Any]
"""What became of a call: `status` as a shell tells it, `stderr`, `worker` and `host`, `seconds`,
and `memory`: whether this machine ended a program meanwhile for want of memory."""


def make_shards(named: str | None, folder: str, numbers: str, where: str) -> Answer:
    """Does shards of a plan by a program on this machine, from the folder `where`: the paths of a
    plan are seen from where it was given, and a worker may have begun anywhere."""
    begin = time.monotonic()
    path = find(named)
    if path is None:
        return _answer(NO_PROGRAM, "no program", begin)
    if not os.path.isdir(where):
        return _answer(CANNOT_START, f"{where}: expected the folder of the plan's paths", begin)
    ended_before = _ended_for_memory()
    try:
        child = subprocess.Popen(
            [os.path.abspath(path), "shard", folder, "--index", numbers, "--threads", "1"],
            cwd=where,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            # Ctrl-C reaches it only through us.
            process_group=0,
        )
    except OSError as problem:
        return _answer(CANNOT_START, f"{path}: {problem.strerror}", begin)
    running = _running()
    running[child.pid] = folder
    try:
        _, stderr = child.communicate()
    finally:
        del running[child.pid]
    status = 128 - child.returncode if child.returncode < 0 else child.returncode
    answer = _answer(status, stderr.decode("utf-8", "replace"), begin)
    answer["memory"] = status > 128 and _ended_for_memory() > ended_before
    return answer


def stop_shards(folder: str) -> None:
    """Asks the programs that do shards of a plan here to end; finished replications stay."""
    for process, its in list(_running().items()):
        if its == folder:
            os.kill(process, signal.SIGINT)


def find(named: str | None) -> str | None:
    """The program here: the one that is named, of FIRSTFRAME_PROGRAM, that a package carries, or
    that was sent before; None without one."""
    if named:
        return named
    if there := os.environ.get(VARIABLE):
        return there
    try:
        import firstframe

        return str(firstframe.program())
    except (ImportError, OSError, AttributeError):
        sent: str | None = _shared().get("program")
        return sent if sent and os.access(sent, os.X_OK) else None


def receive(name: str, data: bytes, machine: str) -> str:
    """Keeps a program that was sent; returns what is wrong with it here, or nothing."""
    if platform.machine() != machine:
        return f"expected a machine of kind {machine}, got {platform.machine()}"
    folder = Path(tempfile.gettempdir()) / f"firstframe-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            return f"{folder}: expected a folder of this user, got another's"
        path = folder / name
        if not (path.is_file() and path.stat().st_size == len(data)):
            part = folder / f"{name}.{os.getpid()}"
            part.write_bytes(data)
            part.chmod(0o700)
            part.replace(path)
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as problem:
        return f"{problem.filename}: {problem.strerror}"
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [""]
        return f"the program that was sent does not run here: {lines[-1]}"
    _shared()["program"] = str(path)
    return ""


def _answer(status: int, stderr: str, begin: float) -> Answer:
    return {
        "status": status,
        "stderr": stderr,
        "worker": _address(),
        "host": socket.gethostname(),
        "seconds": time.monotonic() - begin,
        "memory": False,
    }


def _address() -> str:
    try:
        from distributed import get_worker

        return str(get_worker().address)
    except (ImportError, ValueError):
        return ""


def _ended_for_memory() -> int:
    """How many processes of this machine the kernel has ended for want of memory."""
    try:
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return 0


def _shared() -> dict[str, Any]:
    # Functions that are sent have globals of their own each time; a module is of the process.
    return sys.modules.setdefault("_firstframe_worker", ModuleType("_firstframe_worker")).__dict__


def _running() -> dict[int, str]:
    found: dict[int, str] = _shared().setdefault("running", {})
    return found
