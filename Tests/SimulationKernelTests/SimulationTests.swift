import MediaUnits
import SimulationKernel
import Statistics
import Testing

// Issue 2 item 3: runs, limits, ties, fingerprints; contract.md section 8:
// what `--shuffle-ties` permutes.

private func event(
  _ label: UInt32, at time: Int64, phase: Phase = .normal, target: UInt32 = 0, source: UInt32 = 0
) -> Handled {
  Handled(time: time, phase: phase, target: target, source: source, label: label)
}

struct `Running` {
  @Test func `scheduling in the past stops the program, scheduling for now does not`() async {
    await #expect(processExitsWith: .failure) {
      var simulation = Simulation(Recorder())
      simulation.schedule(event(0, at: 10))
      _ = try simulation.run()
      simulation.schedule(event(1, at: 9))
    }
    await #expect(processExitsWith: .success) {
      var simulation = Simulation(Recorder())
      simulation.schedule(event(0, at: 10))
      _ = try simulation.run()
      simulation.schedule(event(1, at: 10))
      _ = try simulation.run()
    }
  }

  @Test func `an entity number out of range stops the program`() async {
    await #expect(processExitsWith: .failure) {
      var simulation = Simulation(Recorder())
      simulation.schedule(event(0, at: 0, target: 1 << 30))
    }
    await #expect(processExitsWith: .failure) {
      var simulation = Simulation(Recorder())
      simulation.schedule(event(0, at: 0, source: 1 << 30))
    }
  }

  @Test(arguments: [UInt64](1...20))
  func `a run in pieces is the run in one`(_ seed: UInt64) throws {
    let events = crowdedEvents(300, seed: seed)
    var whole = Simulation(Recorder())
    var pieces = Simulation(Recorder())
    for each in events {
      whole.schedule(each)
      pieces.schedule(each)
    }
    let summary = try whole.run()
    var handled: UInt64 = 0
    for end in 0..<4 {
      let piece = try pieces.run(until: Instant(nanoseconds: Int64(end)))
      handled += piece.events
      #expect(piece.lastEvent == Instant(nanoseconds: Int64(end)) && pieces.now == piece.lastEvent)
      #expect(piece.hasPendingEvents == (end < 3))
      #expect(pieces.world.log.allSatisfy { $0.time <= Int64(end) })
    }
    #expect(handled == summary.events && summary.events == 300)
    #expect(pieces.world.log == whole.world.log)
    #expect(pieces.fingerprint == whole.fingerprint)
  }

  @Test func `events at the end of a run are handled and later ones wait`() throws {
    var simulation = Simulation(Recorder())
    for time: Int64 in [5, 10, 11] { simulation.schedule(event(UInt32(time), at: time)) }
    let first = try simulation.run(until: Instant(nanoseconds: 10))
    #expect(simulation.world.log.map(\.label) == [5, 10])
    #expect(first.events == 2 && first.hasPendingEvents)
    simulation.schedule(event(20, at: 10, phase: .observe))
    let second = try simulation.run()
    #expect(simulation.world.log.map(\.label) == [5, 10, 20, 11])
    #expect(second.events == 2 && !second.hasPendingEvents)
    #expect(second.lastEvent == Instant(nanoseconds: 11))
    let nothing = try simulation.run()
    #expect(nothing.events == 0 && nothing.lastEvent == Instant(nanoseconds: 11))
  }

  @Test func `stopping ends the run after the event and the next run goes on`() throws {
    var simulation = Simulation(Recorder(stopAt: 1))
    for label in 0..<4 { simulation.schedule(event(UInt32(label), at: 7)) }
    let first = try simulation.run()
    #expect(simulation.world.log.map(\.label) == [0, 1])
    #expect(first.events == 2 && first.hasPendingEvents)
    let second = try simulation.run()
    #expect(simulation.world.log.map(\.label) == [0, 1, 2, 3])
    #expect(second.events == 2 && !second.hasPendingEvents)
  }

  @Test func `an echo in an earlier phase of the same instant comes next`() throws {
    // A timer at 3 makes an arrival at 3: the arrival precedes the timers that still wait.
    var simulation = Simulation(Recorder())
    simulation.schedule(event(0, at: 3), echoes: 0)
    simulation.schedule(event(1, at: 3, phase: .arrival), echoes: 2)
    _ = try simulation.run()
    #expect(simulation.world.log.map(\.label) == [1, 1, 1, 0])
  }
}

