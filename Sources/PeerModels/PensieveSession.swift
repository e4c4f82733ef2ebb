/// What one chunk of a Pensieve session cost.
public struct PensieveStep: Hashable, Sendable {
  /// The level of the chunk.
  public var level: Int
  /// From the request to the last byte, in milliseconds.
  public var delay: Double
  /// How long the player slept after the chunk because its buffer was full, in milliseconds.
  public var sleep: Double
  /// The media in the buffer at the end of the step, in milliseconds.
  public var buffer: Double
  /// How long playback stood still, in milliseconds.
  public var stall: Double
  /// The size of the chunk.
  public var bytes: Int64
}

/// What a Pensieve session came to.
public struct PensieveOutcome: Hashable, Sendable {
  /// The linear QoE: the sum over the chunks of Mbit/s, less 4.3 for each second of stall, less the
  /// change of Mbit/s from the chunk before.
  public var linearQoE = 0.0
  /// The mean of the chunks' nominal rates in kbit/s.
  public var meanRate = 0.0
  /// The delay of the first chunk in milliseconds.
  public var startupDelay = 0.0
  /// The stalls of all chunks in seconds.
  public var stalled = 0.0
  /// The stalls of all chunks but the first in seconds.
  public var stalledAfterFirst = 0.0
  /// The bytes of all chunks.
  public var bytes: Int64 = 0
  /// The media in the buffer after the last chunk, in seconds.
  public var finalBuffer = 0.0
  /// The sum of the chunks' delays in milliseconds.
  public var totalDelay = 0.0
  /// The level of every chunk.
  public var levels: [UInt8] = []
}

/// One session of the Pensieve model: 48 chunks one after the other over a trace, and a buffer that
/// they fill and playback drains (GitHub hongzimao/pensieve, `test/fixed_env.py`).
public struct PensieveSession: Sendable {
  /// The round trip that every request pays, in milliseconds. It does not move the trace.
  public static let roundTrip = 80.0
  /// Above this the player sleeps, in milliseconds of media.
  public static let fullBuffer = 60_000.0
  /// Sleep comes in pieces of so many milliseconds.
  public static let sleepUnit = 500.0
  /// The weight of a second of stall in ``PensieveOutcome/linearQoE``.
  public static let stallWeight = 4.3

  private let video: PensieveVideo
  private let trace: PeerTrace
  private var walk: PeerTraceWalk
  private var buffer = 0.0
  /// How many chunks are done.
  public private(set) var chunk = 0

  /// A session at its start: nothing downloaded, at the beginning of the trace.
  public init(video: PensieveVideo, trace: PeerTrace) {
    self.video = video
    self.trace = trace
    walk = PeerTraceWalk(trace)
  }

  /// Downloads the next chunk at `level`.
  /// - Precondition: there is a next chunk, and the level is one of the video.
  public mutating func step(level: Int) -> PensieveStep {
    let bytes = video.size(level: level, chunk: chunk)
    let delay = walk.download(Double(bytes), over: trace) * 1_000 + PensieveSession.roundTrip
    let stall = max(delay - buffer, 0)
    buffer = max(buffer - delay, 0) + PensieveVideo.chunkLength
    var sleep = 0.0
    if buffer > PensieveSession.fullBuffer {
      let excess = (buffer - PensieveSession.fullBuffer) / PensieveSession.sleepUnit
      sleep = PeerNumber.ceiling(excess) * PensieveSession.sleepUnit
      buffer -= sleep
      walk.pass(sleep, over: trace)
    }
    chunk += 1
    return PensieveStep(
      level: level, delay: delay, sleep: sleep, buffer: buffer, stall: stall, bytes: bytes)
  }

  /// Runs a whole session, showing every step to `observe`.
  public static func run(
    video: PensieveVideo, trace: PeerTrace, policy: PensievePolicy,
    observe: (PensieveStep) -> Void = { _ in }
  ) -> PensieveOutcome {
    var session = PensieveSession(video: video, trace: trace)
    var chooser = PensieveChooser(policy)
    var outcome = PensieveOutcome()
    outcome.levels.reserveCapacity(PensieveVideo.chunks)
    var previous: PensieveStep?
    while session.chunk < PensieveVideo.chunks {
      let level = chooser.level(chunk: session.chunk, after: previous)
      let step = session.step(level: level)
      outcome.add(step, after: previous)
      observe(step)
      previous = step
    }
    outcome.meanRate /= Double(PensieveVideo.chunks)
    return outcome
  }
}

extension PensieveOutcome {
  /// Adds one chunk; ``meanRate`` holds the sum of the rates meanwhile.
  fileprivate mutating func add(_ step: PensieveStep, after previous: PensieveStep?) {
    let rate = PensieveVideo.rates[step.level]
    let before = PensieveVideo.rates[previous?.level ?? PensievePolicy.firstLevel]
    let stall = step.stall / 1_000
    linearQoE += rate / 1_000 - PensieveSession.stallWeight * stall - abs(rate - before) / 1_000
    meanRate += rate
    stalled += stall
    bytes += step.bytes
    finalBuffer = step.buffer / 1_000
    totalDelay += step.delay
    levels.append(UInt8(step.level))
    if previous == nil { startupDelay = step.delay } else { stalledAfterFirst += stall }
  }
}
