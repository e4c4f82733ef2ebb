import Models

/// The rows of one trace before its end and start are chosen.
struct TraceRows {
  /// The name inside the file; nil when the file is the trace.
  var name: String?
  /// Starts of the steps, nanoseconds, increasing from 0.
  private(set) var starts: [Int64] = []
  /// Bits per second.
  private(set) var rates: [Double] = []
  /// Bits per second, as many as ``starts``, or none.
  var uplinks: [Double] = []
  /// Milliseconds, as many as ``starts``, or none.
  var roundTrips: [Double] = []
  /// Loss probabilities, as many as ``starts``, or none.
  var losses: [Double] = []
  /// Where the last step ends, nanoseconds.
  private(set) var end: Int64 = 0
  /// Where a session begins that starts at 0.
  var origin: Int64 = 0

  init(name: String? = nil) { self.name = name }

  /// Adds a step after the last one; of no length, it is left out.
  mutating func append(_ rate: Double, for length: Int64) {
    precondition(length >= 0, "steps have a length")
    if length == 0 { return }
    starts.append(end)
    rates.append(rate)
    end += length
  }

  /// A column as a step function: begins at `start`, nanoseconds in 0 ..< ``end``, and ends as
  /// said.
  ///
  /// Equal neighbours become one step.
  func steps(_ values: [Double], from start: Int64, end rule: TraceEnd) -> RateTrace {
    precondition(values.count == starts.count && start >= 0 && start < end, "steps to choose")
    var first = 0
    while first + 1 < starts.count && starts[first + 1] <= start { first += 1 }
    var times: [Int64] = []
    var column: [Double] = []
    func append(_ value: Double, at time: Int64) {
      if let last = column.last, last == value { return }
      times.append(time)
      column.append(value)
    }
    append(values[first], at: 0)
    for index in (first + 1)..<max(starts.count, first + 1) {
      append(values[index], at: starts[index] - start)
    }
    switch rule {
    case .hold: return RateTrace(starts: times, rates: column, end: .hold)
    case .silence: return RateTrace(starts: times, rates: column, end: .silence(at: end - start))
    case .loop:
      for index in 0...first where starts[index] < start {
        append(values[index], at: end - start + starts[index])
      }
      return RateTrace(starts: times, rates: column, end: .loop(period: end))
    }
  }
}

/// Seconds and milliseconds as whole nanoseconds.
enum TraceTime {
  static func seconds(_ value: Double) -> Int64 { Int64((value * 1e9).rounded()) }
  static func milliseconds(_ value: Double) -> Int64 { Int64((value * 1e6).rounded()) }
}
