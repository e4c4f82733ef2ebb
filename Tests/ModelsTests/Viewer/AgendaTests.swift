import MediaUnits
import SimulationKernel
import Testing

@testable import FeedModel
@testable import ModelBasics

/// What a viewer has planned, against a sorted list that does the same.
@Suite struct AgendaTests {
  /// The order of two entries as it is meant: time, the edge before the link before the rest, then
  /// as they were planned.
  private struct Model {
    var entries: [(time: Instant, happening: Happening, serial: Int)] = []
    var serial = 0

    mutating func plan(_ happening: Happening, at time: Instant) {
      if happening.slot != .many { cancel(happening.slot) }
      entries.append((time, happening, serial))
      serial += 1
    }

    mutating func cancel(_ slot: Happening.Slot) {
      entries.removeAll { $0.happening.slot == slot }
    }

    private static func rank(_ happening: Happening) -> Int {
      switch happening {
      case .requestAtEdge, .pairAtEdge: 0
      case .linkChanged: 1
      default: 2
      }
    }

    mutating func takeNext() -> (time: Instant, happening: Happening, serial: Int) {
      entries.sort {
        let (a, b) = (Model.rank($0.happening), Model.rank($1.happening))
        if $0.time != $1.time { return $0.time < $1.time }
        return a != b ? a < b : $0.serial < $1.serial
      }
      return entries.removeFirst()
    }
  }

  private static let kinds: [Happening] = [
    .linkChanged, .watchEnded, .framePresented, .patienceEnded, .settled, .bufferEnded,
    .loadResumed, .scrubBegan, .scrubMoved, .scrubTimer, .burstEnded, .pauseBegan, .pauseEnded,
    .passEnded, .passBegan, .telemetryTimer(isRetry: false), .telemetryTimer(isRetry: true),
    .offlineChanged(isOffline: true), .handOver(index: 1),
    .requestAtEdge(request: 1, generation: 1), .diskRead(request: 2, generation: 3),
    .playerReady(player: 0, generation: 1), .playerReady(player: 3, generation: 1),
    .requestRetried(request: 1, generation: 2),
    .pairAtEdge(RequestPair(first: 0, second: 1, firstGeneration: 1, secondGeneration: 1)),
  ]

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `what is planned comes in its order, whatever was cancelled in between`(_ seed: UInt64) {
    var agenda = Agenda()
    var model = Model()
    var state = seed
    func random() -> Int {
      state &+= SplitMix.step
      return Int(SplitMix.finalized(state) >> 33)
    }
    var taken = 0
    for step in 0..<2000 {
      // Few times, so that many are equal.
      let time = Instant(nanoseconds: Int64(step / 10 + random() % 8))
      let kind = AgendaTests.kinds[random() % AgendaTests.kinds.count]
      switch random() % 8 {
      case 0...3:
        agenda.plan(kind, at: time, from: 7)
        model.plan(kind, at: time)
      case 4 where kind.slot != .many:
        agenda.cancel(kind.slot)
        model.cancel(kind.slot)
      case 4: break
      default:
        if model.entries.isEmpty { break }
        let expected = model.takeNext()
        #expect(agenda.next?.time == expected.time)
        let found = agenda.takeNext()
        #expect(found.time == expected.time && found.happening.tag == expected.happening.tag)
        #expect(found.serial == UInt32(expected.serial) && found.source == 7)
        taken += 1
      }
      #expect(agenda.count == model.entries.count)
      #expect(agenda.has(kind.slot) == model.entries.contains { $0.happening.slot == kind.slot })
    }
    #expect(taken > 300)
    agenda.removeAll()
    #expect(agenda.next == nil)
  }

  @Test func `a second time for what has one moves it, what may come often is added`() {
    var agenda = Agenda()
    agenda.plan(.watchEnded, at: Instant(nanoseconds: 5), from: 0)
    agenda.plan(.framePresented, at: Instant(nanoseconds: 9), from: 0)
    agenda.plan(.scrubTimer, at: Instant(nanoseconds: 7), from: 0)
    agenda.plan(.scrubTimer, at: Instant(nanoseconds: 8), from: 0)
    #expect(agenda.count == 3)
    #expect((0..<3).map { _ in agenda.takeNext().time.nanoseconds } == [7, 8, 9])
  }

  @Test func `a kind of happening has the tag of its event`() {
    let tags = AgendaTests.kinds.map { $0.tag.rawValue }
    // Two of `playerReady`, two of `telemetryTimer`.
    #expect(Set(tags).count == AgendaTests.kinds.count - 2)
  }
}

/// How far viewers may go on.
@Suite struct RunAheadTests {
  private func configuration(_ changes: [String]) throws -> FeedConfiguration {
    try scenario(changes).configuration
  }

  private func at(_ seconds: Int64) -> Instant { Instant.zero + .seconds(seconds) }

  @Test func `nobody passes the end of the warm-up, the edge of a window or the given bound`()
    throws
  {
    var ahead = RunAhead(
      try configuration([
        "audience.warmUp=10 s", "windows=[{name: a, from: 20 s, to: 30 s}]",
      ]), isOff: false)
    ahead.bound(by: at(100))
    var limits = [ahead.limit]
    for time in [10, 30, 40] as [Int64] {
      ahead.pass(at(time))
      limits.append(ahead.limit)
    }
    #expect(limits == [at(10), at(30), at(40), at(100)])
    ahead.bound(by: at(35))
    #expect(ahead.limit == at(35))
  }

  @Test func `without warm-up and windows there is nothing to wait for`() throws {
    var ahead = RunAhead(
      try configuration(["windows=[{name: a, from: 0 s, to: 30 s}]"]), isOff: false)
    ahead.bound(by: at(100))
    #expect(ahead.limit == at(30))
    ahead = RunAhead(try configuration([]), isOff: false)
    ahead.bound(by: at(100))
    #expect(ahead.limit == at(100))
  }

  @Test func `where it is off everything waits for its time`() throws {
    var ahead = RunAhead(try configuration([]), isOff: true)
    ahead.bound(by: at(100))
    #expect(ahead.limit < .zero)
  }

  @Test func `a great many happenings of one instant are the simulation's affair`() throws {
    var ahead = RunAhead(try configuration([]), isOff: false)
    for _ in 0..<999 { ahead.count(at: at(1), isAhead: false) }
    #expect(ahead.isOrdinary(at(1)))
    ahead.count(at: at(1), isAhead: true)
    #expect(!ahead.isOrdinary(at(1)) && ahead.isOrdinary(at(2)))
    ahead.count(at: at(2), isAhead: true)
    #expect(ahead.isOrdinary(at(1)))
  }
}
