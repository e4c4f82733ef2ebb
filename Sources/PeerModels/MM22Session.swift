/// One session of the MM22 model: a queue of five videos whose head plays while chunks are
/// downloaded one at a time.
///
/// The model is the simulator of the ACM Multimedia 2022 grand challenge on short-video streaming,
/// its faults included: a stall lasts to the end of the step, a chunk can be played only after the
/// step that brought it, and the last request of a video may be counted as waste twice.
///
/// A session can be used again: ``begin(over:watch:)`` resets it and keeps its buffers.
public struct MM22Session: Sendable {
  /// How many videos are in the queue as long as there are any left.
  public static let queueLength = 5
  /// The round trip that every download pays, in milliseconds. It does not move the trace.
  public static let roundTrip = 80.0

  /// The videos in the order in which they are shown.
  public let videos: [MM22Video]
  private var players: [MM22Player]
  private var trace: PeerTrace
  private var walk: PeerTraceWalk
  /// The video that plays; the number of videos when the session is over.
  public private(set) var start = 0
  /// What the session has come to so far.
  public private(set) var outcome = MM22Outcome()
  /// For each video the level that counts as its last; nil as long as it is unset.
  private var lastLevels: [Int?]
  private var chooser = MM22Chooser(.nextOne)

  /// A session over the trace, with a watch time for each video in milliseconds.
  /// - Precondition: see ``begin(over:watch:)``.
  public init(videos: [MM22Video], over trace: PeerTrace, watch: [Int64]) {
    self.videos = videos
    self.trace = trace
    walk = PeerTraceWalk(trace)
    players = videos.map { MM22Player(chunks: $0.chunks) }
    lastLevels = videos.map { _ in nil }
    begin(over: trace, watch: watch)
  }

  /// Starts again from nothing.
  /// - Precondition: a watch time for each video, between 0 and the length of the video.
  public mutating func begin(over trace: PeerTrace, watch: [Int64]) {
    precondition(watch.count == videos.count && !videos.isEmpty, "a watch time for each video")
    self.trace = trace
    walk = PeerTraceWalk(trace)
    start = 0
    outcome = MM22Outcome()
    for index in videos.indices {
      precondition(watch[index] >= 0 && watch[index] <= videos[index].length)
      players[index].reset(watch: watch[index])
      lastLevels[index] = nil
    }
    for index in 0..<queueEnd { outcome.watched += watch[index] }
  }

  /// Runs a whole session under a policy; the session is begun again first.
  public mutating func run(
    _ policy: MM22Policy, over trace: PeerTrace, watch: [Int64],
    observe: (MM22Decision, MM22Step) -> Void = { _, _ in }
  ) -> MM22Outcome {
    begin(over: trace, watch: watch)
    chooser.begin(policy)
    var previous: MM22Step?
    while !isOver {
      let decision = chooser.decision(after: previous, queue: queue)
      guard let step = apply(decision) else { preconditionFailure("a policy left the queue") }
      observe(decision, step)
      previous = step
    }
    return outcome
  }

  /// Whether every video has been watched.
  public var isOver: Bool { start == videos.count }

  /// One past the last video in the queue.
  private var queueEnd: Int { min(start + MM22Session.queueLength, videos.count) }

  private var queue: MM22Queue {
    MM22Queue(videos: videos, players: players, start: start, end: queueEnd)
  }

  // MARK: One decision

