import FeedPolicy
import MediaUnits
import SimulationKernel

/// Tables as fields of a line, and back.
extension PolicyLine {
  /// A law: `1` and its value for a constant one, else `0` and all its knots.
  mutating func add(_ table: QuantileTable) {
    let (lower, upper) = table.sides
    let isConstant =
      lower[0] == lower[lower.count - 1] && upper[0] == upper[upper.count - 1]
    add(isConstant)
    add(bitsOf: table.mean)
    if isConstant {
      add(bitsOf: lower[0])
      return
    }
    add(bitsOf: table.maximumError)
    for value in lower { add(bitsOf: value) }
    for value in upper { add(bitsOf: value) }
  }

  mutating func add(_ table: AliasTable) {
    let (thresholds, aliases) = table.columns
    add(thresholds.count)
    for place in thresholds.indices {
      add(thresholds[place])
      add(aliases[place])
    }
  }

  /// An optional time: -1 for none, which no such time is.
  mutating func add(optional span: TimeSpan?) { add(span ?? .nanoseconds(-1)) }
}

extension PolicyFields {
  mutating func table() -> QuantileTable? {
    guard let isConstant = flag(), let mean = double() else { return nil }
    if isConstant {
      guard let value = double() else { return nil }
      return QuantileTable(constant: value)
    }
    guard let error = double(), let lower = side(), let upper = side(), lower[0] == upper[0],
      PolicyFields.descends(lower), PolicyFields.descends(upper.map { -$0 })
    else { return nil }
    return QuantileTable(lower: lower, upper: upper, maximumError: error, mean: mean)
  }

  private mutating func side() -> [Double]? {
    var values: [Double] = []
    values.reserveCapacity(QuantileTable.knots)
    for _ in 0..<QuantileTable.knots {
      guard let value = double(), value == value else { return nil }
      values.append(value)
    }
    return values
  }

  private static func descends(_ values: [Double]) -> Bool {
    for index in 1..<values.count where values[index] > values[index - 1] { return false }
    return true
  }

  mutating func aliases() -> AliasTable? {
    guard let count = count(), count >= 1, count <= 1 << 26 else { return nil }
    var thresholds: [UInt32] = []
    var aliases: [UInt32] = []
    for _ in 0..<count {
      guard let threshold = unsigned(), let alias = unsigned(), Int(alias) < count
      else { return nil }
      thresholds.append(threshold)
      aliases.append(alias)
    }
    return AliasTable(thresholds: thresholds, aliases: aliases)
  }

  /// A time; the outer nil is none that can be read, the inner one is none.
  mutating func optionalSpan() -> TimeSpan?? {
    guard let span = span() else { return nil }
    return span < .zero ? .some(nil) : .some(span)
  }

  mutating func amount() -> Int64? {
    guard let value = number(), value >= 0 else { return nil }
    return value
  }

  mutating func rate() -> BitRate? { amount().map { BitRate(bitsPerSecond: $0) } }
}
