import FeedPolicy
import Foundation
import MediaUnits
import PolicyTesting
import Testing

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Records machines under random events; the logs beside the tests were written by it.
private enum Recorded {
  static func pool(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    var recorder = PolicyRecorder<PlayerPool>(.init(size: 5, ahead: 2, behind: 2))
    var commands: [PlayerPool.Command] = []
    var position = 0
    for step in 0..<length {
      let slot = SlotID(UInt32(generator.below(6)))
      let event: PlayerPool.Event
      switch generator.below(10) {
      case 0...3:
        position = max(0, position + generator.below(5) - 1)
        event = .currentChanged(
          ItemID(UInt32(position)), last: ItemID(UInt32(position + generator.below(20))))
      case 4: event = .feedExtended(last: ItemID(UInt32(position + generator.below(30))))
      case 5: event = generator.once(in: 5) ? .memoryPressure : .slotFailed(slot, generation: 2)
      default:
        event = .slotReady(
          slot,
          generation: generator.once(in: 4)
            ? UInt32(generator.below(9)) : recorder.machine.generation(of: slot))
      }
      recorder.handle(event, at: Instant(nanoseconds: Int64(step) * 16_700_000), into: &commands)
    }
    return recorder.bytes
  }

  static func prefetch(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    var recorder = PolicyRecorder<PrefetchPolicy>(
      .init(
        family: PrefetchFamily.allCases[Int(seed) % PrefetchFamily.allCases.count],
        previousThreshold: seed % 2 == 0 ? 3 : .infinity, cover: seed % 3 == 0 ? nil : 3,
        bufferCover: Double(seed), viewsPerSession: seed % 4 == 0 ? 30 : nil,
        suspendsOnStall: seed % 2 == 0))
    var commands: [PrefetchPolicy.Command] = []
    var position = 0
    for step in 0..<length {
      let other = ItemID(UInt32(max(0, position + generator.below(7) - 2)))
      let event: PrefetchPolicy.Event
      switch generator.below(16) {
      case 0...1:
        position = max(0, position + generator.below(4) - 1)
        event = .feedMoved(
          current: ItemID(UInt32(position)), last: ItemID(UInt32(position + 10)))
      case 2: event = .feedExtended(last: ItemID(UInt32(position + generator.below(30))))
      case 3...5:
        event = .bufferChanged(
          ahead: .milliseconds(Int64(generator.below(9000))), isComplete: generator.once(in: 3))
      case 6:
        event = .throughputChanged(
          .kilobits(Int64(generator.below(9000))), bitrate: .kilobits(600))
      case 7: event = .itemFailed(other)
      case 8:
        event = .stageReached(
          other, PrefetchStage.allCases[generator.below(PrefetchStage.allCases.count)])
      case 9: event = .durationKnown(other, .seconds(Int64(generator.below(60))))
      case 10: event = .positionChanged(.milliseconds(Int64(generator.below(9000))))
      case 11: event = .withdrawn(other)
      case 12: event = .connectivityChanged(isOnline: !generator.once(in: 4))
      case 13: event = .stallChanged(isStalled: generator.once(in: 4))
      case 14: event = .hostHeld(generator.once(in: 4))
      default: event = .targetReached(other, .seconds(Int64(generator.below(8))))
      }
      recorder.handle(event, at: Instant(nanoseconds: Int64(step) * 16_700_000), into: &commands)
    }
    return recorder.bytes
  }

  static func gate(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    var recorder = PolicyRecorder<ReadinessGate>(
      .init(attempts: 2, escape: seed % 2 == 0 ? .letThrough : .skip))
    var commands: [ReadinessGate.Command] = []
    for step in 0..<length {
      let near = Int(recorder.machine.active?.index ?? 0) + generator.below(5) - 1
      let item = ItemID(UInt32(max(0, near)))
      let generation = UInt32(generator.below(3))
      let event: ReadinessGate.Event
      switch generator.below(8) {
      case 0...2: event = .jumped(to: item)
      case 3: event = .preparing(item, generation: generation)
      case 4: event = .dropped(item, generation: generation)
      default: event = .becameReady(item, generation: generation)
      }
      recorder.handle(
        event, at: Instant(nanoseconds: Int64(step) * 250_000_000), into: &commands)
    }
    return recorder.bytes
  }

