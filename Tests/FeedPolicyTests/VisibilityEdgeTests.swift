import FeedPolicy
import MediaUnits
import Testing

private typealias Machine = VisibilityMachine
private typealias Command = VisibilityMachine.Command

private func item(_ index: UInt32) -> ItemID { ItemID(index) }

/// A machine with Shorts of 0.8 viewports in a row of widgets, token 1 each.
private func machine(_ configuration: Machine.Configuration, cards: UInt32 = 1) -> Machine {
  var machine = Machine(configuration)
  for index in 0..<cards {
    _ = commands(
      of: .bound(item(index), token: 1, widget: WidgetID(index), kind: .short, extent: 0.8),
      from: &machine)
  }
  return machine
}

/// What follows from a share of card 0 at the end of a frame at rest.
private func see(_ fraction: Double, _ machine: inout Machine) -> [Command] {
  commands(of: .seen(item(0), token: 1, CardSight(fraction: fraction, offset: 0)), from: &machine)
    + commands(of: .settled, from: &machine)
}

struct `Visibility at its limits` {
  /// Covers: VF-032, VF-033, VF-035, VF-036.
  @Test func `a share exactly at a threshold has reached it`() {
    var machine = machine(.init(prefetchRange: 0))
    #expect(see(0.01.nextDown, &machine).filter { $0 == .mount(item(0), token: 1, mount: 1) } == [])
    #expect(see(0.01, &machine) == [.mount(item(0), token: 1, mount: 1)])
    #expect(see(0.2.nextDown, &machine) == [])
    #expect(see(0.2, &machine) == [.play(item(0), token: 1)])
    #expect(see(0.5, &machine) == [])
    #expect(machine.state(of: item(0)) == .active(since: .zero))
    #expect(see(0.2, &machine) == [])
    #expect(machine.state(of: item(0)) == .leaving(since: .zero))
    #expect(see(0.2.nextDown, &machine) == [.pause(item(0), token: 1)])
    #expect(see(0.001, &machine) == [])
    #expect(see(0, &machine).contains(.unmount(item(0), token: 1)))
  }

  /// Covers: VF-028.
  @Test func `on a low-end device not even a rotation plays by itself`() {
    var machine = machine(.init(sequence: .init(reading: .rotating), isLowEnd: true))
    _ = see(1, &machine)
    #expect(
      commands(of: .tapped(item(0), token: 1), from: &machine).contains(.play(item(0), token: 1)))
    #expect(
      commands(of: .mediaEnded(item(0), token: 1, mount: 1), from: &machine) == [
        .pause(item(0), token: 1)
      ])
    #expect(see(1, &machine) == [])
    #expect(commands(of: .tapped(item(0), token: 1), from: &machine) == [.play(item(0), token: 1)])
  }

  /// Covers: VF-038, OQ-08.
  @Test(arguments: [1.0, -1])
  func `of two cards that are half visible the one that comes in has the longer dwell`(
    velocity: Double
  ) {
    var machine = machine(.init(model: .projectedDwell(.milliseconds(700))), cards: 2)
    // Upper and lower card; the list moves on for a long time.
    for (index, offset) in [(0, -0.45), (1, 0.45)] as [(UInt32, Double)] {
      _ = commands(
        of: .seen(item(index), token: 1, CardSight(offset: offset, extent: 0.8)), from: &machine)
    }
    let found = commands(of: .scrolled(velocity: velocity, travel: 9 * velocity), from: &machine)
    #expect(found.contains(.play(item(velocity > 0 ? 1 : 0), token: 1)))
    #expect(machine.playing == 1)
    #expect(machine.state(of: item(velocity > 0 ? 0 : 1)) == .mounted)
  }

  /// Covers: VF-019.
  @Test func `each threshold is a crossing in both directions, and what lies between is none`() {
    let thresholds = VisibilityThresholds(mount: 0.01, enter: 0.4, leave: 0.2, release: 0.6)
    func isCrossed(_ a: Double, _ b: Double) -> Bool {
      thresholds.isCrossed(
        from: CardSight(fraction: a, offset: 0), to: CardSight(fraction: b, offset: 0), extent: 0.8,
        prefetchRange: 1)
    }
    for threshold in [0.01, 0.2, 0.4, 0.6] {
      #expect(isCrossed(threshold.nextDown, threshold))
      #expect(isCrossed(threshold, threshold.nextDown))
      #expect(!isCrossed(threshold, threshold + 0.005))
    }
    #expect(isCrossed(0, .leastNonzeroMagnitude))
  }

  /// Covers: VF-044.
  @Test func `a widget that has played waits behind one that has not`() {
    func candidate(_ index: UInt32, plays: UInt32) -> PlayRules.Candidate {
      PlayRules.Candidate(item: item(index), widget: WidgetID(index), kind: .short, plays: plays)
    }
    var chosen: [ItemID] = []
    PlayRules().choose([candidate(1, plays: 1), candidate(2, plays: 0)], into: &chosen)
    #expect(chosen == [item(2)])
  }
}
