import FeedPolicy
import MediaUnits

/// Snapshots made up at random, as a rule that chooses renditions may meet them.
struct BitrateRehearsal {
  private var draws: RehearsalDraws

  init(seed: UInt64) { draws = RehearsalDraws(seed: seed) }

  /// A ladder of 1 to 8 rungs.
  mutating func ladder() -> Ladder {
    var rates: [BitRate] = []
    var rate: Int64 = 100_000
    for _ in 0...draws.below(8) {
      rate += Int64(50_000 + draws.below(1_500_000))
      rates.append(BitRate(bitsPerSecond: rate))
    }
    return Ladder(rates)
  }

  /// What it looks at; estimates and buffers out of the ordinary among them.
  mutating func snapshot(_ ladder: Ladder) -> BitrateSnapshot {
    let rates: [Int64] = [
      0, 1, 64_000, Int64(draws.below(30_000_000)), Int64(draws.below(5_000_000)), .max / 4,
    ]
    let spans: [TimeSpan] = [
      .zero, .milliseconds(Int64(draws.below(60_000))), .milliseconds(Int64(draws.below(4_000))),
      .days(30),
    ]
    return BitrateSnapshot(
      estimate: draws.below(5) == 0 ? nil : BitRate(bitsPerSecond: rates[draws.below(rates.count)]),
      bufferAhead: spans[draws.below(spans.count)],
      current: draws.below(4) == 0 ? nil : RungIndex(UInt32(draws.below(ladder.count))),
      cap: draws.below(3) == 0 ? BitRate(bitsPerSecond: Int64(draws.below(4_000_000))) : nil,
      segmentDuration: .milliseconds(Int64(500 + draws.below(6_000))),
      remaining: draws.below(4) == 0 ? nil : spans[draws.below(spans.count)])
  }

  /// What a rule answers to a thousand of them.
  static func answers(of rule: (BitrateSnapshot, Ladder) -> RungIndex) -> [UInt8] {
    var rehearsal = BitrateRehearsal(seed: 0)
    return (0..<1000).map { _ in
      let ladder = rehearsal.ladder()
      return UInt8(clamping: rule(rehearsal.snapshot(ladder), ladder).index)
    }
  }
}

/// Asks a rule that chooses renditions of snapshots at random, and says what it must not do. A rule
/// that traps ends the test.
public struct BitrateConformance: Sendable {
  /// What a rule must not do.
  public enum Rule: String, Sendable, CaseIterable {
    /// The rung is one of the ladder.
    case onLadder = "the rung is on the ladder"
    /// It is not above the cap, unless the lowest one is.
    case belowCap = "the rung is below the cap"
    /// The same snapshot has the same rung: no clock, no random numbers, no memory.
    case same = "the same snapshot is answered the same"
  }

  /// A rule that is broken, and where.
  public struct Finding: Sendable, CustomStringConvertible {
    public let rule: Rule
    /// The number of the snapshot.
    public let snapshot: Int
    /// What was expected and what came.
    public let text: String

    public var description: String { "\(rule.rawValue): \(text) (snapshot \(snapshot))" }
  }

  private let snapshots: Int

  /// - Parameter snapshots: how many it is asked of.
  public init(snapshots: Int = 10_000) {
    precondition(snapshots > 0, "snapshots are positive")
    self.snapshots = snapshots
  }

  /// Asks for all of them.
  ///
  /// - Returns: the first finding of each rule that is broken; none where all hold.
  public func findings(of rule: (BitrateSnapshot, Ladder) -> RungIndex) -> [Finding] {
    var found: [Finding] = []
    var asked: [(BitrateSnapshot, Ladder, RungIndex)] = []
    func add(_ broken: Rule, _ snapshot: Int, _ text: String) {
      if found.contains(where: { $0.rule == broken }) { return }
      found.append(Finding(rule: broken, snapshot: snapshot, text: text))
    }
    var rehearsal = BitrateRehearsal(seed: 1)
    for number in 0..<snapshots {
      let ladder = rehearsal.ladder()
      let snapshot = rehearsal.snapshot(ladder)
      let rung = rule(snapshot, ladder)
      asked.append((snapshot, ladder, rung))
      let ceiling = snapshot.ceiling(in: ladder)
      if rung > ladder.top {
        add(.onLadder, number, "expected a rung from 0 to \(ladder.top.index), got \(rung.index)")
      } else if rung > ceiling {
        add(.belowCap, number, "expected at most rung \(ceiling.index), got \(rung.index)")
      }
    }
    // In the other order, which a memory would show.
    for (number, (snapshot, ladder, rung)) in asked.enumerated().reversed() {
      let again = rule(snapshot, ladder)
      if again != rung {
        add(.same, number, "expected rung \(rung.index) again, got \(again.index)")
        break
      }
    }
    return Rule.allCases.compactMap { rule in found.first { $0.rule == rule } }
  }
}