  static func batcher(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    let rules: [TelemetryBatcher.FlushRule] = [
      .bounded(quiet: .milliseconds(200), longest: .seconds(2), count: 5),
      .trailing(quiet: .milliseconds(200)), .window(.seconds(1)),
    ]
    let deliveries: [TelemetryBatcher.Delivery] = [.retryWithNumbers, .retry, .drop]
    var recorder = PolicyRecorder<TelemetryBatcher>(
      .init(rule: rules[Int(seed % 3)], delivery: deliveries[Int(seed % 3)]))
    var commands: [TelemetryBatcher.Command] = []
    var last: UInt32 = 0
    var attempt = 0
    for step in 0..<length {
      let now = Instant(nanoseconds: Int64(step) * 90_000_000)
      if case .post(let batch, _, _, _, let sent)? = commands.last {
        (last, attempt) = (batch, sent)
      }
      let batch = generator.once(in: 4) && last > 0 ? last - 1 : last
      let event: TelemetryBatcher.Event
      switch generator.below(10) {
      case 0...4:
        event = .recorded(
          TelemetryEvent(
            name: TelemetryName.allCases[generator.below(9)], view: UInt32(step),
            item: ItemID(UInt32(generator.below(40))), at: now,
            value: Int64(generator.below(5000)), second: -Int64(generator.below(2))))
      case 5: event = .timerFired(generator.once(in: 2) ? .flush : .retry)
      case 6: event = .failed(batch: batch, attempt: attempt)
      case 7: event = generator.once(in: 2) ? .movedToBackground : .movedToForeground
      default: event = .accepted(batch: batch)
      }
      recorder.handle(event, at: now, into: &commands)
    }
    return recorder.bytes
  }

  static func pager(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    var recorder = PolicyRecorder<CursorPager>(.init(trigger: 4, memory: 20, emptyPages: 2))
    var commands: [CursorPager.Command] = []
    var first: UInt64 = 0
    var request: UInt32 = 0
    for step in 0..<length {
      for case .request(let number, _) in commands { request = number }
      let event: CursorPager.Event
      switch generator.below(8) {
      case 0: event = .opened
      case 1...3: event = .moved(to: ItemID(UInt32(generator.below(step + 1))))
      case 4: event = .pageFailed(request: request)
      case 5: event = .pageArrived(request: request &- 1, .init(keys: [1], next: nil))
      default:
        first += UInt64(generator.below(12))
        event = .pageArrived(
          request: request, .init(keys: Array(first..<(first + 8)), next: first + 8))
      }
      commands.removeAll()
      recorder.handle(event, at: Instant(nanoseconds: Int64(step) * 50_000_000), into: &commands)
    }
    return recorder.bytes
  }

  static func scrub(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    var recorder = PolicyRecorder<ScrubSession>(.init())
    var commands: [ScrubSession.Command] = []
    for step in 0..<length {
      let position = TimeSpan.milliseconds(Int64(generator.below(40_000)) - 1000)
      let event: ScrubSession.Event
      switch generator.below(8) {
      case 0:
        event = .pressed(ItemID(UInt32(step)), playhead: position, duration: .seconds(30))
      case 1: event = generator.once(in: 3) ? .cancelled : .released
      case 2: event = .timerFired
      default: event = .moved(position)
      }
      recorder.handle(event, at: Instant(nanoseconds: Int64(step) * 50_000_000), into: &commands)
    }
    return recorder.bytes
  }

  static func stack(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    var recorder = PolicyRecorder<PauseStack>(
      .init(resuming: seed % 2 == 0 ? .all : PauseStack.Reasons(.scrub)))
    var commands: [PauseStack.Command] = []
    for step in 0..<length {
      let reason = PauseStack.Reason.allCases[generator.below(PauseStack.Reason.allCases.count)]
      let event: PauseStack.Event
      switch generator.below(6) {
      case 0...1: event = .itemChanged(ItemID(UInt32(generator.below(30))))
      case 2: event = .began(reason)
      case 3...4: event = .ended(reason)
      default: event = .tapped
      }
      recorder.handle(event, at: Instant(nanoseconds: Int64(step) * 90_000_000), into: &commands)
    }
    return recorder.bytes
  }

  static func drafts(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    var recorder = PolicyRecorder<DraftStore>(.init(limit: 6))
    var commands: [DraftStore.Command] = []
    for step in 0..<length {
      let item = ItemID(UInt32(generator.below(12)))
      let event: DraftStore.Event
      switch generator.below(4) {
      case 0: event = .cleared(item)
      case 1: event = .shown(item)
      default: event = .edited(item, draft: UInt64(step))
      }
      recorder.handle(event, at: Instant(nanoseconds: Int64(step) * 90_000_000), into: &commands)
    }
    return recorder.bytes
  }

