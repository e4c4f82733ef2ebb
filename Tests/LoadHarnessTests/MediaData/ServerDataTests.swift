import MediaUnits
import Studies
import Testing

@testable import LoadHarness

/// What is made of what servers say of their answers.
@Suite struct ServerDataTests {
  private func headers(_ dynamic: String?, _ object: String? = nil) -> LiveHeaders {
    var fields: [(name: String, value: String)] = []
    if let dynamic { fields.append(("cmsd-dynamic", dynamic)) }
    if let object { fields.append(("CMSD-Static", object)) }
    return LiveHeaders(status: 200, fields: fields)
  }

  @Test func `nothing said is no row unless it was asked for`() {
    var tally = ServerDataTally()
    let hop = tally.hear(headers(nil), 1, rate: nil)
    #expect(hop == nil && tally.facts(isAsked: false) == nil)
    #expect(tally.facts(isAsked: true) == LiveFacts.ServerData())
  }

  @Test func `an estimate is held against what came, without the server's own delay`() throws {
    var tally = ServerDataTally()
    let said = tally.hear(headers(#""shield";etp=1,"edge";etp=8000;rd=500;rtt=20"#), 1, rate: nil)
    let hop = try #require(said)
    #expect(hop.name == "edge")
    // A million bits in a second and a half, of which the server took half a second: 8 Mbps told.
    tally.end(bytes: 125_000, in: .milliseconds(1_500), hop)
    // Faster than the delay that was told: nothing can be said.
    tally.end(bytes: 125_000, in: .milliseconds(400), hop)
    let data = try #require(tally.facts(isAsked: false))
    #expect(data.compared == 1 && data.estimatedByMeasured == [8, 8, 8])
    #expect(data.estimatedKbps == [8_000, 8_000, 8_000])
    #expect(data.measuredKbps == [1_000, 1_000, 1_000])
    #expect(data.hops.map(\.name) == ["shield", "edge"] && data.hops.map(\.answers) == [1, 1])
    #expect(data.hops[1].roundTripMilliseconds == [20, 20, 20])
    #expect(data.hops[1].responseDelayMilliseconds == [500, 500, 500])
    #expect(data.hops[0].roundTripMilliseconds.isEmpty && data.answers == 1)
  }

  @Test func `a suggested bit rate counts from the session's next request on`() throws {
    var tally = ServerDataTally()
    tally.ask(1, rate: .kilobits(3_000))
    _ = tally.hear(headers(#""a";mb=5000, "b";mb=2000;du"#), 1, rate: nil)
    tally.ask(1, rate: .kilobits(3_000))
    tally.ask(1, rate: .kilobits(2_000))
    tally.ask(2, rate: .kilobits(3_000))
    tally.end(1)
    tally.ask(1, rate: .kilobits(3_000))
    let data = try #require(tally.facts(isAsked: false))
    #expect(data.suggested == 2 && data.exceeded == 1)
    #expect(data.hops.map(\.suggestedKbps) == [5_000, 2_000] && data.hops.map(\.duress) == [0, 1])
  }

  @Test func `another bit rate than was asked for, malformed keys and too many names are told`()
    throws
  {
    var tally = ServerDataTally()
    _ = tally.hear(headers(nil, "br=800"), 1, rate: .kilobits(800))
    _ = tally.hear(headers(nil, "br=400"), 1, rate: .kilobits(800))
    _ = tally.hear(headers(nil, "br=many,x-y=1,zz"), 1, rate: .kilobits(800))
    for number in 0..<50 { _ = tally.hear(headers("\"s\(number)\""), 1, rate: nil) }
    let data = try #require(tally.facts(isAsked: false))
    #expect(data.otherBitrates == 1 && data.objects == 3 && data.dynamics == 50)
    #expect(data.malformed == 1 && data.custom == 1 && data.unknown == 1)
    #expect(data.examples.count == 1 && data.examples[0].hasPrefix("CMSD-Static br: expected"))
    #expect(data.hops.count == 33 && data.hops[32].name == "others")
    #expect(data.hops[32].answers == 18 && data.answers == 53)
  }
}
