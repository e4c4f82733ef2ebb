/// One film played over one network: Sabre's order of events.
///
/// ``run(_:over:options:)`` plays it whole; ``next()`` goes one download at a time.
public struct SabreSession: Sendable {
  /// How often in a row downloads may be abandoned before the session is given up. Sabre itself
  /// goes on for ever; nothing a player would do comes near this number.
  public static let abandonmentLimit = 100_000

  private enum Check {
    case none
    case policy
    /// Give up when the segment, `offset` from the end of the buffer, has come to the screen.
    case replacement(offset: Int)
  }

  private let movie: SabreMovie
  private let options: SabreOptions
  private let ladder: SabreLadder
  private var link: SabreLink
  private var estimator: SabreEstimator
  private var buffer: SabreBuffer
  private var policy: SabrePolicy
  private var segment = 0
  private var abandonments = 0
  private var isFinished = false
  private var startupTime = 0.0
  private var downloads = 0
  /// ms since the first request.
  public private(set) var clock = 0.0

  /// A session before its first request.
  public init(_ movie: SabreMovie, over network: SabreNetwork, options: SabreOptions) {
    self.movie = movie
    self.options = options
    ladder = SabreLadder(movie, options)
    link = SabreLink(network)
    estimator = SabreEstimator(segmentDuration: movie.segmentDuration)
    buffer = SabreBuffer(ladder, segmentCount: movie.segmentCount)
    policy = SabrePolicy(options, ladder)
  }

  /// Plays a session to its end.
  public static func run(
    _ movie: SabreMovie, over network: SabreNetwork, options: SabreOptions
  ) -> SabreOutcome {
    var session = SabreSession(movie, over: network, options: options)
    while session.next() != nil {}
    return session.outcome
  }

  /// Makes the next download; nil when the film has been played, and for ever after.
  public mutating func next() -> SabreDownload? {
    if isFinished { return nil }
    if segment == movie.segmentCount || abandonments >= SabreSession.abandonmentLimit {
      buffer.drain(buffer.level)
      isFinished = true
      return nil
    }
    downloads += 1
    return segment == 0 ? first() : later()
  }

  /// The sums so far; complete once ``next()`` has returned nil.
  public var outcome: SabreOutcome {
    let tally = buffer.tally
    let duration = movie.segmentDuration
    var outcome = SabreOutcome()
    outcome.isComplete = isFinished && segment == movie.segmentCount
    outcome.playTime = tally.playTime
    outcome.stallTime = tally.stallTime
    outcome.stallEvents = tally.stallEvents
    outcome.bitrateChange = tally.bitrateChange
    outcome.logBitrateChange = tally.logBitrateChange
    outcome.utility = tally.utility
    outcome.startupTime = startupTime
    outcome.downloads = downloads
    if tally.playTime > 0 {
      outcome.meanBitrate = tally.bitrate * duration / tally.playTime
      outcome.stallRatio = tally.stallTime / tally.playTime
      outcome.score =
        (duration / tally.playTime)
        * (tally.utility - SabreOptions.stallWeight * tally.stallTime / duration)
    }
    return outcome
  }

  // MARK: one download

  private mutating func first() -> SabreDownload {
    let result = download(level: 0, of: 0, check: .none)
    startupTime = result.progress.time - result.progress.timeToFirstByte
    buffer.startUp(result.progress.time)
    buffer.append(0)
    measure(result.progress)
    segment = 1
    return finished(result, segment: 0, isReplacement: false, since: 0)
  }