  static func views(_ seed: UInt64, length: Int) -> [UInt8] {
    var generator = SeededGenerator(seed)
    var recorder = PolicyRecorder<ViewLog>(.init())
    var commands: [ViewLog.Command] = []
    var item = ItemID(0)
    for step in 0..<length {
      let event: ViewLog.Event
      switch generator.below(11) {
      case 0...1:
        item = ItemID(UInt32(step))
        event = .viewBegan(item, duration: .seconds(Int64(generator.below(60))))
      case 2: event = .firstFrameRendered(item)
      case 3: event = .stallBegan(item)
      case 4: event = .stallEnded(item)
      case 5: event = .bitrateSelected(item, .kilobits(Int64(generator.below(9000))))
      case 6: event = .tapped(item, plays: generator.once(in: 2))
      case 7: event = .scrubBegan(item)
      case 8: event = .scrubCommitted(item, position: .seconds(Int64(generator.below(60))))
      case 9: event = .playbackFailed(item, code: -Int64(generator.below(60)))
      default: event = .viewEnded(item, played: .seconds(Int64(generator.below(60))))
      }
      recorder.handle(event, at: Instant(nanoseconds: Int64(step) * 90_000_000), into: &commands)
    }
    return recorder.bytes
  }

  /// What the machine that the log names replays.
  static func replay(_ bytes: [UInt8]) -> PolicyLog.Outcome {
    PolicyLog.replay(bytes) ?? .malformed(line: 2)
  }

  static func log(_ kind: String, seed: UInt64, length: Int) -> [UInt8] {
    switch kind {
    case "player-pool": pool(seed, length: length)
    case "prefetch-policy": prefetch(seed, length: length)
    case "readiness-gate": gate(seed, length: length)
    case "cursor-pager": pager(seed, length: length)
    case "scrub-session": scrub(seed, length: length)
    case "pause-stack": stack(seed, length: length)
    case "draft-store": drafts(seed, length: length)
    case "view-log": views(seed, length: length)
    default: batcher(seed, length: length)
    }
  }
}

struct `Policy log` {
  static let kinds = [
    "player-pool", "prefetch-policy", "readiness-gate", "telemetry-batcher", "cursor-pager",
    "scrub-session", "pause-stack", "draft-store", "view-log",
  ]
  /// Beside the test targets.
  static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("PolicyLogs")

  @Test func `a log is readable text`() {
    let lines = text(Recorded.pool(1, length: 3)).split(separator: "\n")
    #expect(lines[0] == "firstframe-policy-log 1")
    #expect(lines[1] == "machine player-pool")
    #expect(lines[2] == "configuration 5 2 2")
    #expect(lines[3].hasPrefix("event 0 "))
  }

  @Test(arguments: kinds)
  func `what was recorded replays to equal commands`(kind: String) {
    for seed in 0..<12 as Range<UInt64> {
      let bytes = Recorded.log(kind, seed: seed, length: 2000)
      guard case .equal(let events, let commands) = Recorded.replay(bytes) else {
        Issue.record("\(kind), seed \(seed): \(Recorded.replay(bytes))")
        continue
      }
      #expect(events == 2000 && commands > 100)
    }
  }

  /// The checked-in logs were written by another process, on another day: this one must give the
  /// same commands, and write the same bytes. With FIRSTFRAME_RECORD=1 they are written anew.
  @Test(arguments: kinds)
  func `the logs that were written before replay to equal commands`(kind: String) throws {
    let url = Self.folder.appendingPathComponent("\(kind).log")
    let recorded = Recorded.log(kind, seed: 4, length: 300)
    if ProcessInfo.processInfo.environment["FIRSTFRAME_RECORD"] == "1" {
      try Data(recorded).write(to: url)
    }
    let bytes = [UInt8](try Data(contentsOf: url))
    guard case .equal(300, _) = Recorded.replay(bytes) else {
      Issue.record("\(kind): \(Recorded.replay(bytes))")
      return
    }
    #expect(bytes == recorded)
  }

