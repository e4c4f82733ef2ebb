// A feed of real players under the simulator's own viewer: it says what to fetch and what each
// player does, and is told what came and what was seen. Who drives the browser calls
// `begin(settings)`, which gives what was measured, and `cut()` to end the session before its time.
import { ItemMedia, playerKinds } from "./players.js";
import { lifetime, outcomes, verdict } from "./verdict.js";
import { Viewer } from "./module.js";

/// What a row of numbers asks for (FeedPage.Command).
const commands = {
  request: 1, cancel: 2, close: 3, prepare: 4, play: 5, pause: 6, release: 7, end: 8,
};
const news = { ready: 0, failed: 1, presented: 2, stalled: 3, resumed: 4 };
/// Classes of objects by number.
const classes = [
  "feed", "mediaManifest", "masterPlaylist", "mediaPlaylist", "initSegment", "segment", "poster",
  "vtt", "sprite",
];
const services = { media: 0, feed: 1, events: 2 };

class Feed {
  constructor(viewer, settings) {
    this.viewer = viewer;
    this.settings = settings;
    this.items = new Map();
    this.players = [];
    this.pending = new Map();
    /// Media types by title, from master playlists.
    this.types = new Map();
    this.counts = { requests: 0, answered: 0, bytes: 0, silent: 0, failures: {} };
    this.requests = [];
    this.problems = [];
    this.channel = new MessageChannel();
    this.channel.port1.onmessage = () => {
      this.isPosted = false;
      this.tick();
    };
    this.isTicking = false;
    this.isPosted = false;
    this.origin = performance.now();
    performance.setResourceTimingBufferSize(100000);
    this.done = new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
  }

  /// Nanoseconds since the session's begin.
  time(milliseconds = performance.now()) {
    return Math.max(0, Math.round((milliseconds - this.origin) * 1e6));
  }

  /// The page's clock, milliseconds, at nanoseconds since the session's begin.
  clock(nanoseconds) {
    return this.origin + nanoseconds / 1e6;
  }

  /// Lets the viewer do what is due, and comes back when something is.
  tick() {
    if (this.isTicking || this.isDone) return;
    this.isTicking = true;
    clearTimeout(this.timer);
    let next = -1;
    try {
      next = this.viewer.advance(this.time());
      for (const row of this.viewer.take()) this.carryOut(row);
    } catch (problem) {
      // The viewer is no more: the session is none.
      this.isDone = true;
      this.fail(problem);
      return;
    }
    this.isTicking = false;
    if (this.viewer.isOver) return this.end();
    if (next < 0) return;
    // Timers are late by up to four milliseconds: the last stretch is waited for message by
    // message.
    const wait = next / 1e6 + this.origin - performance.now();
    if (wait > 6) {
      this.timer = setTimeout(() => this.tick(), wait - 5);
    } else if (!this.isPosted) {
      this.isPosted = true;
      this.channel.port2.postMessage(0);
    }
  }

  /// Tells the viewer something, and lets it do what follows. A viewer that cannot take it is no
  /// more, and its session is none.
  inform(tell) {
    if (this.isDone) return;
    try {
      tell();
    } catch (problem) {
      this.isDone = true;
      this.fail(problem);
      return;
    }
    this.tick();
  }

  /// The session is over, or is cut where it is.
  end() {
    if (this.isDone) return;
    // Up to now; of a session that is over, with what has come and nobody waits for any more.
    try {
      const isOver = this.viewer.isOver;
      for (const each of this.pending.values()) {
        each.isGone = true;
        each.abort.abort();
        if (isOver) {
          this.viewer.ended(each.token, each.bytes, false, each.isMedia, this.time());
        }
      }
      this.viewer.advance(this.time());
    } catch (problem) {
      this.isDone = true;
      this.fail(problem);
      return;
    }
    this.isDone = true;
    for (const player of this.players) player?.release();
    this.finish();
  }

