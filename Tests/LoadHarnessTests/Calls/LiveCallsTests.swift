import CallSignalling
import Foundation
import LoadHarness
import MediaUnits
import PrivacyTesting
import Studies
import Testing

@Suite struct LiveCallsTests {
  @Test func `every message survives the wire, and what is none is refused`() {
    let call = CallID(high: 7, low: .max)
    let payloads: [Payload] =
      [
        .none, .opaque(bytes: 2_400, digest: .max), .registration(.caller, token: 3),
        .presence(UserID(9), isAvailable: true), .presence(UserID(9), isAvailable: false),
      ] + EndReason.allCases.map { .reason($0) } + EnvelopeFault.allCases.map { .fault($0) }
    for type in MessageType.allCases {
      for payload in payloads {
        for whose in [nil, call] {
          let envelope = Envelope(
            type, call: whose, from: UserID(1), to: whose == nil ? nil : UserID(2),
            payload: payload)
          #expect(CallWire.envelope(CallWire.text(envelope)) == envelope)
        }
      }
    }
    for text in [
      "", "hangup", "hangup - - -", "hangup - - - ", "what - - - none", "hangup 12 - - none",
      "hangup - x - none", "hangup - - - none none", "offer - 1 - opaque 1",
      "presence - - - presence 1 2", "hangup - - - reason tired",
      "register - 1 - registration king 0",
    ] {
      #expect(CallWire.envelope(text) == nil, "\(text)")
    }
  }

  /// Covers: ICC-006, ICC-009, ICC-016, ICC-017.
  @Test(.timeLimit(.minutes(1)))
  func `sixty real clients race for four interpreters: one winner each, and everybody hears`()
    async throws
  {
    var settings = CallsDriveSettings()
    settings.callers = 40
    settings.interpreters = 4
    settings.idle = 16
    settings.rounds = 3
    settings.changes = 10
    settings.changeEvery = .milliseconds(30)
    settings.length = .seconds(1)
    settings.client.heartbeat = .milliseconds(200)
    settings.server.presenceLife = .seconds(5)
    let server = try await CallStandin.start(settings.server)
    var found = try await CallsDrive.run(settings, port: server.port)
    found.server = try await server.counters()
    await server.stop()
    #expect(found.faults == [])
    #expect(found.seconds < settings.longest.seconds && settings.longest < .seconds(120))
    #expect(found.winners == 12 && found.busy == 108)
    #expect(found.busyTimes.count == 108 && found.setupTimes.count == 12)
    #expect(found.presenceTimes.count == 20 * 56)
    // Sixty clients with five heartbeats a second.
    #expect(Double(found.server.messages) > 60 * 4 * found.seconds)
    let json = try found.json()
    #expect(json.contains("\"winners\" : 12"))
    #expect(PrivacyLint.findings(in: json).isEmpty && PrivacyLint.findings(in: found.text).isEmpty)
  }

  /// Covers: ICC-048.
  @Test(.timeLimit(.minutes(1)))
  func `a wrong lock lets several callers win, and the run says so`() async throws {
    var settings = CallsDriveSettings()
    settings.callers = 20
    settings.interpreters = 1
    settings.rounds = 2
    settings.changes = 0
    settings.length = .zero
    // Losers of a double ring hear nothing, so that each round lasts as long as this.
    settings.patience = .seconds(2)
    settings.server.lock = .checkThenAct
    let server = try await CallStandin.start(settings.server)
    var found = try await CallsDrive.run(settings, port: server.port)
    found.server = try await server.counters()
    await server.stop()
    #expect(found.server.doubleRings > 0)
    #expect(found.faults.contains { $0.hasSuffix("double rings") } && found.exitCode != 0)
  }
}
