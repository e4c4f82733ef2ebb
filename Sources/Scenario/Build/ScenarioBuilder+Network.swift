import FeedPolicy
import MediaUnits
import Models
import SimulationKernel
import Statistics

/// Access networks and transport.
extension ScenarioBuilder {
  mutating func access(_ part: ResolvedTree) -> NetworkProfile {
    ScenarioTable.accessKinds.filled(
      NetworkProfile(
        sessionRate: QuantileTable(constant: 1e6), rateFactor: 1, roundTrip: .unread,
        queueLimit: .zero, lossRate: 0, uplinkRate: 0, nameLookup: .zero, promotion: .zero,
        radioIdle: .zero), from: part, by: &self)
  }

  /// Steps that are closer make a link that does nothing but change, nanoseconds.
  private static let leastStep: Int64 = 1_000_000

  /// A trace of a list of steps; nil when they contradict each other.
  mutating func steps(_ part: ResolvedTree) -> RateTrace? {
    let elements = part.elements("steps")
    let starts = elements.map { $0.time("at") }
    for (index, element) in elements.enumerated()
    where index > 0 && starts[index] - starts[index - 1] < ScenarioBuilder.leastStep {
      own.add(
        element.problem(at: "at", expected: "a time at least 1 ms after the one before it"))
    }
    if starts[0] != 0 {
      own.add(elements[0].problem(at: "at", expected: "0, the session's start"))
    }
    let length = part.time("length")
    let end = ScenarioTable.stepEnds.value(part, "end")
    if end == .hold && length != 0 {
      own.add(part.problem(at: "length", expected: "no length with end: hold"))
    }
    if end != .hold && length < starts[starts.count - 1] + ScenarioBuilder.leastStep {
      own.add(
        part.problem(at: "length", expected: "a time at least 1 ms after the last step's start"))
    }
    if elements.allSatisfy({ $0.bitRate("rate") == 0 }) {
      own.add(part.problem(at: "steps", expected: "a rate above 0 in at least one step"))
    }
    if !own.isEmpty { return nil }
    let last: RateTrace.End =
      switch end {
      case .loop: .loop(period: length)
      case .silence: .silence(at: length)
      case .hold: .hold
      }
    return RateTrace(
      starts: starts, rates: elements.map { Double($0.bitRate("rate")) }, end: last)
  }

  /// Values of the label `network`: names, or kinds.
  static func providerNames(_ tree: ResolvedTree) -> [String] {
    tree.elements("cdn.providers").map { $0.text("name") }
  }

  static func networkNames(_ tree: ResolvedTree) -> [String] {
    tree.elements("network.access").map { $0.optionalText("name") ?? $0.kind() }
  }
}
