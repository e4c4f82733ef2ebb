import AudienceModel
import MediaUnits
import ModelBasics

/// How long after a view's first request those for each offset of ``ObjectLayout`` follow, in bins
/// of a quarter of an octave: of what is new, the earliest ones tell who comes first.
public struct RequestDelays: Sendable, Equatable {
  /// The first bin holds what comes at once, the second ends at 1/8 s, those after it each a
  /// quarter of an octave later, the last one holds what is longer than ``longest``.
  private static let bins = 47
  /// Nothing is told apart that comes later, seconds.
  public static let longest = 256.0

  /// Empty until something is counted, as in all runs but pilots.
  private var counts: [Int64] = []
  private var sums: [Double] = []
  private var totals: [Int64] = []

  /// Where a bin ends, seconds.
  private static func end(_ bin: Int) -> Double {
    if bin == 0 { return 0 }
    let octave = Double(1 << ((bin - 1) / 4)) * 0.125
    switch (bin - 1) % 4 {
    case 0: return octave
    case 1: return octave * 1.189_207_115_002_721
    case 2: return octave * 1.414_213_562_373_095_1
    default: return octave * 1.681_792_830_507_429
    }
  }

  /// Counts one request.
  public mutating func add(_ offset: Int, _ delay: TimeSpan) {
    if totals.isEmpty {
      let offsets = Int(ObjectLayout.stride)
      counts = [Int64](repeating: 0, count: offsets * RequestDelays.bins)
      sums = [Double](repeating: 0, count: offsets)
      totals = [Int64](repeating: 0, count: offsets)
    }
    let seconds = delay.seconds
    var bin = 0
    while bin < RequestDelays.bins - 1 && seconds > RequestDelays.end(bin) { bin += 1 }
    counts[offset * RequestDelays.bins + bin] += 1
    sums[offset] += seconds
    totals[offset] += 1
  }

  /// Adds what another run has counted.
  mutating func add(_ other: RequestDelays) {
    Tally.add(other.counts, to: &counts)
    Tally.add(other.sums, to: &sums)
    Tally.add(other.totals, to: &totals)
  }

  /// The mean in seconds; zero where nothing was counted.
  public func mean(_ offset: Int) -> Double {
    totals.isEmpty || totals[offset] == 0 ? 0 : sums[offset] / Double(totals[offset])
  }

  /// The share of the requests that come within a time, linear within a bin; 1 where nothing was
  /// counted, and beyond the last bin.
  public func share(_ offset: Int, within seconds: Double) -> Double {
    let total = totals.isEmpty ? 0 : totals[offset]
    if total == 0 || seconds >= RequestDelays.end(RequestDelays.bins - 2) { return 1 }
    if seconds < 0 { return 0 }
    var before = counts[offset * RequestDelays.bins]
    var begin = 0.0
    var bin = 1
    while seconds > RequestDelays.end(bin) {
      before += counts[offset * RequestDelays.bins + bin]
      begin = RequestDelays.end(bin)
      bin += 1
    }
    let within = (seconds - begin) / (RequestDelays.end(bin) - begin)
    let count = Double(counts[offset * RequestDelays.bins + bin])
    return (Double(before) + count * within) / Double(total)
  }

  /// The time within which a share of the requests come, seconds; zero where nothing was counted.
  public func quantile(_ offset: Int, _ share: Double) -> Double {
    let total = totals.isEmpty ? 0 : totals[offset]
    if total == 0 { return 0 }
    var left = share * Double(total) - Double(counts[offset * RequestDelays.bins])
    if left < 0 { return 0 }
    var begin = 0.0
    for bin in 1..<RequestDelays.bins - 1 {
      let count = Double(counts[offset * RequestDelays.bins + bin])
      let end = RequestDelays.end(bin)
      if left < count { return begin + (end - begin) * left / count }
      left -= count
      begin = end
    }
    return begin
  }
}

extension RequestDelays {
  func write(to writer: inout WordWriter) {
    writer.add(sparse: counts)
    writer.add(sparse: sums)
    writer.add(sparse: totals)
  }

  init?(_ reader: inout WordReader) {
    let offsets = Int(ObjectLayout.stride)
    guard let counts = reader.integers(count: offsets * RequestDelays.bins),
      let sums = reader.doubles(count: offsets), let totals = reader.integers(count: offsets),
      counts.isEmpty == totals.isEmpty, sums.isEmpty == totals.isEmpty
    else { return nil }
    self.counts = counts
    self.sums = sums
    self.totals = totals
  }
}