  private mutating func later() -> SabreDownload {
    let full = buffer.level + ladder.segmentDuration - options.bufferLimit
    if full > 0 {
      pass(full)
      policy.delay(full)
    }
    var choice = policy.decide(view(buffer: buffer.level), ladder)
    let replacement = options.replaces ? replacementOffset(for: choice.level) : nil
    var wanted = segment
    var check = Check.policy
    if let replacement {
      choice.delay = 0
      wanted += replacement
      check = .replacement(offset: replacement)
    }
    if !options.abandons { check = .none }
    if choice.delay > 0 { pass(choice.delay) }
    let start = clock
    let result = download(level: choice.level, of: wanted, check: check)
    buffer.drain(result.progress.time)
    if result.abandonedTo == nil {
      abandonments = 0
      if let replacement {
        place(choice.level, offset: replacement)
      } else {
        buffer.append(choice.level)
        segment += 1
      }
    } else {
      abandonments += 1
    }
    policy.done(
      result, isReplacement: replacement != nil, buffer: buffer.level, ladder)
    if result.abandonedTo == nil { measure(result.progress) }
    return finished(result, segment: wanted, isReplacement: replacement != nil, since: start)
  }

  private func view(buffer level: Double) -> SabreView {
    SabreView(
      segment: segment, segmentCount: movie.segmentCount, buffer: level,
      throughput: estimator.throughput, latency: estimator.latency)
  }

  /// The player waits, and the network's time passes with the player's.
  private mutating func pass(_ time: Double) {
    buffer.drain(time)
    link.wait(time)
    clock += time
  }

  /// The first segment in the buffer that is far enough from the screen and below `level`, counted
  /// from the end of the buffer (negative); nil when there is none.
  private func replacementOffset(for level: Int) -> Int? {
    let nearest = 1.5 + buffer.consumed / ladder.segmentDuration
    var position = Int(nearest)
    if Double(position) < nearest { position += 1 }
    while position < buffer.count {
      if buffer[position] < level { return position - buffer.count }
      position += 1
    }
    return nil
  }

  private mutating func place(_ level: Int, offset: Int) {
    // Too late when its turn to play has come.
    if buffer.level + ladder.segmentDuration * Double(offset) < 0 { return }
    buffer[buffer.count + offset] = level
  }

  private mutating func measure(_ progress: SabreProgress) {
    let time = progress.time - progress.timeToFirstByte
    estimator.add(
      time: time, throughput: progress.got / time, latency: progress.timeToFirstByte)
  }

  private func finished(
    _ result: SabreResult, segment: Int, isReplacement: Bool, since start: Double
  ) -> SabreDownload {
    SabreDownload(
      segment: segment, level: result.progress.level, start: start, end: clock,
      isAbandoned: result.abandonedTo != nil, isReplacement: isReplacement)
  }

  // MARK: the network

  private mutating func download(level: Int, of segment: Int, check: Check) -> SabreResult {
    let size = movie.size(segment: segment, level: level)
    let delay = link.latency()
    var progress = SabreProgress(
      level: level, size: size, got: 0, time: delay, timeToFirstByte: delay)
    var better: Int?
    if case .none = check {
      progress.time += link.transfer(size)
      progress.got = size
    } else {
      better = parts(&progress, check: check)
    }
    clock += progress.time
    return SabreResult(progress: progress, abandonedTo: better)
  }

  /// Fetches part after part until all is there or the check names a level, which it returns.
  private mutating func parts(_ progress: inout SabreProgress, check: Check) -> Int? {
    // Progress is looked at as an HTTP client reports it: every 50 ms, and 12,000 bits at least.
    let (leastTime, leastBits) = (50.0, 12_000.0)
    let atStart = buffer.level
    var wait = leastTime - progress.time
    while true {
      let share = link.quantum(
        of: progress.size - progress.got, bits: leastBits, time: wait)
      progress.got += share.bits
      progress.time += share.time
      if progress.got >= progress.size { return nil }
      let level = max(0, atStart - progress.time)
      switch check {
      case .none: break
      case .policy:
        if let better = policy.check(progress, view(buffer: level), ladder) { return better }
      case .replacement(let offset):
        if level + ladder.segmentDuration * Double(offset) <= 0 { return 0 }
      }
      wait = leastTime
    }
  }
}