  carryOut(row) {
    switch (row[0]) {
      case commands.request: return void this.request(row);
      case commands.cancel: return this.cancel(key(row));
      case commands.close: return;
      case commands.prepare: return this.prepare(row[1], row[2], row[3], this.clock(row[4]));
      case commands.play: {
        return this.players[row[1]]?.play(this.players.filter(Boolean), this.clock(row[3]));
      }
      case commands.pause: return this.players[row[1]]?.pause();
      case commands.release: return this.players[row[1]]?.release();
      case commands.end: return;
      default: throw new Error(`command ${row[0]} is not known`);
    }
  }

  // Players

  media(item) {
    if (!this.items.has(item)) {
      this.items.set(item, new ItemMedia(item));
      // What is so far behind is not gone back to.
      for (const old of this.items.keys()) {
        const media = this.items.get(old);
        if (old + 16 < item && media.player === undefined) this.items.delete(old);
      }
    }
    return this.items.get(item);
  }

  prepare(number, item, generation, due) {
    this.players[number] ??= new playerKinds[this.settings.feeding](
      number, document.getElementById("stage"), (...told) => this.hear(...told),
      (player) => this.busy(player));
    const media = this.media(item);
    this.players[number].hold(media, generation, () => media.type, due);
  }

  /// Other players that play or are set up, and transfers under way.
  busy(player) {
    const others = this.players.filter(
      (other) => other && other !== player && (other.isActive || other.isBeingSetUp));
    const transfers = [...this.pending.values()].filter((errand) => errand.hasBegun);
    return [others.length, transfers.length];
  }

  /// What was measured of the players, in milliseconds since the session's begin.
  uses() {
    const since = (time) => (time > 0 ? Math.round((time - this.origin) * 1000) / 1000 : -1);
    return this.players.filter(Boolean).flatMap((player) => player.uses.map((use, place) => ({
      ...use, isNew: place === 0, due: since(use.due), opened: since(use.opened),
      worked: Math.round(use.worked * 1000) / 1000, configured: since(use.configured),
      metadata: since(use.metadata), ready: since(use.ready),
      appends: use.appends.map(([at, end]) => [since(at), Math.round(end * 1000) / 1000]),
      plays: use.plays.map((play) => [since(play.due), play.painted ? 1 : 0, since(play.shown)]),
    })));
  }

  hear(kind, number, generation, detail) {
    if (this.isDone) return;
    if (kind === "failed") this.problems.push(`player ${number}: ${detail}`);
    const at = kind === "presented" ? Math.max(this.time(), this.time(detail)) : this.time();
    this.inform(() => {
      this.viewer.player(this.settings.session, news[kind], number, generation, at);
    });
  }

  // Requests

  path(row) {
    const [service, asset, title, rung, segment] = [row[4], row[5], row[7], row[8], row[9]];
    if (service === services.feed) {
      const cursor = this.cursor === undefined ? "" : `&cursor=${encodeURIComponent(this.cursor)}`;
      return `/v1/feed?limit=${this.settings.pageSize}${cursor}`;
    }
    if (service === services.events) return undefined;
    const version = `/vod/t${title}/v1`;
    switch (classes[asset]) {
      case "mediaManifest": return `/vod/t${title}/media_manifest.json`;
      case "masterPlaylist": return `${version}/hls/master.m3u8`;
      case "mediaPlaylist": return `${version}/hls/v${rung}/playlist.m3u8`;
      case "initSegment": return `${version}/hls/v${rung}/init.mp4`;
      case "segment": return `${version}/hls/v${rung}/seg_${segment}.m4s`;
      case "poster": return `${version}/poster.jpg`;
      case "vtt": return `${version}/storyboard/storyboard.vtt`;
      case "sprite": return `${version}/storyboard/sprite_${segment}.jpg`;
      default: return undefined;
    }
  }

