#!/usr/bin/env python3
"""Makes the telemetry of scenarios/field: one audience of known laws, told as teams have it.

Usage: tools/field-telemetry.py [--sessions N] [--days N] [--hours N] [--seed N] FOLDER
warehouse.csv   a table of a data warehouse, read by warehouse.map.yaml
mux.csv         an export of views as Mux writes it
media3.csv      PlaybackStats of Media3, a playback a row
cloudfront.log  a standard log with CMCD in the queries, the first segment of each view
transfers.csv   what an app's meter measured each second, and what decoders took, read by
                transfers.map.yaml
The laws are those of scenarios/field/truth.yaml, of which nothing is read here: they stand below.
Same arguments, same bytes. docs/field-data.md walks through it.
"""

import argparse
import datetime
import math
import os
import random

# A session's length, the media's way to the first frame, what is watched after it.
SESSION = (90.0, 0.6)
START = (0.9, 0.7)
WATCHED = (5.0, 0.8)
# Nobody leaves in the first second; then after an exponential time.
FLOOR, PATIENCE = 1.0, 3.0
TITLES, EXPONENT = 600, 0.8
# Of the edge's answers.
HITS = 0.9
NETWORKS = [("wifi", 0.6), ("cellular", 0.4)]
# Of each network: a session's mean rate in Mbps, the variation inside it and from second to second,
# the base round trip in milliseconds.
LINKS = {"wifi": ((30.0, 0.7), 0.3, 0.6, (20.0, 0.35)),
         "cellular": ((8.0, 0.6), 0.5, 0.45, (55.0, 0.35))}
# What queues add to a round trip at most, milliseconds.
QUEUE = 40.0
# A decoder's set-up, milliseconds.
SETUP = {"high": (60.0, 0.2), "mid": (170.0, 0.2), "low-end": (350.0, 0.25)}
# Seconds that a session is measured, and of how many a decoder is set up.
SECONDS, EVERY = 10, 4
MODELS = [("high", 0.25), ("mid", 0.5), ("low-end", 0.25)]
COUNTRIES = [("DE", 0.7), ("US", 0.3)]
BEGIN = datetime.datetime(2026, 5, 4, 6, 0, 0, tzinfo=datetime.timezone.utc)
# Sessions come over so many hours, two unless told otherwise, one after the other at random times,
# and on the days by turns.
HOURS, HOUR, DAY = 2, 3_600.0, 86_400.0


class View:
    """One view: when it began, of what, and how it went."""

    def __init__(self, session, item, title, begin, start, dwell, stall):
        self.session, self.item, self.title = session, item, title
        self.begin, self.start, self.dwell, self.stall = begin, start, dwell, stall

    @property
    def name(self):
        return f"{self.session['name']}-{self.item}"


def lognormal(source, law):
    return law[0] * math.exp(law[1] * source.gauss(0, 1))


def choose(source, words):
    return source.choices([word for word, _ in words], [weight for _, weight in words])[0]


def watch(source, session, weights):
    """The views of a session: no title twice, the last one is current when its time is up."""
    left = list(range(TITLES))
    mass = list(weights)
    length = lognormal(source, SESSION)
    views, time = [], 0.0
    while time < length and left:
        place = source.choices(range(len(left)), mass)[0]
        title = left.pop(place)
        mass.pop(place)
        start = lognormal(source, START)
        patience = FLOOR + source.expovariate(1 / PATIENCE)
        if patience < start:
            view = View(session, len(views), title, time, None, patience, 0.0)
        else:
            stall = source.uniform(0.2, 1.5) if source.random() < 0.05 else 0.0
            dwell = start + lognormal(source, WATCHED) + stall
            view = View(session, len(views), title, time, start, dwell, stall)
        views.append(view)
        time += view.dwell
    return views


def audience(sessions, days, hours, seed):
    source = random.Random(seed)
    weights = [(rank + 1) ** -EXPONENT for rank in range(TITLES)]
    begins = sorted(source.uniform(0, hours * HOUR) for _ in range(sessions))
    views = []
    for number, begin in enumerate(begins):
        session = {
            "name": f"s{number:04d}", "begin": begin + DAY * (number % days),
            "network": choose(source, NETWORKS), "model": choose(source, MODELS),
            "country": choose(source, COUNTRIES),
        }
        views += watch(source, session, weights)
    return sorted(views, key=lambda view: (view.session["begin"] + view.begin, view.name))


def instant(view):
    return BEGIN + datetime.timedelta(seconds=view.session["begin"] + view.begin)


