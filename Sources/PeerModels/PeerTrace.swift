/// A throughput trace as the programs Pensieve and MM22 hold it: row i carries its rate over the
/// time from row i-1 to row i, so the rate of row 0 is never used.
public struct PeerTrace: Hashable, Sendable {
  /// The times of the rows in seconds, never falling.
  public let times: [Double]
  /// The rates of the rows in bytes per second.
  let rates: [Double]

  /// The share of the link that carries payload; the rest is headers (both programs' constant).
  public static let payloadShare = 0.95

  /// A trace of rows (seconds, Mbit/s) as they stand in a file.
  /// - Precondition: as many rates as times, and ``isUsable(times:megabits:)``.
  public init(times: [Double], megabits: [Double]) {
    precondition(PeerTrace.isUsable(times: times, megabits: megabits), "the trace carries nothing")
    self.times = times
    rates = megabits.map { $0 * 1e6 / 8 }
  }

  /// Whether every download over these rows ends: finite rows in order, no negative rate, and one
  /// turn of the trace that carries something.
  public static func isUsable(times: [Double], megabits: [Double]) -> Bool {
    if times.count < 2 || times.count != megabits.count { return false }
    var before = 0.0
    for (time, rate) in zip(times, megabits) {
      if !(time >= before && time <= 1e12 && rate >= 0 && rate <= 1e12) { return false }
      before = time
    }
    return bytesPerTurn(times: times, megabits: megabits) > 0
  }

  /// What one turn carries from time 0 to the last row, in bytes of payload.
  /// - Precondition: as many rates as times.
  public static func bytesPerTurn(times: [Double], megabits: [Double]) -> Double {
    var bytes = 0.0
    var before = 0.0
    for row in times.indices.dropFirst() {
      bytes += megabits[row] * 1e6 / 8 * (times[row] - before) * payloadShare
      before = times[row]
    }
    return bytes
  }
}

/// Where a session stands in a ``PeerTrace``, and the two ways in which time passes there.
///
/// Both programs step row by row with the same sums; the order of the operations is kept, so the
/// results agree to the last bits.
struct PeerTraceWalk {
  /// The row whose rate holds now.
  private var row = 1
  /// The time within the trace, in seconds.
  private var now: Double

  /// At the start of a session: row 1, at the time of row 0.
  init(_ trace: PeerTrace) { now = trace.times[0] }

  /// Carries `bytes` and returns how long that took, in seconds.
  mutating func download(_ bytes: Double, over trace: PeerTrace) -> Double {
    var elapsed = 0.0
    var sent = 0.0
    while true {
      let rate = trace.rates[row]
      let span = trace.times[row] - now
      let payload = rate * span * PeerTrace.payloadShare
      if sent + payload > bytes {
        let rest = (bytes - sent) / rate / PeerTrace.payloadShare
        now += rest
        return elapsed + rest
      }
      sent += payload
      elapsed += span
      nextRow(of: trace)
    }
  }

  /// Lets `milliseconds` pass without a download.
  mutating func pass(_ milliseconds: Double, over trace: PeerTrace) {
    var rest = milliseconds
    while true {
      let span = trace.times[row] - now
      if span > rest / 1_000 {
        now += rest / 1_000
        return
      }
      rest -= span * 1_000
      nextRow(of: trace)
    }
  }

  /// Past the last row the trace starts again with row 1, at time 0 whatever the time of row 0.
  private mutating func nextRow(of trace: PeerTrace) {
    now = trace.times[row]
    row += 1
    if row == trace.times.count {
      row = 1
      now = 0
    }
  }
}

/// The newest few throughput samples, oldest first.
struct RecentSamples {
  /// How many are kept: 5, as in both programs.
  static let limit = 5
  private var samples: [Double] = []

  init() { samples.reserveCapacity(RecentSamples.limit) }

  /// The newest sample.
  var last: Double? { samples.last }
  /// The largest sample.
  var largest: Double { samples.reduce(0) { max($0, $1) } }

  mutating func removeAll() { samples.removeAll(keepingCapacity: true) }

  mutating func append(_ sample: Double) {
    if samples.count == RecentSamples.limit { samples.removeFirst() }
    samples.append(sample)
  }

  /// The harmonic mean, summed from the oldest; nil without samples.
  var harmonicMean: Double? {
    if samples.isEmpty { return nil }
    var sum = 0.0
    for sample in samples { sum += 1 / sample }
    return 1 / (sum / Double(samples.count))
  }
}