  /// Carries out a decision and counts it; nil, with nothing changed, when it is impossible: the
  /// session is over, the video is not in the queue or has no chunk left, there is no such level,
  /// or the sleep is not above 0.
  public mutating func apply(_ decision: MM22Decision) -> MM22Step? {
    if isOver { return nil }
    let step: MM22Step
    switch decision {
    case .sleep(let time):
      guard time > 0 else { return nil }
      step = sleep(PeerNumber.truncation(time))
      outcome.qoe -= MM22Session.stallPenalty(step.stall)
    case .download(let video, let level):
      guard video >= start, video < queueEnd, MM22Video.rates.indices.contains(level),
        players[video].count < videos[video].chunks
      else { return nil }
      let (quality, change) = worth(video, level)
      step = download(video, level)
      outcome.qoe += quality / 1_000 - MM22Session.stallPenalty(step.stall) - change / 1_000
      outcome.chunks += 1
    }
    outcome.bytes += step.bytes
    outcome.wasted += step.wasted
    outcome.stalled += step.stall
    outcome.length += step.delay
    if step.isStartupStall { outcome.stalledAtStart += step.stall }
    return step
  }

  private static func stallPenalty(_ stall: Int64) -> Double {
    1.85 * Double(stall) / 1_000
  }

  private mutating func sleep(_ time: Int64) -> MM22Step {
    let played = play(time)
    let isEnd = isOver || players[start].count >= videos[start].chunks
    return MM22Step(
      delay: time, stall: played.stall, isStartupStall: played.isStartup, bytes: 0,
      wasted: played.wasted, isEnd: isEnd, playing: start)
  }

  private mutating func download(_ video: Int, _ level: Int) -> MM22Step {
    let size = videos[video].size(level: level, chunk: players[video].count)
    players[video].request(level: level, bytes: size)
    let seconds = walk.download(Double(size), over: trace)
    // Above 0, so truncation rounds down.
    let delay = PeerNumber.truncation(seconds * 1_000 + MM22Session.roundTrip + 0.5)
    let played = play(delay)
    var wasted = played.wasted
    var isEnd = true
    if video < start {
      wasted += size
    } else if !isOver {
      players[video].buffer += MM22Video.chunkLength
      players[video].count += 1
      isEnd = players[video].count >= videos[video].chunks
    }
    return MM22Step(
      delay: delay, stall: played.stall, isStartupStall: played.isStartup, bytes: size,
      wasted: wasted, isEnd: isEnd, playing: start)
  }

  // MARK: Playback

  /// Lets `time` pass at the head of the queue, swiping on where a video's watch time ends.
  private mutating func play(
    _ time: Int64
  ) -> (stall: Int64, isStartup: Bool, wasted: Int64) {
    var time = time
    var margin: Int64 = 0
    var wasted: Int64 = 0
    while margin >= 0 && time > 0 {
      let remaining = players[start].watch - players[start].position
      let due = min(time, remaining)
      margin = players[start].buffer - due
      let played = players[start].play(due)
      time -= played
      if played == remaining {
        wasted += players[start].unwatched(of: videos[start])
        start += 1
        if isOver { break }
        if start + MM22Session.queueLength <= videos.count {
          outcome.watched += players[queueEnd - 1].watch
        }
      }
    }
    guard margin < 0 else { return (0, false, wasted) }
    return (time, players[start].position == 0, wasted)
  }

  // MARK: Accounting

  /// The quality and the change of level that a download counts for, in kbit/s. Counted before the
  /// step, as the peer does.
  private mutating func worth(_ video: Int, _ level: Int) -> (quality: Double, change: Double) {
    let chunk = players[video].count
    let watched = Int(players[video].watch / MM22Video.chunkLength)
    if chunk > watched { return (0, 0) }
    var change = 0.0
    if chunk == watched {
      lastLevels[video] = level
      // The peer's fault: meant is the change to the next video, but the quality is still 0 here.
      let next = video + 1
      if next < queueEnd && players[next].count != 0 {
        change += MM22Video.rates[players[next].level(of: 0)]
      }
    }
    let quality = MM22Video.rates[level]
    if chunk > 0 {
      change += abs(quality - MM22Video.rates[players[video].level(of: chunk - 1)])
    } else if video > 0, let last = lastLevels[video - 1] {
      change += abs(quality - MM22Video.rates[last])
    }
    return (quality, change)
  }
}
