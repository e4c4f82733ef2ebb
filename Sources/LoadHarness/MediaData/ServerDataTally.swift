import MediaUnits
import Studies
import Telemetry

/// What servers said of their answers (Common Media Server Data, CTA-5006), beside what was seen of
/// these answers.
struct ServerDataTally {
  private struct Server {
    var answers: Int64 = 0
    var throughput = ThinnedSample()
    var roundTrip = ThinnedSample()
    var responseDelay = ThinnedSample()
    var suggested: Double?
    var duress: Int64 = 0
  }

  /// Servers that are told apart; the others are counted as one.
  private static let mostServers = 32
  private static let others = "others"

  private var reader = CMSDReader()
  private var servers: [(name: String, server: Server)] = []
  private var answers: Int64 = 0
  private var otherBitrates: Int64 = 0
  private var estimated = ThinnedSample()
  private var measured = ThinnedSample()
  private var ratio = ThinnedSample()
  private var suggested: Int64 = 0
  private var exceeded: Int64 = 0
  /// What each session was last told not to exceed, bits per second.
  private var limits: [UInt32: Double] = [:]

  /// A segment is about to be asked for.
  mutating func ask(_ session: UInt32, rate: BitRate) {
    guard let limit = limits[session] else { return }
    suggested += 1
    if Double(rate.bitsPerSecond) > limit { exceeded += 1 }
  }

  /// The head of an answer has come.
  ///
  /// - Parameter rate: of the segment that was asked for; nil for any other object.
  /// - Returns: what the server next to the player said; nil when it said nothing.
  mutating func hear(_ headers: LiveHeaders, _ session: UInt32, rate: BitRate?) -> CMSDHop? {
    if headers.cmsdStatic == nil && headers.cmsdDynamic == nil { return nil }
    answers += 1
    if let text = headers.cmsdStatic {
      let object = reader.object(text)
      // Both are rounded to a kilobit.
      if let rate, let stated = object.bitrate, abs(stated - Double(rate.bitsPerSecond)) >= 1_000 {
        otherBitrates += 1
      }
    }
    guard let text = headers.cmsdDynamic else { return nil }
    let hops = reader.hops(text)
    for hop in hops { take(hop) }
    if let limit = hops.compactMap(\.suggestedBitrate).min() { limits[session] = limit }
    return hops.last
  }

  private mutating func take(_ hop: CMSDHop) {
    var place = servers.firstIndex { $0.name == hop.name }
    if place == nil {
      let isFull = servers.count >= ServerDataTally.mostServers
      let name = isFull ? ServerDataTally.others : hop.name
      place = servers.firstIndex { $0.name == name } ?? servers.count
      if place == servers.count { servers.append((name, Server())) }
    }
    guard let place else { return }
    servers[place].server.answers += 1
    if let value = hop.throughput { servers[place].server.throughput.add(value / 1_000) }
    if let value = hop.roundTrip { servers[place].server.roundTrip.add(value * 1_000) }
    if let value = hop.responseDelay { servers[place].server.responseDelay.add(value * 1_000) }
    if let value = hop.suggestedBitrate {
      let before = servers[place].server.suggested ?? .infinity
      servers[place].server.suggested = min(before, value / 1_000)
    }
    if hop.isUnderDuress { servers[place].server.duress += 1 }
  }

  /// A segment has come whole.
  ///
  /// - Parameters:
  ///   - span: from sending its request to its last byte.
  ///   - hop: what the server next to the player said.
  mutating func end(bytes: Int, in span: TimeSpan, _ hop: CMSDHop) {
    guard let estimate = hop.throughput, bytes > 0 else { return }
    // The delay is the server's, rounded to a millisecond.
    let time = span.seconds - (hop.responseDelay ?? 0)
    if time <= 0 { return }
    let rate = Double(bytes) * 8 / time
    estimated.add(estimate / 1_000)
    measured.add(rate / 1_000)
    ratio.add(estimate / rate)
  }

  /// A session is over.
  mutating func end(_ session: UInt32) { limits[session] = nil }

  /// For the report; nil where nobody said anything, unless it was asked for.
  func facts(isAsked: Bool) -> LiveFacts.ServerData? {
    if answers == 0 && !isAsked { return nil }
    let probabilities = [0.05, 0.5, 0.95]
    var data = LiveFacts.ServerData()
    data.answers = answers
    data.objects = Int64(reader.report.objects)
    data.dynamics = Int64(reader.report.hops)
    data.otherBitrates = otherBitrates
    data.malformed = Int64(reader.report.malformed)
    data.examples = reader.report.examples
    data.unknown = Int64(reader.report.unknown)
    data.custom = Int64(reader.report.custom)
    data.hops = servers.map { name, server in
      var hop = LiveFacts.ServerData.Hop(name: name)
      hop.answers = server.answers
      hop.throughputKbps = server.throughput.quantiles(probabilities)
      hop.roundTripMilliseconds = server.roundTrip.quantiles(probabilities)
      hop.responseDelayMilliseconds = server.responseDelay.quantiles(probabilities)
      hop.suggestedKbps = server.suggested
      hop.duress = server.duress
      return hop
    }
    data.compared = Int64(ratio.count)
    data.estimatedKbps = estimated.quantiles(probabilities)
    data.measuredKbps = measured.quantiles(probabilities)
    data.estimatedByMeasured = ratio.quantiles(probabilities)
    data.suggested = suggested
    data.exceeded = exceeded
    return data
  }
}