def text(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def warehouse(views):
    """Local times of Berlin without an offset, seconds, semicolons."""
    yield "started_at;user;session;clip;position;startup_s;left_early;watch_s;stall_s;stalls;" \
        "net;phone;country;app_build"
    zone = datetime.timezone(datetime.timedelta(hours=2))
    for view in views:
        local = instant(view).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
        session = view.session
        yield ";".join([
            local, f"user-{session['name']}", session["name"], f"clip{view.title}",
            str(view.item), text(view.start, 3), "1" if view.start is None else "0",
            text(view.dwell, 3), text(view.stall, 3), "1" if view.stall else "0",
            session["network"], session["model"], session["country"], "5120"])


def mux(views):
    yield "view_id,session_id,video_id,viewer_user_id,view_start,video_startup_time," \
        "exit_before_video_start,video_startup_failure,watch_time,view_playing_time," \
        "rebuffer_duration,rebuffer_count,viewer_device_category,viewer_connection_type,country"
    for view in views:
        played = None if view.start is None else view.dwell - view.start - view.stall
        session = view.session
        yield ",".join([
            view.name, session["name"], f"clip{view.title}", f"user-{session['name']}",
            instant(view).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] + " UTC",
            "" if view.start is None else str(round(1000 * view.start)),
            "true" if view.start is None else "false", "false", str(round(1000 * view.dwell)),
            "" if played is None else str(round(1000 * played)), str(round(1000 * view.stall)),
            "1" if view.stall else "0", "phone", session["network"], session["country"]])


def media3(views):
    yield "view,session,mediaId,item,time,totalValidJoinTimeMs,abandonedBeforeReadyCount," \
        "totalElapsedTimeMs,totalPlayTimeMs,totalRebufferTimeMs,totalRebufferCount,device,network"
    for view in views:
        played = 0.0 if view.start is None else view.dwell - view.start - view.stall
        session = view.session
        yield ",".join([
            view.name, session["name"], f"clip{view.title}", str(view.item),
            str(round(1000 * instant(view).timestamp())),
            "-9223372036854775807" if view.start is None else str(round(1000 * view.start)),
            "1" if view.start is None else "0", str(round(1000 * view.dwell)),
            str(round(1000 * played)), str(round(1000 * view.stall)),
            "1" if view.stall else "0", session["model"], session["network"]])


def cloudfront(views, seed):
    """Queries are encoded once more than they were asked, as the service does it."""
    source = random.Random(seed + 1)
    yield "#Version: 1.0"
    yield "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem " \
        "sc-status cs(Referer) cs(User-Agent) cs-uri-query x-edge-result-type time-taken " \
        "time-to-first-byte"
    for view in views:
        at = instant(view)
        size = source.randrange(200_000, 400_000)
        wait = source.uniform(0.005, 0.03)
        outcome = "Hit" if source.random() < HITS else "Miss"
        keys = f"bl%253D0%252Ccid%253D%2522clip{view.title}%2522%252Cot%253Dv%252Csid%253D" \
            f"%2522{view.name}%2522"
        yield "\t".join([
            at.strftime("%Y-%m-%d"), at.strftime("%H:%M:%S"), "FRA56-P1", str(size),
            f"203.0.113.{int(view.session['name'][1:]) % 250}", "GET", "media.example",
            f"/v/clip{view.title}/0.m4s", "200", "-", "app", f"CMCD={keys}", outcome,
            f"{wait + size / 2e6:.3f}", f"{wait:.3f}"])


def transfers(views, seed):
    """A row a second; the first of every few has a decoder's set-up, too."""
    source = random.Random(seed + 2)
    yield "session,at_ms,net,phone,kbps,rtt_ms,setup_ms"
    seen = set()
    for view in views:
        session = view.session
        if session["name"] in seen:
            continue
        seen.add(session["name"])
        rate, sigma, correlation, trip = LINKS[session["network"]]
        mean, base = lognormal(source, rate), lognormal(source, trip)
        state = sigma * source.gauss(0, 1)
        begin = math.floor(BEGIN.timestamp() + session["begin"])
        for second in range(SECONDS):
            kbps = 1000 * mean * math.exp(state - sigma * sigma / 2)
            queue = 0.0 if second % 3 == 0 else source.uniform(0, QUEUE)
            setup = lognormal(source, SETUP[session["model"]]) if second % EVERY == 0 else None
            yield ",".join([
                session["name"], str(1000 * (begin + second)), session["network"],
                session["model"], text(kbps, 1), text(base + queue, 2), text(setup, 1)])
            state = correlation * state \
                + sigma * math.sqrt(1 - correlation * correlation) * source.gauss(0, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--hours", type=int, default=HOURS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("folder")
    given = parser.parse_args()
    if given.sessions < 1:
        parser.error(f"--sessions: expected at least 1, got {given.sessions}")
    if given.days < 1:
        parser.error(f"--days: expected at least 1, got {given.days}")
    if not 1 <= given.hours <= 24:
        parser.error(f"--hours: expected 1 to 24, got {given.hours}")
    views = audience(given.sessions, given.days, given.hours, given.seed)
    os.makedirs(given.folder, exist_ok=True)
    for name, lines in [
            ("warehouse.csv", warehouse(views)), ("mux.csv", mux(views)),
            ("media3.csv", media3(views)), ("cloudfront.log", cloudfront(views, given.seed)),
            ("transfers.csv", transfers(views, given.seed))]:
        path = os.path.join(given.folder, name)
        with open(path + ".part", "w", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(lines) + "\n")
        os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
