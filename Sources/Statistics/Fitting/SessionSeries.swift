internal import CGSL

/// Logarithms of positive values that were seen at whole seconds of sessions, ascending in each.
///
/// Of a second with several values their mean stands for all: a law of seconds has one.
public struct SessionSeries: Sendable {
  /// Of each session, where its values begin; one more at the end.
  private(set) var starts = [0]
  private(set) var seconds: [Int64] = []
  private(set) var logs: [Double] = []

  public init() {}

  public var sessions: Int { starts.count - 1 }
  public var count: Int { logs.count }
  /// Steps from one value of a session to the next.
  public var steps: Int { count - sessions }

  /// Adds a session.
  /// - Parameter values: in any order; those that are not positive are left out.
  public mutating func add(_ values: [(second: Int64, value: Double)]) {
    let sorted = values.filter { $0.value > 0 && $0.value.isFinite }
      .sorted { ($0.second, $0.value) < ($1.second, $1.value) }
    if sorted.isEmpty { return }
    var place = 0
    while place < sorted.count {
      let second = sorted[place].second
      var (sum, count) = (0.0, 0.0)
      while place < sorted.count && sorted[place].second == second {
        sum += log(sorted[place].value)
        count += 1
        place += 1
      }
      seconds.append(second)
      logs.append(sum / count)
    }
    starts.append(logs.count)
  }

  /// Steps of at most so many seconds.
  public func steps(within limit: Int64) -> Int {
    var found = 0
    for session in 0..<sessions {
      for place in starts[session] + 1..<max(starts[session] + 1, starts[session + 1])
      where seconds[place] - seconds[place - 1] <= limit {
        found += 1
      }
    }
    return found
  }

  /// The middle one of the steps, seconds; nil without any.
  public var medianStep: Int64? {
    var found: [Int64] = []
    for session in 0..<sessions {
      for place in starts[session] + 1..<max(starts[session] + 1, starts[session + 1]) {
        found.append(seconds[place] - seconds[place - 1])
      }
    }
    return found.isEmpty ? nil : found.sorted()[found.count / 2]
  }

  /// Every session but those of one part of `parts`.
  func without(_ part: Int, of parts: Int) -> SessionSeries {
    var rest = SessionSeries()
    for session in 0..<sessions where session % parts != part {
      rest.seconds += seconds[starts[session]..<starts[session + 1]]
      rest.logs += logs[starts[session]..<starts[session + 1]]
      rest.starts.append(rest.logs.count)
    }
    return rest
  }

  /// The first values of every session.
  func shortened(to most: Int) -> SessionSeries {
    var rest = SessionSeries()
    for session in 0..<sessions {
      let end = min(starts[session + 1], starts[session] + most)
      rest.seconds += seconds[starts[session]..<end]
      rest.logs += logs[starts[session]..<end]
      rest.starts.append(rest.logs.count)
    }
    return rest
  }

  /// One of `step` sessions.
  func thinned(by step: Int) -> SessionSeries {
    var rest = SessionSeries()
    for session in stride(from: 0, to: sessions, by: step) {
      rest.seconds += seconds[starts[session]..<starts[session + 1]]
      rest.logs += logs[starts[session]..<starts[session + 1]]
      rest.starts.append(rest.logs.count)
    }
    return rest
  }
}