  /// How the HTTP cache takes part in a request. The viewer has a store of its own, so it does not,
  /// but where elements load by themselves: what one side has asked for is not asked for twice.
  caching(service) {
    const isShared = this.settings.feeding === "native" && service === services.media;
    return isShared ? "default" : "no-store";
  }

  /// Whoever loads an item by itself loads the rung that was asked for first.
  tellPlaylist(row) {
    const media = this.media(row[6]);
    if (media.playlist !== undefined) return;
    media.playlist = `/vod/t${row[7]}/v1/hls/v${row[8]}/playlist.m3u8`;
    media.player?.pump();
  }

  async request(row) {
    const token = [row[1], row[2], row[3], this.settings.session];
    const kind = classes[row[5]];
    const isMedia = row[4] === services.media && (kind === "segment" || kind === "initSegment");
    const path = this.path(row);
    const started = performance.now();
    const abort = new AbortController();
    const errand = { abort, bytes: 0, token, isMedia };
    this.counts.requests += 1;
    this.pending.set(key(row), errand);
    let piece;
    const media = isMedia ? this.media(row[6]) : undefined;
    if (isMedia || kind === "mediaPlaylist") this.tellPlaylist(row);
    try {
      if (path === undefined) throw new Error("nothing names the object");
      const answer = await fetch(path, { cache: this.caching(row[4]), signal: abort.signal });
      const at = this.time();
      errand.hasBegun = true;
      const outcome = verdict(answer.status, answer.headers);
      if (outcome === undefined && row[4] === services.media) this.counts.silent += 1;
      const head = {
        outcome: outcome ?? outcomes.miss, isError: answer.status >= 400,
        age: number(answer.headers.get("age"), 0) * 1e9,
        lifetime: lifetime(answer.headers), bytes: number(answer.headers.get("content-length"), -1),
      };
      if (head.isError) head.outcome = outcomes.error;
      if (errand.isGone) return;
      this.inform(() => this.viewer.headed(token, head, at));
      if (isMedia && !head.isError) piece = media.begin(row[8], kind === "segment" ? row[9] : -1);
      const body = await this.read(answer, errand, token, row[12], media, piece);
      if (errand.isGone) return;
      const end = this.time();
      await this.learn(row, kind, body, answer.status);
      if (errand.isGone) return;
      if (piece !== undefined) media.end(piece);
      this.note(row, started, path);
      this.counts.answered += 1;
      this.inform(() => this.viewer.ended(token, errand.bytes, true, isMedia, end));
    } catch (problem) {
      if (piece !== undefined) media.drop(piece);
      if (errand.isGone) return;
      this.counts.failures[problem.name] = (this.counts.failures[problem.name] ?? 0) + 1;
      this.problems.push(`${path}: ${problem.message}`);
      this.inform(() => this.viewer.ended(token, errand.bytes, false, isMedia, this.time()));
    } finally {
      if (this.pending.get(key(row)) === errand) this.pending.delete(key(row));
    }
  }

