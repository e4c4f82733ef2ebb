import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private typealias Command = TelemetryBatcher.Command

private func item(_ index: UInt32) -> ItemID { ItemID(index) }

private func at(_ milliseconds: Int64) -> Instant {
  .zero.advanced(saturatingBy: .milliseconds(milliseconds))
}

private func event(_ number: UInt32 = 0, at milliseconds: Int64 = 0) -> TelemetryEvent {
  TelemetryEvent(name: .viewStart, view: number, item: item(0), at: at(milliseconds))
}

private func flush(_ milliseconds: Int64) -> Command {
  .setTimer(.flush, at: at(milliseconds), jitter: .zero)
}

private func batcher(
  _ rule: TelemetryBatcher.FlushRule, _ delivery: TelemetryBatcher.Delivery = .retryWithNumbers,
  queueLimit: Int = 500, batchLimit: Int = 50
) -> TelemetryBatcher {
  TelemetryBatcher(
    .init(
      rule: rule, delivery: delivery, queueLimit: queueLimit, batchLimit: batchLimit,
      retry: RetryPolicy(jitter: 0.5, asksAfterwards: false)))
}

struct `Telemetry batcher` {
  /// Covers: SIG-048.
  @Test func `events within 200 ms of each other are one post`() {
    var batcher = batcher(.trailing(quiet: .milliseconds(200)))
    #expect(commands(of: .recorded(event(1)), at: 0, from: &batcher) == [flush(200)])
    #expect(commands(of: .recorded(event(2)), at: 150, from: &batcher) == [flush(350)])
    #expect(
      commands(of: .timerFired(.flush), at: 350, from: &batcher) == [
        .post(batch: 1, first: 0, count: 2, number: 1, attempt: 0)
      ])
    #expect(batcher.event(1)?.view == 2)
    #expect(commands(of: .accepted(batch: 1), at: 400, from: &batcher) == [])
    #expect(batcher.pendingCount == 0 && batcher.delivered == 2)
    #expect(commands(of: .accepted(batch: 1), at: 401, from: &batcher) == [])
    #expect(commands(of: .timerFired(.flush), at: 402, from: &batcher) == [])
    #expect(batcher.ignored == 2)
  }

  /// Covers: SIG-048. The timer that an event replaced fires all the same.
  @Test func `a timer that is early posts nothing and is set again`() {
    var batcher = batcher(.trailing(quiet: .milliseconds(200)))
    _ = commands(of: .recorded(event(1)), at: 0, from: &batcher)
    _ = commands(of: .recorded(event(2)), at: 199, from: &batcher)
    #expect(commands(of: .timerFired(.flush), at: 200, from: &batcher) == [flush(399)])
    #expect(batcher.posts == 0 && batcher.ignored == 1)
  }

  /// Covers: SIG-049.
  @Test func `steady events starve a trailing debounce, and the other rules bound the wait`() {
    func longestDelay(_ rule: TelemetryBatcher.FlushRule) -> Int64 {
      var batcher = batcher(rule)
      var timer: Int64?
      var first: Int64?
      var longest: Int64 = 0
      for now in stride(from: Int64(0), through: 20_000, by: 10) {
        var list: [Command] = []
        if let due = timer, due <= now {
          timer = nil
          list += commands(of: .timerFired(.flush), at: now, from: &batcher)
        }
        if now % 150 == 0 {
          first = first ?? now
          list += commands(of: .recorded(event()), at: now, from: &batcher)
        }
        for command in list {
          switch command {
          case .setTimer(.flush, let at, _): timer = at.nanoseconds / 1_000_000
          case .cancelTimer(.flush): timer = nil
          case .post(let batch, _, _, _, _):
            longest = max(longest, now - first!)
            first = nil
            _ = commands(of: .accepted(batch: batch), at: now, from: &batcher)
          default: break
          }
        }
        longest = max(longest, now - (first ?? now))
      }
      return longest
    }
    #expect(longestDelay(.trailing(quiet: .milliseconds(200))) == 20_000)
    #expect(longestDelay(.window(.milliseconds(200))) == 200)
    #expect(
      longestDelay(.bounded(quiet: .milliseconds(200), longest: .seconds(2), count: 50)) == 2000)
    #expect(
      longestDelay(.bounded(quiet: .milliseconds(200), longest: .seconds(9), count: 5)) == 600)
  }

  /// Covers: SIG-037, SIG-049.
  @Test func `the background flushes at once`() {
    var batcher = batcher(.window(.seconds(5)))
    _ = commands(of: .recorded(event()), from: &batcher)
    #expect(
      commands(of: .movedToBackground, at: 1, from: &batcher) == [
        .cancelTimer(.flush), .post(batch: 1, first: 0, count: 1, number: 1, attempt: 0),
      ])
    #expect(commands(of: .recorded(event()), at: 2, from: &batcher) == [])
    #expect(
      commands(of: .accepted(batch: 1), at: 3, from: &batcher) == [
        .post(batch: 2, first: 1, count: 1, number: 2, attempt: 0)
      ])
    #expect(batcher.pendingCount == 1)
    _ = commands(of: .movedToForeground, at: 4, from: &batcher)
    _ = commands(of: .movedToForeground, at: 5, from: &batcher)
    #expect(batcher.ignored == 1)
  }

  /// Covers: SIG-052.
  @Test(arguments: [
    TelemetryBatcher.Delivery.drop, .retry, .retryWithNumbers,
  ])
  func `a batch that fails is dropped, or sent again after 1, 2 and 4 s`(
    delivery: TelemetryBatcher.Delivery
  ) {
    var batcher = batcher(.window(.zero), delivery)
    let number: UInt32? = delivery == .retryWithNumbers ? 1 : nil
    _ = commands(of: .recorded(event()), from: &batcher)
    if delivery == .drop {
      #expect(commands(of: .failed(batch: 1, attempt: 0), from: &batcher) == [])
      #expect(batcher.givenUp == 1)
      return
    }
    var now: Int64 = 0
    for (attempt, wait) in ([1, 2, 4] as [Int64]).enumerated() {
      let timer = Command.setTimer(
        .retry, at: at(now + wait * 1000), jitter: .milliseconds(wait * 500))
      #expect(commands(of: .failed(batch: 1, attempt: attempt), at: now, from: &batcher) == [timer])
      now += wait * 1000
      #expect(commands(of: .timerFired(.retry), at: now - 1, from: &batcher) == [timer])
      #expect(
        commands(of: .timerFired(.retry), at: now, from: &batcher) == [
          .post(batch: 1, first: 0, count: 1, number: number, attempt: attempt + 1)
        ])
    }
    #expect(commands(of: .failed(batch: 1, attempt: 3), from: &batcher) == [])
    #expect(batcher.givenUp == 1 && batcher.pendingCount == 0 && batcher.posts == 4)
  }

  /// Covers: SIG-052.
  @Test func `an answer that comes while its batch waits for a retry is taken`() {
    var batcher = batcher(.window(.zero))
    _ = commands(of: .recorded(event()), from: &batcher)
    _ = commands(of: .failed(batch: 1, attempt: 0), from: &batcher)
    #expect(commands(of: .accepted(batch: 1), from: &batcher) == [.cancelTimer(.retry)])
    #expect(commands(of: .timerFired(.retry), from: &batcher) == [])
    #expect(batcher.delivered == 1)
  }

  /// Covers: SIG-052.
  @Test func `a failure that is told twice costs one retry`() {
    var batcher = batcher(.window(.zero))
    _ = commands(of: .recorded(event()), from: &batcher)
    _ = commands(of: .failed(batch: 1, attempt: 0), from: &batcher)
    _ = commands(of: .timerFired(.retry), at: 1000, from: &batcher)
    // The second attempt is on its way; what is said of the first one changes nothing.
    #expect(commands(of: .failed(batch: 1, attempt: 0), at: 1001, from: &batcher) == [])
    #expect(batcher.batchOnItsWay == 1 && batcher.ignored == 1)
    #expect(
      commands(of: .failed(batch: 1, attempt: 1), at: 1002, from: &batcher) == [
        .setTimer(.retry, at: at(3002), jitter: .seconds(1))
      ])
  }

  @Test func `the queue and the batches are bounded`() {
    var batcher = batcher(.window(.seconds(1)), queueLimit: 7, batchLimit: 3)
    for number in 0..<9 as Range<UInt32> {
      _ = commands(of: .recorded(event(number)), from: &batcher)
    }
    #expect(batcher.pendingCount == 7 && batcher.overflowed == 2)
    var counts: [Int] = []
    var list = commands(of: .timerFired(.flush), at: 1000, from: &batcher)
    while case .post(let batch, _, let count, _, _)? = list.first {
      counts.append(count)
      list = commands(of: .accepted(batch: batch), at: 1001, from: &batcher)
    }
    #expect(counts == [3, 3, 1])
  }
}