  /// Logs that players of a live run have written, by the real clock and with real answers.
  @Test func `the logs of a live run replay to equal commands`() throws {
    let live = Self.folder.appendingPathComponent("live")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: live.path)
      .filter { $0.hasSuffix(".log") }
    #expect(Set(paths.map { $0.split(separator: "/")[0] }).count >= 2, "several players")
    var machines: Set<String> = []
    for path in paths {
      let bytes = [UInt8](try Data(contentsOf: live.appendingPathComponent(path)))
      guard case .equal(let events, _) = Recorded.replay(bytes) else {
        Issue.record("\(path): \(Recorded.replay(bytes))")
        continue
      }
      if events > 0 { machines.insert(URL(fileURLWithPath: path).lastPathComponent) }
    }
    let names = ["player-pool.log", "prefetch-policy.log", "cursor-pager.log"]
    #expect(machines.isSuperset(of: names), "\(machines)")
  }

  @Test(arguments: kinds)
  func `a changed command, a missing one and one too many are found`(kind: String) throws {
    let lines = text(Recorded.log(kind, seed: 2, length: 60)).split(separator: "\n").map(
      String.init)
    let place = try #require(lines.firstIndex { $0.hasPrefix("command ") })
    func outcome(_ lines: [String]) -> PolicyLog.Outcome {
      Recorded.replay(Array((lines.joined(separator: "\n") + "\n").utf8))
    }
    var changed = lines
    changed[place] += "0"
    #expect(outcome(changed) == .differs(line: place + 1))
    var missing = lines
    missing.remove(at: place)
    #expect(outcome(missing) == .differs(line: place + 1))
    var extra = lines
    extra.append("command play 0")
    #expect(outcome(extra) == .differs(line: lines.count + 1))
    var torn = lines
    torn[place - 1] += " 1 2 3 4 5 6 7 8"
    #expect(outcome(torn) == .malformed(line: place))
    #expect(outcome(Array(lines.prefix(2))) == .malformed(line: 3))
  }

  /// 100,000 damaged logs.
  @Test func `any bytes have an outcome`() {
    var generator = SeededGenerator(11)
    for kind in Self.kinds {
      let whole = Recorded.log(kind, seed: 3, length: 12)
      for _ in 0..<25_000 {
        var bytes = whole
        for _ in 0...generator.below(3) {
          bytes[generator.below(bytes.count)] = UInt8(generator.below(80)) + 10
        }
        if generator.once(in: 4) { bytes.removeLast(generator.below(bytes.count)) }
        if case .equal(let events, _) = Recorded.replay(bytes) { #expect(events <= 13) }
      }
    }
  }

  @Test func `a log that is taken piece by piece is the one that is kept whole`() {
    let configuration = PlayerPool.Configuration(size: 3, ahead: 1, behind: 1)
    var whole = PolicyRecorder<PlayerPool>(configuration)
    var pieces = PolicyRecorder<PlayerPool>(configuration)
    var writer = PolicyLogWriter<PlayerPool>(configuration)
    var taken = pieces.take()
    var written = writer.take()
    #expect(pieces.bytes.isEmpty && !taken.isEmpty)
    for step in 0..<20 {
      let event = PlayerPool.Event.currentChanged(ItemID(UInt32(step)), last: ItemID(40))
      let now = Instant(nanoseconds: Int64(step))
      var commands: [PlayerPool.Command] = [.play(SlotID(9))]
      whole.handle(event, at: now, into: &commands)
      // The same commands, by an app that decides by itself.
      writer.note(event, at: now, commands, from: 1)
      var again: [PlayerPool.Command] = []
      pieces.handle(event, at: now, into: &again)
      #expect(Array(commands.dropFirst()) == again)
      if step % 3 == 0 {
        taken += pieces.take()
        written += writer.take()
      }
    }
    #expect(taken + pieces.take() == whole.bytes)
    #expect(written + writer.take() == whole.bytes)
    #expect(PolicyLog.replay(whole.bytes) == .equal(events: 20, commands: commands(whole.bytes)))
  }

  private func commands(_ bytes: [UInt8]) -> Int {
    text(bytes).split(separator: "\n").count { $0.hasPrefix("command ") }
  }

  @Test func `numbers come back as they were written, and each has one text`() {
    var line = PolicyLine()
    let numbers: [Int64] = [0, 1, -1, .max, .min, 1_000_000_007]
    for number in numbers { line.add(number) }
    line.add(bitsOf: -0.1)
    line.add("word")
    let bytes = line.bytes
    #expect(
      text(bytes)
        == "0 1 -1 9223372036854775807 -9223372036854775808 1000000007 "
        + "\((-0.1).bitPattern) word")
  }
}
