// Real players: <video> elements that take media through MediaSource as it comes in, and such that
// load a playlist by themselves, through the HTTP cache that the page's requests fill.

/// What has come of an item's media, whoever asked for it.
export class ItemMedia {
  constructor(item) {
    this.item = item;
    /// Init segments by rung, and media segments in order; each has `parts` as they came.
    this.inits = new Map();
    this.segments = [];
    this.count = Infinity;
    /// Where the rung's playlist is that a player can load by itself; known with the first request.
    this.playlist = undefined;
    this.player = undefined;
  }

  /// Media begin to come in; `segment` is -1 for an init segment.
  begin(rung, segment) {
    const piece = { rung, segment, parts: [], isWhole: false };
    if (segment < 0) this.inits.set(rung, piece);
    else this.segments[segment] = piece;
    return piece;
  }

  add(piece, bytes) {
    piece.parts.push(bytes);
    this.player?.pump();
  }

  end(piece) {
    piece.isWhole = true;
    this.player?.pump();
  }

  /// The rest of it does not come: what came is no good.
  drop(piece) {
    if (piece.isWhole) return;
    if (piece.segment < 0) {
      this.inits.delete(piece.rung);
    } else if (this.segments[piece.segment] === piece) {
      delete this.segments[piece.segment];
      this.player?.lose(piece);
    }
  }

  get isComplete() {
    if (!Number.isFinite(this.count)) return false;
    // A segment that was given up leaves a hole.
    for (let place = 0; place < this.count; place += 1) {
      if (!this.segments[place]?.isWhole) return false;
    }
    return true;
  }
}

/// Appends of one use of a player that are kept, at most.
const mostAppends = 64;

/// One player of the pool; how it gets media is its subclass's. `tell(news, number, generation)`
/// takes what becomes of it, and `busy(player)` gives how many others play or are set up, and
/// how many transfers are under way.
class Player {
  constructor(number, stage, tell, busy) {
    this.number = number;
    this.tell = tell;
    this.busy = busy;
    /// What was measured of each item that it has had; times of the page's clock, milliseconds.
    this.uses = [];
    const begin = performance.now();
    this.video = document.createElement("video");
    this.video.muted = true;
    this.video.playsInline = true;
    this.video.preload = "auto";
    this.frames = { shown: 0, dropped: 0 };
    stage.append(this.video);
    this.video.addEventListener("loadedmetadata", () => this.learn());
    this.video.addEventListener("canplay", () => this.becomeReady());
    this.video.addEventListener("error", () => this.fail());
    this.video.addEventListener("waiting", () => this.stall());
    this.video.addEventListener("playing", () => this.resume());
    this.video.addEventListener("ended", () => this.repeat());
    this.forget();
    this.creation = performance.now() - begin;
  }

  forget() {
    this.media = undefined;
    this.generation = 0;
    this.isReady = false;
    this.isActive = false;
    this.isShown = false;
    this.isStalled = false;
    this.hasFrame = false;
    /// Which of its plays this is; what an earlier one waits for is no news of a later one.
    this.turn = (this.turn ?? 0) + 1;
  }

  /// Takes an item; `type` gives the media type of its segments, and `due` is when it was to.
  hold(media, generation, type, due) {
    const begin = performance.now();
    this.release();
    this.use = {
      player: this.number, item: media.item, due, worked: 0, opened: 0, configured: 0, metadata: 0,
      ready: 0, players: 0, transfers: 0, appends: [], plays: [],
    };
    this.uses.push(this.use);
    this.media = media;
    this.generation = generation;
    media.player = this;
    this.type = type;
    this.load();
    const use = this.use;
    this.video.requestVideoFrameCallback(() => {
      if (this.use === use && this.media === media) this.hasFrame = true;
    });
    this.use.worked = performance.now() - begin + (this.uses.length === 1 ? this.creation : 0);
  }

  /// Its decoder is being set up: it has an init segment and has not told what media they are.
  get isBeingSetUp() {
    return this.media !== undefined && this.use.configured > 0 && this.use.metadata === 0;
  }