/// A host with an ingest: it counts what every event's sequence number went through.
private struct TelemetryHost {
  var batcher: TelemetryBatcher
  var posted: [UInt32: Range<UInt64>] = [:]
  var flushAt: Instant?
  var retryAt: Instant?
  var accepted: Set<UInt64> = []
  var onItsWay: UInt32?
  var attempt = 0

  init(_ configuration: TelemetryBatcher.Configuration) {
    batcher = TelemetryBatcher(configuration)
  }

  mutating func tell(_ event: TelemetryBatcher.Event, at now: Instant, seed: UInt64) {
    let limit = batcher.configuration.batchLimit
    var list: [TelemetryBatcher.Command] = []
    batcher.handle(event, at: now, into: &list)
    for command in list {
      switch command {
      case .post(let batch, let first, let count, _, let attempt):
        let range = first..<(first + UInt64(count))
        #expect(count >= 1 && count <= limit, "seed \(seed)")
        #expect(onItsWay == nil, "seed \(seed): two batches on their way")
        if let before = posted[batch] { #expect(before == range, "seed \(seed)") }
        for sequence in range { #expect(batcher.event(sequence) != nil, "seed \(seed)") }
        posted[batch] = range
        onItsWay = batch
        self.attempt = attempt
      case .setTimer(.flush, let at, _):
        #expect(at > now, "seed \(seed)")
        flushAt = at
      case .setTimer(.retry, let at, _):
        #expect(retryAt == nil || retryAt == at, "seed \(seed)")
        retryAt = at
      case .cancelTimer(.flush): flushAt = nil
      case .cancelTimer(.retry): retryAt = nil
      }
    }
  }
}

struct `Telemetry properties` {
  static let rules: [TelemetryBatcher.FlushRule] = [
    .trailing(quiet: .milliseconds(200)), .window(.milliseconds(500)),
    .bounded(quiet: .milliseconds(200), longest: .seconds(2), count: 9),
  ]
  static let deliveries: [TelemetryBatcher.Delivery] = [.drop, .retry, .retryWithNumbers]

  /// 45 · 2500 = 112,500 steps. Covers: SIG-048, SIG-049, SIG-052.
  @Test(arguments: Array(0..<45 as Range<UInt64>))
  func `every event is pending, accepted or given up, and each exactly once`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var host = TelemetryHost(
      .init(
        rule: Self.rules[Int(seed) % 3], delivery: Self.deliveries[Int(seed) / 3 % 3],
        queueLimit: 40, batchLimit: 12))
    var now = Int64(0)
    var known: [UInt32] = [0]
    for step in 0..<2500 {
      now += Int64(generator.below(150))
      // Timers fire when they are due, some late, some although they were not set.
      if let due = host.flushAt, due <= at(now), !generator.once(in: 5) {
        host.flushAt = nil
        host.tell(.timerFired(.flush), at: at(now), seed: seed)
      }
      if let due = host.retryAt, due <= at(now), !generator.once(in: 5) {
        host.retryAt = nil
        host.tell(.timerFired(.retry), at: at(now), seed: seed)
      }
      if let batch = host.onItsWay { known.append(batch) }
      let attempt = generator.once(in: 3) ? generator.below(4) : host.attempt
      let batch = generator.once(in: 3) ? known[generator.below(known.count)] : known.last!
      switch generator.below(14) {
      case 0...6: host.tell(.recorded(event(UInt32(step), at: now)), at: at(now), seed: seed)
      case 7...9:
        if batch == host.onItsWay { host.onItsWay = nil }
        host.tell(.accepted(batch: batch), at: at(now), seed: seed)
      case 10...11:
        if batch == host.onItsWay && attempt == host.attempt { host.onItsWay = nil }
        host.tell(.failed(batch: batch, attempt: attempt), at: at(now), seed: seed)
      case 12: host.tell(.timerFired(.retry), at: at(now), seed: seed)
      default:
        host.tell(
          generator.once(in: 2) ? .movedToBackground : .movedToForeground, at: at(now),
          seed: seed)
      }
      if case .some = host.onItsWay { host.retryAt = nil }
      let batcher = host.batcher
      #expect(
        batcher.recorded
          == batcher.pendingCount + batcher.delivered + batcher.givenUp + batcher.overflowed,
        "seed \(seed)")
      #expect(batcher.pendingCount <= 40, "seed \(seed)")
      // What waits has a way out: a batch that is on its way, or a timer.
      if batcher.pendingCount > 0 {
        #expect(
          host.onItsWay != nil || host.retryAt != nil || host.flushAt != nil, "seed \(seed)")
      }
    }
    #expect(host.batcher.delivered > 100 && host.batcher.ignored > 100)
  }
}

