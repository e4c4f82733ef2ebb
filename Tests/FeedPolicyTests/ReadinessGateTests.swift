import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func item(_ index: UInt32) -> ItemID { ItemID(index) }

/// A gate at item 0, which plays, with the given items ready at generation 1.
private func gate(
  _ configuration: ReadinessGate.Configuration = .init(), ready: [UInt32] = [],
  preparing: [UInt32] = []
) -> ReadinessGate {
  var gate = ReadinessGate(configuration)
  for index in [0] + ready + preparing {
    _ = commands(of: .preparing(item(index), generation: 1), from: &gate)
  }
  for index in [0] + ready {
    _ = commands(of: .becameReady(item(index), generation: 1), from: &gate)
  }
  _ = commands(of: .jumped(to: item(0)), from: &gate)
  return gate
}

struct `Readiness gate` {
  /// Covers: REEL-005, REEL-018, REEL-027.
  @Test func `the first item is covered until it is ready`() {
    var gate = ReadinessGate(.init())
    #expect(
      commands(of: .jumped(to: item(0)), from: &gate) == [
        .activate(item(0)), .showPlaceholder(item(0)),
      ])
    #expect(commands(of: .preparing(item(0), generation: 4), from: &gate) == [])
    #expect(commands(of: .becameReady(item(0), generation: 3), from: &gate) == [])
    #expect(gate.staleReadiness == 1)
    #expect(
      commands(of: .becameReady(item(0), generation: 4), from: &gate) == [.play(item(0))])
    #expect(commands(of: .becameReady(item(0), generation: 4), from: &gate) == [])
    #expect(gate.ignored == 1)
  }

  /// Covers: REEL-003.
  @Test func `a jump ends at the last ready item of its way`() {
    typealias Row = (ready: [UInt32], target: UInt32, answer: [ReadinessGate.Command])
    let rows: [Row] = [
      ([1], 1, [.pause(item(0)), .activate(item(1)), .play(item(1))]),
      ([], 1, [.snapBack(to: item(0), from: item(1))]),
      ([1, 2], 2, [.pause(item(0)), .activate(item(2)), .play(item(2))]),
      (
        [1, 3], 3,
        [
          .pause(item(0)), .activate(item(1)), .play(item(1)),
          .snapBack(to: item(1), from: item(3)),
        ]
      ),
      ([2], 2, [.snapBack(to: item(0), from: item(2))]),
      ([], 0, []),
    ]
    for row in rows {
      var gate = gate(ready: row.ready)
      #expect(
        commands(of: .jumped(to: item(row.target)), from: &gate) == row.answer, "\(row)")
    }
  }

  /// Covers: REEL-002, REEL-004.
  @Test func `snaps at one item are bounded, and then the jump escapes`() {
    var gate = gate(.init(attempts: 2, timeout: .max), preparing: [1])
    for _ in 0..<2 {
      #expect(
        commands(of: .jumped(to: item(1)), from: &gate) == [
          .snapBack(to: item(0), from: item(1))
        ])
    }
    #expect(
      commands(of: .jumped(to: item(1)), from: &gate) == [
        .pause(item(0)), .activate(item(1)), .showPlaceholder(item(1)),
      ])
    #expect(gate.snapBacks == 2)
    #expect(gate.escapes == 1)
    #expect(gate.blocked == nil)
  }

  /// Covers: REEL-004.
  @Test func `the timeout opens the gate for the next jump`() {
    for (later, escapes) in [(1999, 0), (2000, 1)] as [(Int64, Int)] {
      var gate = gate(.init(attempts: .max), preparing: [1])
      _ = commands(of: .jumped(to: item(1)), at: 0, from: &gate)
      _ = commands(of: .jumped(to: item(1)), at: later, from: &gate)
      #expect(gate.escapes == escapes, "after \(later) ms")
    }
    // A gate without an escape holds for ever.
    var closed = gate(.init(attempts: .max, timeout: .max), preparing: [1])
    for second in 0..<100 as Range<Int64> {
      _ = commands(of: .jumped(to: item(1)), at: second * 1000, from: &closed)
    }
    #expect(closed.snapBacks == 100)
    #expect(closed.active == item(0))
  }

  /// Covers: REEL-004.
  @Test func `a skip goes to the nearest ready item beyond`() {
    for (ready, reached) in [([3, 2], 2), ([], 1)] as [([UInt32], UInt32)] {
      var gate = gate(.init(attempts: 1, escape: .skip), ready: ready, preparing: [1])
      _ = commands(of: .jumped(to: item(1)), from: &gate)
      _ = commands(of: .jumped(to: item(1)), from: &gate)
      #expect(gate.active == item(reached))
    }
  }

  @Test func `without a gate every jump reaches its target and may be covered`() {
    var gate = gate(.init(rule: .off), preparing: [1])
    #expect(
      commands(of: .jumped(to: item(1)), from: &gate) == [
        .pause(item(0)), .activate(item(1)), .showPlaceholder(item(1)),
      ])
    #expect(gate.covers == 1)
    #expect(commands(of: .becameReady(item(1), generation: 1), from: &gate) == [.play(item(1))])
  }

  /// Covers: REEL-018, REEL-019.
  @Test func `of two readiness reports after A, B, A only the active item plays`() {
    var gate = ReadinessGate(.init(rule: .off))
    for (index, generation) in [(0, 1), (1, 1), (0, 2)] as [(UInt32, UInt32)] {
      _ = commands(of: .preparing(item(index), generation: generation), from: &gate)
      _ = commands(of: .jumped(to: item(index)), from: &gate)
    }
    #expect(commands(of: .becameReady(item(1), generation: 1), from: &gate) == [])
    #expect(commands(of: .becameReady(item(0), generation: 1), from: &gate) == [])
    #expect(commands(of: .becameReady(item(0), generation: 2), from: &gate) == [.play(item(0))])
    #expect(gate.playing == item(0))
  }

  @Test func `the active item that loses its player is paused and covered`() {
    var gate = gate()
    #expect(
      commands(of: .dropped(item(0), generation: 1), from: &gate) == [
        .pause(item(0)), .showPlaceholder(item(0)),
      ])
    #expect(commands(of: .dropped(item(0), generation: 1), from: &gate) == [])
    #expect(gate.playing == nil)
  }

  /// Covers: REEL-003, REEL-027.
  @Test func `the gate knows as many items as the pool has players`() {
    for limit in [16, 40] {
      var gate = ReadinessGate(.init(recordLimit: limit))
      _ = commands(of: .jumped(to: item(0)), from: &gate)
      for index in 0..<40 as Range<UInt32> {
        _ = commands(of: .preparing(item(index), generation: 1), from: &gate)
        _ = commands(of: .becameReady(item(index), generation: 1), from: &gate)
      }
      let list = commands(of: .jumped(to: item(39)), from: &gate)
      #expect(list.contains(.activate(item(UInt32(limit) - 1))))
    }
  }
}