  /// Gives its item back.
  release() {
    this.count();
    if (this.media?.player === this) this.media.player = undefined;
    const hadItem = this.media !== undefined;
    this.forget();
    this.video.style.zIndex = 0;
    if (hadItem) {
      this.video.pause();
      this.video.removeAttribute("src");
      this.video.load();
    }
  }

  /// Adds up the element's frames before it forgets them.
  count() {
    const quality = this.video.getVideoPlaybackQuality();
    this.frames.shown += quality.totalVideoFrames;
    this.frames.dropped += quality.droppedVideoFrames;
  }

  /// More of its media has come.
  pump() {
    try {
      this.take();
    } catch (problem) {
      this.fail(problem);
    }
  }

  /// The media of the item, in order from the first, of which parts came does not come whole.
  lose() {}

  /// The decoder has what it needs to be set up.
  configure() {
    if (this.use.configured > 0) return;
    this.use.configured = performance.now();
    [this.use.players, this.use.transfers] = this.busy(this);
  }

  /// How much media there is now that was on its way since `at`.
  noteBuffer(at) {
    const { use } = this;
    if (this.media === undefined || use.ready > 0 || use.appends.length >= mostAppends) return;
    const { buffered } = this.video;
    const end = buffered.length === 0 ? 0 : buffered.end(0) * 1000;
    if (end > 0) use.appends.push([at, end]);
  }

  /// The media's kind is known.
  learn() {
    if (this.media !== undefined && this.use.metadata === 0) this.use.metadata = performance.now();
  }

  becomeReady() {
    if (this.media === undefined || this.isReady) return;
    this.isReady = true;
    this.use.ready = performance.now();
    this.tell("ready", this.number, this.generation);
  }

  fail(problem) {
    if (this.media === undefined) return;
    const text = problem?.message ?? this.video.error?.message ?? "unknown";
    this.tell("failed", this.number, this.generation, text);
  }

  /// Comes to the front and plays.
  ///
  /// The first frame is on the display when the browser says so of a new one
  /// (requestVideoFrameCallback), or, where the element has painted its first frame already behind
  /// the one in front, with the second animation frame after it has come to the front: the first
  /// one draws it, and the second begins when that is done.
  ///
  /// `due` is when it was to do so.
  play(others, due) {
    const { media } = this;
    const begin = performance.now();
    this.turn += 1;
    const turn = this.turn;
    for (const other of others) if (other !== this) other.step();
    this.video.style.zIndex = 2;
    this.isActive = true;
    this.isShown = false;
    this.isStalled = false;
    const play = { due, painted: this.hasFrame, shown: 0 };
    this.use.plays.push(play);
    const show = (at) => {
      if (turn !== this.turn || this.isShown) return;
      this.isShown = true;
      play.shown = Math.max(at, begin);
      this.tell("presented", media.item, 0, at);
    };
    const showPainted = () => {
      requestAnimationFrame(() => requestAnimationFrame((time) => show(time)));
    };
    this.video.requestVideoFrameCallback((now, frame) => {
      // A frame that was composed before is drawn in front only now.
      if (frame.presentationTime < begin) showPainted();
      else show(Math.max(frame.expectedDisplayTime, frame.presentationTime));
    });
    if (this.hasFrame) showPainted();
    this.video.play().catch((problem) => {
      // A pause that comes before playback has begun is no failure.
      if (problem.name !== "AbortError" && turn === this.turn) this.fail(problem);
    });
  }

  /// Goes behind the one in front.
  step() {
    this.video.style.zIndex = 0;
    this.isActive = false;
  }

  /// Stops, and is ready to begin again: who comes back sees the item from its beginning.
  pause() {
    this.turn += 1;
    this.isActive = false;
    this.isStalled = false;
    this.video.pause();
    if (this.media !== undefined && this.video.currentTime > 0) this.video.currentTime = 0;
  }