struct `Limits` {
  @Test func `the event limit names the event that would pass it and loses nothing`() throws {
    var simulation = Simulation(Recorder())
    for label in 0..<5 {
      simulation.schedule(
        event(UInt32(label), at: Int64(label) * 10, target: 40 + UInt32(label), source: 60))
    }
    let error = try #require(throws: SimulationError.self) { () throws in
      _ = try simulation.run(eventLimit: 3)
    }
    #expect(error.code == .eventLimit && error.limit == 3)
    #expect(error.tag == 3 && error.target == 43 && error.source == 60)
    #expect("\(error.event)" == "label")
    #expect(error.time == Instant(nanoseconds: 30))
    #expect(simulation.world.log.map(\.label) == [0, 1, 2])
    let rest = try simulation.run(eventLimit: 2)
    #expect(rest.events == 2 && simulation.world.log.map(\.label) == [0, 1, 2, 3, 4])
  }

  @Test(arguments: [Int64(0), 1, 500])
  func `a loop without delay is stopped at the limit and named`(_ time: Int64) throws {
    // The instant zero is where the clock already stands; it counts like any other.
    var simulation = Simulation(Recorder())
    simulation.schedule(event(6, at: time, target: 12, source: 34), echoes: .max)
    let error = try #require(throws: SimulationError.self) { () throws in
      _ = try simulation.run(sameInstantLimit: 1000)
    }
    #expect(error.code == .sameInstantLimit && error.limit == 1000)
    #expect(error.tag == 6 && error.target == 12 && error.source == 12)
    #expect(error.time == Instant(nanoseconds: time))
    #expect(simulation.world.log.count == 1000)
  }

  @Test(arguments: [Int64(0), 9])
  func `as many events of an instant as the limit allows are no error`(_ time: Int64) throws {
    var simulation = Simulation(Recorder())
    for label in 0..<100 { simulation.schedule(event(UInt32(label), at: time)) }
    for label in 0..<100 { simulation.schedule(event(UInt32(label), at: time + 1)) }
    let summary = try simulation.run(eventLimit: 200, sameInstantLimit: 100)
    #expect(summary.events == 200)
  }
}

struct `Shuffled ties` {
  @Test func `without a seed the order is the canonical one`() throws {
    let events = crowdedEvents(200, seed: 3)
    #expect(try runLog(events, shuffleTies: nil) == canonical(events))
  }

  @Test(arguments: [UInt64](0..<40))
  func `only events of equal time and phase from different sources change places`(
    _ seed: UInt64
  ) throws {
    let events = crowdedEvents(200, seed: 1000 + seed)
    let expected = canonical(events)
    let log = try runLog(events, shuffleTies: seed)
    #expect(log != expected)
    #expect(canonical(log) == expected)
    #expect(
      log.map { [$0.time, Int64($0.phase.rawValue)] }
        == expected.map { [$0.time, Int64($0.phase.rawValue)] })
    for source: UInt32 in 0..<5 {
      #expect(
        log.filter { $0.source == source } == expected.filter { $0.source == source },
        "source \(source)")
    }
    #expect(try runLog(events, shuffleTies: seed) == log)
  }

  @Test func `every order of three tied sources occurs`() throws {
    // Six orders in 200 seeds: one missing has the chance 6·(5/6)^200 = 9e-16.
    let events = (0..<3).map { event($0, at: 8, target: 5, source: $0) }
    var orders: Set<[UInt32]> = []
    for seed in 0..<200 {
      orders.insert(try runLog(events, shuffleTies: UInt64(seed)).map(\.label))
    }
    #expect(orders.count == 6)
  }

  @Test func `two instants are shuffled apart`() throws {
    // Otherwise one source would win all its ties in a run.
    let events = (0..<200).flatMap { time in
      (0..<2).map { event($0, at: Int64(time), target: 5, source: $0) }
    }
    let log = try runLog(events, shuffleTies: 1)
    let wins = stride(from: 0, to: log.count, by: 2).count { log[$0].source == 0 }
    // Binomial, 200 fair trials: standard error 7.07, within 4 of them.
    #expect(abs(wins - 100) <= 28, "\(wins)")
  }
}