  /// Reads a body as it comes; all of it where it is no media.
  async read(answer, errand, token, mark, media, piece) {
    const parts = [];
    const reader = answer.body.getReader();
    let isMarked = !(mark > 0);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      errand.bytes += value.length;
      this.counts.bytes += value.length;
      if (piece === undefined) parts.push(value);
      else media.add(piece, value);
      if (!isMarked && errand.bytes >= mark) {
        isMarked = true;
        if (errand.isGone) break;
        this.inform(() => this.viewer.marked(token, this.time()));
      }
    }
    return parts;
  }

  /// Reads what an answer says of others.
  async learn(row, kind, parts, status) {
    if (status >= 400) return;
    if (row[4] === services.feed) {
      this.cursor = JSON.parse(await new Blob(parts).text()).cursor ?? undefined;
    } else if (kind === "masterPlaylist") {
      const codecs = /CODECS="([^"]*)"/.exec(await new Blob(parts).text())?.[1];
      if (codecs === undefined) throw new Error("the playlist names no codec");
      const media = this.media(row[6]);
      media.type = `video/mp4; codecs="${codecs}"`;
      media.player?.pump();
    } else if (kind === "mediaPlaylist") {
      const count = ((await new Blob(parts).text()).match(/^#EXTINF:/gm) ?? []).length;
      const media = this.media(row[6]);
      media.count = count;
      media.player?.pump();
    }
  }

  cancel(name) {
    const errand = this.pending.get(name);
    if (errand === undefined) return;
    errand.isGone = true;
    errand.abort.abort();
    this.pending.delete(name);
    // What has come of it has come: delivered, and wasted.
    this.viewer.ended(errand.token, errand.bytes, false, errand.isMedia, this.time());
  }

  /// Keeps what the browser says of a request: times in milliseconds since the session's begin.
  note(row, started, path) {
    const entries = performance.getEntriesByName(new URL(path, location.href).href);
    // Where the browser has no entry yet, the page's own clock tells the whole.
    const now = performance.now();
    const entry = entries.filter(
      (each) => each.initiatorType === "fetch" && each.startTime >= started - 5).pop() ?? {
      startTime: started, requestStart: started, responseStart: now, responseEnd: now,
      encodedBodySize: 0, connectStart: 0, connectEnd: 0,
    };
    const since = (time) => Math.round((time - this.origin) * 1000) / 1000;
    this.requests.push([
      row[5], since(row[14] / 1e6 + this.origin), since(entry.startTime),
      since(entry.requestStart), since(entry.responseStart), since(entry.responseEnd),
      entry.encodedBodySize, entry.connectEnd > entry.connectStart ? 1 : 0,
    ]);
  }
}

/// A number that a field states and that is none below zero; `none` for anything else.
function number(text, none) {
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : none;
}

function key(row) {
  return `${row[1]}/${row[2]}/${row[3]}`;
}

/// What the elements have loaded by themselves: objects, those of them that came over the network,
/// and their bytes there.
function loads() {
  const own = performance.getEntriesByType("resource").filter(
    (entry) => ["video", "audio"].includes(entry.initiatorType) && entry.name.startsWith("http"));
  const remote = own.filter((entry) => entry.transferSize > 0);
  return [own.length, remote.length, remote.reduce((sum, entry) => sum + entry.transferSize, 0)];
}

/// Runs a session; `settings`: session, seed (a decimal number as text), replication, pageSize,
/// feeding (mse or native), logs.
async function begin(settings) {
  const [code, text] = await prepared;
  const viewer = new Viewer(code);
  if (!viewer.open(text, settings)) {
    throw new Error("the configuration is of another build; make browser");
  }
  const feed = new Feed(viewer, settings);
  feed.tick();
  // Whoever wants it cut may have said so before.
  isWanted.then(() => feed.end());
  await feed.done;
  const frames = { shown: 0, dropped: 0 };
  for (const player of feed.players.filter(Boolean)) {
    frames.shown += player.frames.shown;
    frames.dropped += player.frames.dropped;
  }
  return JSON.stringify({
    session: settings.session, measures: viewer.finish(), logs: settings.logs ? viewer.logs() : "",
    counts: feed.counts, requests: feed.requests, players: feed.uses(), frames,
    loads: loads(),
    problems: feed.problems.slice(0, 20), seconds: (performance.now() - feed.origin) / 1000,
  });
}

async function load() {
  const [code, text] = await Promise.all(
    ["viewer.wasm", "configuration.txt"].map(async (name) => {
      const answer = await fetch(new URL(name, location.href), { cache: "no-store" });
      if (!answer.ok) throw new Error(`${name}: status ${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    }));
  return [await WebAssembly.compile(code), text];
}

const isWanted = new Promise((resolve) => { globalThis.cut = () => resolve(); });
const prepared = load();
globalThis.begin = begin;
globalThis.isPrepared = prepared.then(() => true);