  stall() {
    if (!this.isActive || !this.isShown || this.isStalled) return;
    this.isStalled = true;
    this.tell("stalled", this.media.item, 0);
  }

  resume() {
    if (!this.isStalled) return;
    this.isStalled = false;
    this.tell("resumed", this.media.item, 0);
  }

  repeat() {
    if (!this.isActive) return;
    this.video.currentTime = 0;
    this.video.play().catch(() => {});
  }
}

/// Takes its media through MediaSource, part by part as they come.
class SourcePlayer extends Player {
  forget() {
    super.forget();
    this.buffer = undefined;
    this.source = undefined;
    this.place = 0;
    this.part = 0;
    this.rung = -1;
  }

  load() {
    const source = new MediaSource();
    this.source = source;
    this.url = URL.createObjectURL(source);
    source.addEventListener("sourceopen", () => {
      if (this.source !== source) return;
      this.use.opened = performance.now();
      this.pump();
    });
    this.video.src = this.url;
  }

  release() {
    const url = this.url;
    this.url = undefined;
    super.release();
    if (url !== undefined) URL.revokeObjectURL(url);
  }

  /// Appends what has come and was not appended, one part after the other.
  take() {
    if (this.source?.readyState !== "open" || this.type() === undefined) return;
    if (this.buffer === undefined) {
      this.buffer = this.source.addSourceBuffer(this.type());
      const source = this.source;
      this.buffer.addEventListener("updateend", () => {
        if (this.source !== source) return;
        this.noteBuffer(this.appendedAt);
        this.pump();
      });
    }
    if (this.buffer.updating) return;
    const piece = this.media.segments[this.place];
    if (piece === undefined) {
      if (this.media.isComplete) this.source.endOfStream();
      return;
    }
    if (this.rung !== piece.rung) {
      const init = this.media.inits.get(piece.rung);
      if (!init?.isWhole) return;
      this.rung = piece.rung;
      this.configure();
      this.append(init.parts);
      return;
    }
    if (this.part < piece.parts.length) {
      const parts = piece.parts.slice(this.part);
      this.part = piece.parts.length;
      this.append(parts);
    } else if (piece.isWhole) {
      this.place += 1;
      this.part = 0;
      this.take();
    }
  }

  append(parts) {
    this.appendedAt = performance.now();
    this.buffer.appendBuffer(parts.length === 1 ? parts[0] : join(parts));
  }

  lose(piece) {
    if (piece.segment !== this.place || this.part === 0) return;
    this.part = 0;
    if (this.buffer !== undefined && this.source?.readyState === "open") this.buffer.abort();
  }
}

/// Loads the playlist of the item's first rung by itself, as HLS. What the page has asked for lies
/// in the HTTP cache or is on its way there; the element finds it in it, and asks the edge for the
/// rest.
class NativePlayer extends Player {
  constructor(...given) {
    super(...given);
    this.video.addEventListener("loadstart", () => {
      if (!this.isLoading || this.use.opened > 0) return;
      this.use.opened = performance.now();
      this.take();
    });
    for (const name of ["progress", "loadeddata"]) {
      this.video.addEventListener(name, () => this.noteBuffer(performance.now()));
    }
  }

  forget() {
    super.forget();
    this.isLoading = false;
  }

  load() {
    this.take(true);
  }

  take(isInTime = false) {
    const { media } = this;
    if (media === undefined || media.playlist === undefined) return;
    if (!this.isLoading) {
      this.isLoading = true;
      // How long it was not known what to load is no cost of the player's.
      if (!isInTime) this.use.due = performance.now();
      this.video.src = media.playlist;
    }
    // It takes whole segments: before the first is there, nothing can be set up.
    const first = media.segments[0];
    if (this.use.opened > 0 && first?.isWhole && media.inits.get(first.rung)?.isWhole) {
      this.configure();
    }
  }
}

/// Players by how they get their media.
export const playerKinds = { mse: SourcePlayer, native: NativePlayer };

function join(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}
