#!/usr/bin/env python3
"""Rules that decide one question at a time, as a process (docs/how-to/your-policy.md).

Each is a shipped rule again: `farthest` of policy.pool.victim, `throughput` of policy.abr,
`played` of policy.startupCap.release, `gate` of client.gate without its time limit, `backoff` of
client.retry without jitter, `second-miss` of a tier's admission and `rfc9111` of its ttl. The
greeting says which one is asked for. Python 3.11 or later, standard library alone.
"""

import hashlib
import json
import pathlib
import sys

SECOND = 1_000_000_000
LARGEST = (1 << 63) - 1


def victim(snapshot):
    """Which player gives way: outside the window first, the farthest, the later on a tie."""

    def rank(place):
        item = snapshot["items"][place]
        return not snapshot["isInWindow"][place], abs(item - snapshot["current"]), item

    return {"victim": max(range(len(snapshot["items"])), key=rank)}


def rung(snapshot):
    """The rung of a segment: what 70 % of the estimate pays for, up only with enough buffered."""
    ladder, current, ahead = snapshot["ladder"], snapshot["current"], snapshot["bufferAhead"]

    def highest(rate):
        return max([place for place, bits in enumerate(ladder) if bits <= rate], default=0)

    ceiling = len(ladder) - 1 if snapshot["cap"] is None else highest(snapshot["cap"])
    estimate = snapshot["estimate"]
    ideal = min(ceiling, highest(int((estimate or 0) * 0.7)))
    if current is None:
        return ideal
    if estimate is None:
        return min(current, ceiling)
    threshold = 10.0
    if snapshot["remaining"] is not None:
        # All of a short item that can be buffered beyond the segment that plays.
        left = (ahead + snapshot["remaining"] - snapshot["segmentDuration"]) / SECOND
        threshold = min(threshold, max(0.0, left) * 0.75)
    if ideal > current and ahead < round(threshold * SECOND):
        return current
    if ideal < current and ahead >= 25 * SECOND:
        return min(current, ceiling)
    return ideal


def release(snapshot):
    """Whether the cap of the start is lifted: after two seconds were played."""
    return {"isReleased": snapshot["played"] >= 2 * SECOND}


def gate(snapshot):
    """Whether a swipe is let through: to a frame, or after three tries."""
    return {"passes": snapshot["isReady"] or snapshot["snapBacks"] >= 3}


def retry(snapshot):
    """What follows a failure: waits of 1, 2 and 4 s, then nothing."""
    if snapshot["failures"] > 3:
        return {"do": "giveUp"}
    return {"do": "retry", "after": min(4, 1 << snapshot["failures"] - 1) * SECOND, "jitter": 0}


def admission(snapshot):
    """What enters a cache: what was missed before."""
    return {"admits": snapshot["wasMissed"]}


def lifetime(snapshot):
    """How long a shared cache keeps an answer (RFC 9111 section 4.2.1)."""
    directives = dict(
        (part.strip().lower().split("=", 1) + [""])[:2]
        for part in snapshot["cacheControl"].split(",")
    )
    if "no-store" in directives or "private" in directives:
        return {"lifetime": None}
    seconds = int(directives.get("s-maxage") or directives.get("max-age") or 0)
    return {"lifetime": min(seconds * SECOND, LARGEST)}


RULES = {
    "victim": victim,
    "rung": lambda snapshot: {"rung": rung(snapshot)},
    "release": release,
    "gate": gate,
    "retry": retry,
    "admission": admission,
    "lifetime": lifetime,
}


def answer(message):
    body = json.dumps(message, separators=(",", ":")).encode()
    sys.stdout.buffer.write(b"%d %b\n" % (len(body), body))
    sys.stdout.buffer.flush()


def main():
    rule = None
    for line in sys.stdin.buffer:
        length, _, body = line.partition(b" ")
        if len(body) != int(length) + 1:
            sys.exit(f"expected {int(length)} bytes, got {len(body) - 1}")
        message = json.loads(body)
        if "hello" in message:
            rule = RULES[message["decides"]]
            digest = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()
            answer({"name": f"{message['decides']}-python", "version": "1.0", "digest": digest})
            continue
        answer({"question": message["question"], **rule(message["snapshot"])})


if __name__ == "__main__":
    main()