struct `View log` {
  private func names(_ events: [(ViewLog.Event, Int64)]) -> [TelemetryEvent] {
    var log = ViewLog()
    var list: [ViewLog.Command] = []
    for (event, now) in events { log.handle(event, at: at(now), into: &list) }
    return list.map { command in
      switch command {
      case .emit(let event): event
      }
    }
  }

  /// Covers: SIG-050, SIG-051, SIG-045.
  @Test func `a view carries its own times`() {
    let events = names([
      (.viewBegan(item(3), duration: .seconds(10)), 100), (.firstFrameRendered(item(3)), 350),
      (.firstFrameRendered(item(3)), 360), (.bitrateSelected(item(3), .kilobits(600)), 400),
      (.stallBegan(item(3)), 1000),
      (.stallEnded(item(3)), 1400), (.stallBegan(item(3)), 2000),
      (.viewEnded(item(3), played: .seconds(7)), 2100),
    ])
    #expect(
      events.map(\.name) == [
        .viewStart, .timeToFirstFrame, .selectedBitrate, .rebuffer, .viewEnd,
      ])
    #expect(events.map(\.value) == [0, 250, 600, 2, 2000])
    #expect(events.map(\.second) == [0, 0, 0, 500, 7000])
  }

  /// Covers: SIG-051.
  @Test func `a view without a frame has an end and no time to a first frame`() {
    let events = names([
      (.viewBegan(item(0), duration: .seconds(10)), 0), (.stallBegan(item(0)), 5),
      (.viewBegan(item(1), duration: .seconds(10)), 900),
    ])
    #expect(events.map(\.name) == [.viewStart, .viewEnd, .viewStart])
    #expect(events.map(\.view) == [0, 0, 1])
  }

  /// Covers: SIG-050, SIG-051.
  @Test func `what is said of an item whose view is over emits nothing`() {
    let events = names([
      (.viewBegan(item(0), duration: .seconds(10)), 0),
      (.viewBegan(item(1), duration: .seconds(10)), 900), (.firstFrameRendered(item(0)), 910),
      (.playbackFailed(item(0), code: 404), 920), (.viewEnded(item(0), played: .zero), 930),
      (.firstFrameRendered(item(1)), 950), (.viewEnded(item(1), played: .seconds(1)), 1000),
    ])
    #expect(events.map(\.name) == [.viewStart, .viewEnd, .viewStart, .timeToFirstFrame, .viewEnd])
    #expect(events.map(\.item) == [item(0), item(0), item(1), item(1), item(1)])
    #expect(events[3].value == 50)
  }

  @Test func `the names are those of the contract`() {
    let names = TelemetryName.allCases.map { "\($0.text)" }
    #expect(
      names == [
        "view_start", "view_end", "tap_play_pause", "preview_scrub_start",
        "preview_scrub_commit", "playback_error", "time_to_first_frame", "rebuffer",
        "selected_bitrate",
      ])
  }

  /// 40 · 2500 = 100,000 steps. Covers: SIG-050, SIG-051.
  @Test(arguments: Array(0..<40 as Range<UInt64>))
  func `every view start has exactly one view end, whatever is reported`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var log = ViewLog()
    var open: UInt32?
    var shown = item(0)
    var starts: UInt32 = 0
    var ends: UInt32 = 0
    var frames = 0
    var now = Int64(0)
    for _ in 0..<2500 {
      now += Int64(generator.below(300))
      let other = generator.once(in: 5) ? item(UInt32(generator.below(9))) : shown
      let event: ViewLog.Event
      switch generator.below(12) {
      case 0...1:
        shown = item(UInt32(generator.below(9)))
        event = .viewBegan(
          shown, duration: .seconds(Int64(generator.below(30))))
      case 2: event = .viewEnded(other, played: .milliseconds(Int64(generator.below(60_000))))
      case 3...4: event = .firstFrameRendered(other)
      case 5...6: event = .stallBegan(other)
      case 7...8: event = .stallEnded(other)
      case 9: event = .scrubCommitted(other, position: .milliseconds(Int64(generator.below(900))))
      case 10: event = .tapped(other, plays: generator.once(in: 2))
      default: event = .playbackFailed(other, code: 404)
      }
      for command in commands(of: event, at: now, from: &log) {
        guard case .emit(let told) = command else { continue }
        #expect(told.value >= 0 && told.second >= 0, "seed \(seed)")
        switch told.name {
        case .viewStart:
          #expect(open == nil && told.view == starts, "seed \(seed)")
          starts += 1
          frames = 0
          open = told.view
        case .viewEnd:
          #expect(open == told.view && told.second <= 10_000, "seed \(seed)")
          ends += 1
          open = nil
        case .timeToFirstFrame:
          frames += 1
          #expect(frames == 1 && open == told.view, "seed \(seed)")
        default: #expect(open == told.view, "seed \(seed)")
        }
      }
      #expect(log.views == starts && log.ended == ends && starts - ends <= 1, "seed \(seed)")
      #expect(log.isOpen == (open != nil), "seed \(seed)")
    }
    #expect(starts > 300 && log.ignored > 100)
  }
}
