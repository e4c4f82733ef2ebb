/// Positive values of which some are known only to be larger than what was seen (right-censored),
/// grouped finely enough that a fit does not notice.
///
/// A group is a stretch of 1/256 of an octave, and stands for the mean of its values: sums of logs
/// are off by less than one part in a million, and everything after the sort costs the same for a
/// thousand values as for a million. Censored values, which only survival is asked of, are grouped
/// to 1/32 of an octave.
public struct CensoredSample: Sendable, Equatable {
  /// Values of one group.
  struct Row: Sendable, Equatable {
    /// The mean of the group's values.
    var value: Double
    var count: Double
    /// The group's ends.
    var lower: Double
    var upper: Double
  }

  /// What was seen to end, ascending.
  let events: [Row]
  /// What was not, ascending.
  let censored: [Row]
  /// Values, those censored among them.
  public let count: Int
  public let censoredCount: Int
  /// The least value that was seen to end.
  public let least: Double
  /// Whether all that was seen to end is one value.
  public let isConstant: Bool

  public var eventCount: Int { count - censoredCount }

  /// - Parameters:
  ///   - events: values, above 0.
  ///   - censored: values of which only this much is known that they are larger, above 0.
  /// - Throws: `statistics.no-data` without events; `statistics.data` for a value that is not
  ///   finite and above 0.
  public init(events: [Double], censored: [Double] = []) throws(StatisticsError) {
    for value in events where !(value > 0 && value.isFinite) {
      throw .data("finite values above 0", got: format(value))
    }
    for value in censored where !(value > 0 && value.isFinite) {
      throw .data("finite censored values above 0", got: format(value))
    }
    if events.isEmpty { throw .noData("at least 1 value", got: 0) }
    let sorted = events.sorted()
    self.events = CensoredSample.rows(sorted, bits: 8)
    self.censored = CensoredSample.rows(censored.sorted(), bits: 5)
    count = events.count + censored.count
    censoredCount = censored.count
    least = sorted[0]
    isConstant = sorted[0] == sorted[sorted.count - 1]
  }

  /// The same groups with other counts.
  init(_ source: CensoredSample, events: [Double], censored: [Double]) {
    self.events = zip(source.events, events).map { row, count in
      Row(value: row.value, count: count, lower: row.lower, upper: row.upper)
    }
    self.censored = zip(source.censored, censored).map { row, count in
      Row(value: row.value, count: count, lower: row.lower, upper: row.upper)
    }
    let (gone, cut) = (events.reduce(0, +), censored.reduce(0, +))
    count = Int(gone + cut)
    censoredCount = Int(cut)
    least = self.events.first { $0.count > 0 }?.value ?? source.least
    isConstant = self.events.count { $0.count > 0 } < 2
  }

  private static func rows(_ sorted: [Double], bits: UInt64) -> [Row] {
    var rows: [Row] = []
    var index = 0
    while index < sorted.count {
      let key = sorted[index].bitPattern >> (52 - bits)
      let upper = Double(bitPattern: (key + 1) << (52 - bits))
      var sum = CompensatedSum()
      let start = index
      while index < sorted.count && sorted[index] < upper {
        sum.add(sorted[index])
        index += 1
      }
      let count = Double(index - start)
      rows.append(
        Row(
          value: sum.value / count, count: count, lower: Double(bitPattern: key << (52 - bits)),
          upper: upper))
    }
    return rows
  }
}
