#!/usr/bin/env python3
"""A prefetch policy in Python 3.11: some seconds of the next item, less of those after it.

It is the program's own family `head` (policy.prefetch.kind), event by event and command by command,
and needs nothing but the standard library. FirstFrame starts it (policy.prefetch.command), sends
one message a line and waits for one line; docs/reference/policy-protocol.md says what stands in
them. What it says on standard error is shown when something goes wrong.
"""

import argparse
import hashlib
import json
import pathlib
import struct
import sys

SECOND = 1_000_000_000  # Times are whole nanoseconds.
IDLE, FETCHING, FAILED = range(3)
NOTHING, MEDIA = 0, 4  # Stages of an item; those between are for policies that warm up.
STAGES = {"nothing": 0, "connection": 1, "playlists": 2, "init": 3, "media": 4}
NEXT, FURTHER, PREVIOUS = 0, 1, 3  # Priorities.


class Settings:
    """What `policy.prefetch` says of the family; the defaults are its defaults."""

    head_length = 6 * SECOND
    further_length = 2 * SECOND
    previous_length = 2 * SECOND
    previous_threshold = 3
    concurrency = 2
    pause_below_buffer = 4 * SECOND
    items_ahead = 3


class Record:
    """What is known of one item."""

    def __init__(self, item):
        self.item = item
        self.held = (NOTHING, 0)
        self.state = IDLE
        self.wanted = (NOTHING, 0)


class HeadOfNext:
    """The policy of one viewer."""

    def __init__(self, settings):
        self.settings = settings
        self.records = []
        self.most_records = 2 * (settings.items_ahead + 2) + 8
        self.current = None
        self.last = 0
        self.ahead = 0
        self.is_complete = False
        self.throughput = 0
        self.bitrate = 0
        self.is_online = True
        self.is_held = False
        self.plan = []  # (item, depth, priority, item that comes first)
        self.is_planned = False
        self.is_settled = False
        self.active = 0

    def handle(self, event):
        """The commands for one event."""
        commands = []
        kind = event["event"]
        if kind not in ("extended", "buffer", "throughput"):
            self.is_settled = False
        if kind == "buffer":
            self.ahead = max(0, min(event["ahead"], 86_400 * SECOND))
            self.is_complete = event["isComplete"]
        elif kind == "throughput":
            known = (self.throughput, self.bitrate)
            self.throughput, self.bitrate = event["throughput"], event["bitrate"]
            self.is_planned = self.is_planned and known == (self.throughput, self.bitrate)
        elif kind == "reached":
            length = event["length"]
            self.hold(event["item"], (MEDIA, length) if length > 0 else (NOTHING, 0))
        elif kind == "moved":
            self.last = max(self.last, event["last"], event["current"])
            self.move(event["current"], commands)
        elif kind == "extended":
            self.is_planned = self.is_planned and event["last"] <= self.last
            self.last = max(self.last, event["last"])
        elif kind == "failed":
            self.fail(event["item"])
        elif kind == "stage":
            self.hold(event["item"], (STAGES[event["stage"]], 0))
        elif kind == "withdrawn":
            self.withdraw(event["item"], commands)
        elif kind == "online":
            self.is_online = event["isOnline"]
            if not self.is_online:
                self.suspend_all(commands)
        elif kind == "held":
            self.is_held = event["isHeld"]
        else:
            return commands  # It asked for no other.
        self.make_plan()
        self.start_waiting(commands)
        return commands

    # Events

    def move(self, item, commands):
        if item != self.current:
            self.ahead = 0
            self.is_complete = False
        self.current = item
        self.is_planned = False
        self.make_plan()
        for record in self.records:
            if record.state == FAILED:
                record.state = IDLE
            elif record.state == FETCHING:
                if record.item != item and any(wish[0] == record.item for wish in self.plan):
                    continue
                record.state = IDLE
                self.active -= 1
                if record.item != item:
                    commands.append({"do": "cancel", "item": record.item})

    def hold(self, item, depth):
        record = self.find(item) or self.add(item)
        if record is None:
            return
        record.held = max(record.held, depth)
        if record.state == FETCHING and depth >= record.wanted:
            record.state = IDLE
            self.active -= 1

    def fail(self, item):
        record = self.find(item)
        if record is not None and record.state == FETCHING:
            record.state = FAILED
            self.active -= 1

    def withdraw(self, item, commands):
        if item == self.current:
            return
        record = self.find(item) or self.add(item)
        if record is None or record.state == FAILED:
            return
        if record.state == FETCHING:
            self.active -= 1
            commands.append({"do": "cancel", "item": item})
        record.state = FAILED

    def suspend_all(self, commands):
        for record in self.records:
            if record.state == FETCHING:
                record.state = IDLE
                self.active -= 1
                commands.append({"do": "suspend", "item": record.item})

    # What is wanted

    def make_plan(self):
        if self.is_planned:
            return
        plan = self.wishes()
        self.is_planned = True
        if plan != self.plan:
            self.plan = plan
            self.is_settled = False

    def wishes(self):
        settings = self.settings
        if self.current is None or settings.head_length <= 0:
            return []
        plan = []
        reach = min(settings.items_ahead, self.last - self.current)
        for offset in range(1, reach + 1):
            length = settings.head_length if offset == 1 else settings.further_length
            if length > 0:
                priority = NEXT if offset == 1 else FURTHER
                plan.append((self.current + offset, (MEDIA, length), priority, None))
        is_affordable = (
            self.bitrate > 0 and self.throughput >= self.bitrate * settings.previous_threshold
        )
        if self.current > 0 and is_affordable and settings.previous_length > 0:
            first = self.current + 1 if reach >= 1 else None
            depth = (MEDIA, settings.previous_length)
            plan.append((self.current - 1, depth, PREVIOUS, first))
        return plan

    # Starts

    def start_waiting(self, commands):
        is_open = self.is_complete or self.ahead >= self.settings.pause_below_buffer
        if not self.is_online or self.is_held or not is_open or self.is_settled:
            return
        self.is_settled = True
        for item, depth, priority, first in self.plan:
            if first is not None and self.is_warming(first):
                continue
            record = self.find(item)
            is_running = record is not None and record.state == FETCHING
            if record is not None:
                if record.held >= depth or record.state == FAILED:
                    continue
                if is_running and record.wanted >= depth:
                    continue
            if not is_running and self.active >= self.settings.concurrency:
                return
            record = record or self.add(item)
            if record is None:
                return
            if not is_running:
                self.active += 1
            record.state = FETCHING
            record.wanted = depth
            commands.append(
                {"do": "start", "item": item, "length": depth[1], "priority": priority}
            )

    def is_warming(self, item):
        """Whether a fetch of the item is in progress or still to come."""
        for wished, depth, _, _ in self.plan:
            if wished == item:
                record = self.find(item)
                if record is None or (record.state != FAILED and record.held < depth):
                    return True
        return False

    def deaf_to(self):
        """Kinds of events after which nothing begins until something else has happened.

        A full buffer opens the way, and a fast link makes the item before affordable. Whoever has
        begun all that he may begins nothing more of the one; where the way is closed, or the item
        before is there, the other changes nothing.
        """
        if not self.is_settled:
            return ["throughput"]
        return ["buffer"] if self.misses_previous() else ["buffer", "throughput"]

    def misses_previous(self):
        """Whether the item before would be fetched if the link were fast enough."""
        if not self.current or self.settings.previous_length <= 0:
            return False
        depth = (MEDIA, self.settings.previous_length)
        record = self.find(self.current - 1)
        if record is None:
            return True
        if record.held >= depth or record.state == FAILED:
            return False
        return record.state != FETCHING or record.wanted < depth

    # Records

    def find(self, item):
        for record in self.records:
            if record.item == item:
                return record
        return None

    def add(self, item):
        """A new record, in the place of the idle one that is farthest when there are too many."""
        record = Record(item)
        if len(self.records) < self.most_records:
            self.records.append(record)
            return record
        centre = self.current or 0
        farthest, distance = None, abs(item - centre)
        for place, other in enumerate(self.records):
            if other.state != FETCHING and abs(other.item - centre) > distance:
                farthest, distance = place, abs(other.item - centre)
        if farthest is None:
            return None
        self.records[farthest] = record
        return record