struct `Fingerprints` {
  private func fingerprint(_ events: [Handled], shuffleTies: UInt64? = nil) throws -> Fingerprint {
    var simulation = Simulation(Recorder(), shuffleTies: shuffleTies)
    for each in events { simulation.schedule(each) }
    _ = try simulation.run()
    return simulation.fingerprint
  }

  @Test(arguments: [UInt64](1...20))
  func `equal runs have equal fingerprints, in any order of scheduling and of ties`(
    _ seed: UInt64
  ) throws {
    let events = crowdedEvents(100, seed: seed)
    let value = try fingerprint(events)
    #expect(try fingerprint(events) == value)
    #expect(try fingerprint(events.reversed()) == value)
    #expect(try fingerprint(events, shuffleTies: seed) == value)
    #expect(try fingerprint(Array(events.dropLast())) != value)
    #expect(try fingerprint(events + [events[0]]) != value)
  }

  @Test(arguments: [UInt64](1...50))
  func `it changes with each part of an event`(_ seed: UInt64) throws {
    let events = crowdedEvents(50, seed: seed)
    let value = try fingerprint(events)
    let changed = Int(seed) % events.count
    func expectChange(_ change: (inout Handled) -> Void, _ what: String) throws {
      var others = events
      change(&others[changed])
      #expect(try fingerprint(others) != value, "\(what)")
    }
    try expectChange({ $0.time += 1 }, "time")
    try expectChange({ $0.phase = $0.phase == .normal ? .arrival : .normal }, "phase")
    try expectChange({ $0.target += 1 }, "target")
    try expectChange({ $0.source += 1 }, "source")
    try expectChange({ $0.label += 1 }, "tag")
    try expectChange(
      {
        swap(&$0.target, &$0.source); $0.target += 9
      }, "target and source")
  }

  @Test func `parts of a run combine in any order`() {
    var random = SplitMix64(seed: 4)
    var whole = Fingerprint()
    var parts = [Fingerprint](repeating: Fingerprint(), count: 3)
    for _ in 0..<1000 {
      let time = Int64(random.next(below: 1 << 40))
      let (target, source) = (UInt32(random.next(below: 1000)), UInt32(random.next(below: 1000)))
      whole.add(time: time, phase: 1, target: target, source: source, tag: 3)
      parts[random.next(below: 3)].add(
        time: time, phase: 1, target: target, source: source, tag: 3)
    }
    var forward = Fingerprint()
    for part in parts { forward.combine(part) }
    var backward = Fingerprint()
    for part in parts.reversed() { backward.combine(part) }
    #expect(forward == whole && backward == whole && whole != Fingerprint())
  }

  @Test func `the hashes of single events differ and spread over all bits`() {
    var seen: Set<UInt64> = []
    var count = 0
    var ones = [Int](repeating: 0, count: 64)
    for time in 0..<40 {
      for phase in 0..<3 {
        for target in 0..<15 {
          for source in 0..<15 {
            for tag in 0..<8 {
              var hash = Fingerprint()
              hash.add(
                time: Int64(time) * 1_000_000, phase: UInt64(phase), target: UInt32(target),
                source: UInt32(source), tag: UInt32(tag))
              seen.insert(hash.value)
              count += 1
              for bit in 0..<64 { ones[bit] += Int(hash.value >> UInt64(bit) & 1) }
            }
          }
        }
      }
    }
    // 216,000 events: the chance of one coincidence of 64 random bits is 1.3e-9.
    #expect(count == 216_000 && seen.count == count)
    // A fair bit is set in half of them with a standard error of √n/2 = 232; within 5 of them,
    // because 64 bits are looked at.
    for bit in 0..<64 { #expect(abs(ones[bit] - count / 2) < 5 * 232, "bit \(bit): \(ones[bit])") }
  }
}
