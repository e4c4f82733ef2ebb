import FeedPolicy
import MediaUnits
import Models
import SimulationKernel
import Statistics

/// Access networks and transport.
extension ScenarioBuilder {
  mutating func access(_ part: ResolvedTree) -> NetworkProfile {
    let kind = part.kind()
    var profile = NetworkProfile(
      sessionRate: QuantileTable(constant: 1e6), rateFactor: part.real("rateFactor"),
      rateSigma: 0, rateCorrelation: 0, outageStart: 0, outageEnd: 1, outageRate: 1e6,
      roundTrip: tables.table(part, "roundTrip"), queueLimit: span(part, "queueLimit"),
      lossRate: part.ratio("loss"), uplinkRate: Double(part.bitRate("uplink")),
      nameLookup: span(part, "nameLookup"), promotion: span(part, "promotion"),
      radioIdle: span(part, "radioIdle"))
    profile.lossBurst = part.real("lossBurst")
    switch kind {
    case "constant",
      _ where LinkPresets.named(kind) != nil:
      profile.traces = [RateTrace(constant: Double(part.bitRate("rate")))]
    case "steps": profile.traces = steps(part).map { [$0] } ?? profile.traces
    case "trace":
      profile.traces = recorded(part)
      profile.startsAnywhere = part.word("start") == "anywhere"
    default:
      profile.sessionRate = tables.table(part, "sessionRate", limit: 1e13, isPositive: true)
      profile.rateSigma = part.real("rateSigma")
      profile.rateCorrelation = part.real("rateCorrelation")
      profile.outageStart = part.ratio("outageStart")
      profile.outageEnd = part.ratio("outageEnd")
      profile.outageRate = Double(part.bitRate("outageRate"))
    }
    profile.timeline = timeline(part)
    profile.cell = part.optional("cell").map {
      CellConfiguration(
        capacity: Double($0.bitRate("rate")), count: Int($0.integer("count")),
        bias: RateBias(exponent: $0.real("roundTripBias")))
    }
    return profile
  }

  /// Steps that are closer make a link that does nothing but change, nanoseconds.
  private static let leastStep: Int64 = 1_000_000

  private mutating func steps(_ part: ResolvedTree) -> RateTrace? {
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
    let word = part.word("end")
    if word == "hold" && length != 0 {
      own.add(part.problem(at: "length", expected: "no length with end: hold"))
    }
    if word != "hold" && length < starts[starts.count - 1] + ScenarioBuilder.leastStep {
      own.add(
        part.problem(at: "length", expected: "a time at least 1 ms after the last step's start"))
    }
    if elements.allSatisfy({ $0.bitRate("rate") == 0 }) {
      own.add(part.problem(at: "steps", expected: "a rate above 0 in at least one step"))
    }
    if !own.isEmpty { return nil }
    let end: RateTrace.End =
      switch word {
      case "loop": .loop(period: length)
      case "silence": .silence(at: length)
      default: .hold
      }
    return RateTrace(starts: starts, rates: elements.map { Double($0.bitRate("rate")) }, end: end)
  }

  private func timeline(_ part: ResolvedTree) -> LinkTimeline? {
    let events = part.elements("events").map { element -> LinkEvent in
      let at = element.time("at")
      switch element.kind() {
      case "hand-over":
        return LinkEvent(
          at: at,
          .handOver(
            outage: element.time("outage"), keepsConnections: element.boolean("keepsConnections")))
      case "tunnel": return LinkEvent(at: at, .tunnel(length: element.time("length")))
      default: return LinkEvent(at: at, .offline)
      }
    }
    return events.isEmpty ? nil : LinkTimeline(events)
  }

  func transport() -> TransportConfiguration {
    let part = tree.at("network")
    let http = TransferCaseTable.http(part.word("http"))
    return TransportConfiguration(
      model: ScenarioBuilder.networkModel(part.word("model")), http: http,
      congestion: TransferCaseTable.congestion(part.word("congestion")),
      handshake: handshake(part.word("handshake"), http, auto: .tls13),
      resumedHandshake: handshake(part.word("resumedHandshake"), http, auto: .tls13Resumed),
      resumption: part.ratio("resumption"),
      connectionsPerHost: http == .http1
        ? Int(part.optionalInteger("connectionsPerHost") ?? 6) : 1,
      initialWindow: Double(part.integer("initialWindow")),
      receiveWindow: part.optionalBytes("receiveWindow"),
      slowStartAfterIdle: part.boolean("slowStartAfterIdle"),
      idleClose: span(part, "idleClose"), prefetchWeight: part.real("prefetchWeight"))
  }

  /// The handshake of a word; `auto`, as the HTTP version has it.
  private func handshake(_ word: String, _ http: HTTPVersion, auto: Handshake) -> Handshake {
    let named = TransferCaseTable.handshakes.first { $0.word == word }?.handshake ?? nil
    return named ?? (http == .http3 ? .quic : auto)
  }

  /// Values of the label `network`: names, or kinds.
  static func networkNames(_ tree: ResolvedTree) -> [String] {
    tree.elements("network.access").map { $0.optionalText("name") ?? $0.kind() }
  }

  static func networkModel(_ word: String) -> NetworkModel {
    switch word {
    case "pensieve": .pensieve
    case "sabre": .sabre
    case "mm22": .mm22
    default: .firstFrame
    }
  }
}
