import Scenario
import SimulationKernel

/// Values of which a fit needs no more than so many: when there are more, every second is left out,
/// again and again, by a hash of its number.
///
/// What is kept depends on the values' order alone. All kinds of values are thinned alike, so that
/// shares stay what they are.
public struct ThinnedSample: Sendable {
  enum Kind: UInt8 {
    case seen
    case censored
  }

  /// The most values that are kept.
  public static let limit = 1 << 18

  private var values: [Double] = []
  private var kinds: [UInt8] = []
  private var keys: [UInt32] = []
  /// How many there were.
  public private(set) var count = 0
  /// One of 2 to this power is kept.
  public private(set) var halvings = 0

  public init() {}

  /// How many are kept.
  public var keptCount: Int { values.count }

  public mutating func add(_ value: Double, isCensored: Bool = false) {
    let key = UInt32(truncatingIfNeeded: SplitMix.hash(UInt64(count)) >> 32)
    count += 1
    if key.leadingZeroBitCount < halvings { return }
    values.append(value)
    kinds.append((isCensored ? Kind.censored : .seen).rawValue)
    keys.append(key)
    if values.count > ThinnedSample.limit { halve() }
  }

  private mutating func halve() {
    halvings += 1
    var kept = 0
    for index in values.indices where keys[index].leadingZeroBitCount >= halvings {
      (values[kept], kinds[kept], keys[kept]) = (values[index], kinds[index], keys[index])
      kept += 1
    }
    values.removeLast(values.count - kept)
    kinds.removeLast(kinds.count - kept)
    keys.removeLast(keys.count - kept)
  }

  /// The values as fits take them.
  public var times: TelemetryData.Times {
    var times = TelemetryData.Times()
    for (value, kind) in zip(values, kinds) {
      times.add(value, isCensored: kind == Kind.censored.rawValue)
    }
    return times
  }

  /// The values that were seen.
  public var seen: [Double] {
    zip(values, kinds).filter { $0.1 == Kind.seen.rawValue }.map(\.0)
  }

  /// Quantiles of those that were seen, by nearest rank; empty without any.
  public func quantiles(_ probabilities: [Double]) -> [Double] {
    let sorted = seen.sorted()
    if sorted.isEmpty { return [] }
    return probabilities.map { probability in
      let rank = (probability * Double(sorted.count)).rounded(.up)
      return sorted[max(0, min(sorted.count, Int(rank)) - 1)]
    }
  }

  /// The middle one of those that were seen; nil without any.
  public var median: Double? {
    let sorted = seen.sorted()
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }

  /// What a note says where values were left out; nil where none was.
  func note(_ name: String) -> String? {
    if halvings == 0 { return nil }
    return "\(name): \(values.count) of \(count) values are kept, by a hash of their number"
  }
}