class PolicyLog:
    """What one viewer's policy was told and did, for `firstframe replay policy`."""

    def __init__(self, out, settings):
        self.out = out
        known = (settings.head_length, settings.items_ahead, settings.further_length,
                 settings.previous_length, settings.previous_threshold + 0.0,
                 settings.concurrency, settings.pause_below_buffer)
        self.line("firstframe-policy-log", 1)
        self.line("machine", "prefetch-policy")
        # The family `head`, and values for what it does not read.
        rest = (0, 2 * SECOND, -1.0, 0.5, 4.0, -1.0, False, 1, SECOND, 1, 1.0)
        self.line("configuration", *known, *rest)

    def add(self, event, commands):
        self.line("event", *event.values())
        for command in commands:
            self.line("command", *command.values())

    def line(self, *words):
        self.out.write(" ".join(map(self.text, words)) + "\n")

    @staticmethod
    def text(word):
        if isinstance(word, float):
            word = struct.unpack("<Q", struct.pack("<d", word))[0]
        return str(int(word) if isinstance(word, bool) else STAGES.get(word, word))


def opened(path, settings):
    """The log of this process; none where another process of the policy has begun it."""
    try:
        return path and PolicyLog(open(path, "x", buffering=1), settings)
    except FileExistsError:
        return None


def messages():
    """What is sent, one message a line: its length in bytes, a blank, JSON."""
    for line in sys.stdin.buffer:
        length, _, body = line.partition(b" ")
        if len(body) != int(length) + 1:
            sys.exit(f"expected {int(length)} bytes, got {len(body) - 1}")
        yield json.loads(body)


def answer(message):
    body = json.dumps(message, separators=(",", ":")).encode()
    sys.stdout.buffer.write(b"%d %b\n" % (len(body), body))
    sys.stdout.buffer.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--head-length", type=float, default=6, help="seconds of the next item")
    parser.add_argument("--log", help="where what the first viewer is told and answered goes")
    options = parser.parse_args()
    log = None
    settings = Settings()
    settings.head_length = round(options.head_length * SECOND)
    viewers = {}
    for message in messages():
        if "hello" in message:
            settings.items_ahead = message["itemsAhead"]
            log = opened(options.log, settings)
            digest = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()
            answer({"name": "head-of-next-python", "version": "1.0", "digest": digest})
            continue
        viewer = message["viewer"]
        policy = viewers.get(viewer) or viewers.setdefault(viewer, HeadOfNext(settings))
        if "close" in message:
            del viewers[viewer]
            continue
        commands = [policy.handle(event) for event in message["told"]]
        if log and viewer == 0:
            for event, answers in zip(message["told"], commands):
                log.add(event, answers)
        answer(
            {
                "viewer": viewer,
                "sequence": message["sequence"],
                "commands": commands,
                "hold": policy.deaf_to(),
            }
        )


if __name__ == "__main__":
    main()