private func gateLog(_ seed: UInt64, length: Int) -> [(now: Instant, event: ReadinessGate.Event)] {
  var generator = SeededGenerator(seed)
  var log: [(now: Instant, event: ReadinessGate.Event)] = []
  var generations = [UInt32](repeating: 0, count: 40)
  var position = 0
  var now = Int64(0)
  for _ in 0..<length {
    now += Int64(generator.below(800)) * 1_000_000
    let other = max(0, min(39, position + generator.below(9) - 4))
    // Present generations mostly, older ones and wrong ones, too.
    let generation =
      generator.once(in: 4) ? UInt32(generator.below(6)) : generations[other]
    let event: ReadinessGate.Event
    switch generator.below(10) {
    case 0...2:
      position = max(0, min(39, position + generator.below(7) - 2))
      event = .jumped(to: item(UInt32(position)))
    case 3...4:
      generations[other] += 1
      event = .preparing(item(UInt32(other)), generation: generations[other])
    case 5: event = .dropped(item(UInt32(other)), generation: generation)
    case 6: event = .preparing(item(UInt32(other)), generation: generation)
    default: event = .becameReady(item(UInt32(other)), generation: generation)
    }
    log.append((Instant(nanoseconds: now), event))
  }
  return log
}

struct `Readiness gate properties` {
  static let configurations: [ReadinessGate.Configuration] = [
    .init(), .init(rule: .off), .init(attempts: .max, timeout: .max), .init(attempts: 0),
    .init(attempts: 1, escape: .skip), .init(attempts: 5, timeout: .milliseconds(500)),
  ]

  /// 48 · 2500 = 120,000 steps. Covers: REEL-003, REEL-004, REEL-018, REEL-019, REEL-027.
  @Test(arguments: Array(0..<48 as Range<UInt64>))
  func `any order of events shows at most one item, and that one is active and ready`(
    seed: UInt64
  ) {
    let configuration = Self.configurations[Int(seed) % Self.configurations.count]
    var gate = ReadinessGate(configuration)
    var active: ItemID?
    var playing: ItemID?
    var snaps: [ItemID: Int] = [:]
    for (now, event) in gateLog(seed, length: 2500) {
      let wasReady = gate
      var list: [ReadinessGate.Command] = []
      gate.handle(event, at: now, into: &list)
      let escaped = gate.escapes > wasReady.escapes
      for command in list {
        switch command {
        case .pause(let old):
          #expect(playing == old, "seed \(seed)")
          playing = nil
        case .activate(let new):
          #expect(playing == nil, "seed \(seed)")
          if configuration.rule == .gate && active != nil && !escaped {
            #expect(gate.isReady(new), "seed \(seed): a jump to an item that is not ready")
          }
          active = new
        case .play(let new):
          #expect(playing == nil && active == new && gate.isReady(new), "seed \(seed)")
          playing = new
        case .showPlaceholder(let covered):
          #expect(covered == active && !gate.isReady(covered), "seed \(seed)")
        case .snapBack(let to, let from):
          #expect(configuration.rule == .gate && to == active && to != from, "seed \(seed)")
        }
      }
      #expect(gate.active == active && gate.playing == playing, "seed \(seed)")
      if let active, gate.isReady(active) { #expect(playing == active, "seed \(seed)") }
      let blocked = gate.blocked
      if let blocked, gate.snapBacks + gate.shortened > wasReady.snapBacks + wasReady.shortened {
        snaps = [blocked: wasReady.blocked == blocked ? (snaps[blocked] ?? 0) + 1 : 1]
        #expect(snaps[blocked]! <= configuration.attempts, "seed \(seed): too many snaps")
      }
    }
    #expect(gate.staleReadiness > 0 && gate.ignored > 0)
  }

  @Test func `a recorded log gives the same commands again`() {
    let runs = replayed(gateLog(3, length: 2000), .init(), of: ReadinessGate.self)
    #expect(runs.separate == runs.reused)
    #expect(runs.separate == runs.copied)
  }
}
