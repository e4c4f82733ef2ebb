import Models
import Scenario
import Testing

@Suite struct TransferCaseReaderTests {
  /// The least that a case needs.
  static let least =
    #"[{"id": "x", "link": {"downMbps": 10, "rttMs": 60}, "flows": [{"bytes": 300000}]}]"#

  static func read(_ text: String) throws(ScenarioRejected) -> [TransferCaseEntry] {
    try TransferCaseFile.parse(text, file: "cases.json").cases
  }

  /// The one case of a file that has one.
  static func only(_ text: String) throws -> TransferCaseEntry {
    let cases = try read(text)
    return try #require(cases.count == 1 ? cases.first : nil)
  }

  static func problems(_ text: String) -> [String] {
    do throws(ScenarioRejected) {
      _ = try read(text)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func `keys that are left out get their defaults`() throws {
    let entry = try Self.only(Self.least)
    let expected = TransferCase(
      downlink: RateTrace(constant: 10e6), uplinkRate: 10e6, roundTrip: 60_000_000, loss: .none,
      queue: .packets(1000), congestion: .cubic, handshake: .tcp, initialWindow: 10,
      segmentSize: 1448, overhead: 54, idleRestart: true, warmWindow: nil, http: .http1,
      resync: false,
      flows: [
        TransferFlow(
          start: 0, after: nil, gap: 0, bytes: 300_000, requestBytes: 80, responseHeaderBytes: 0,
          connection: 0, roundTrip: nil)
      ], seed: 1)
    #expect(
      entry == TransferCaseEntry(id: "x", transfers: expected, tier: nil, replications: 1))
  }

  @Test func `every key reaches the model`() throws {
    let entry = try Self.only(
      """
      [{ "id": 7,
         "link": { "trace": [[0.5, 3], [1.25, 0], [2, 8.5]], "upMbps": 1.5, "rttMs": 20.25,
                   "lossRate": 0.02, "lossBurst": 3, "queueBytes": 64000 },
         "transport": { "congestion": "bbr", "handshake": "quic-0rtt", "initialWindow": 32,
                        "mss": 1200, "overheadBytes": 60, "idleRestart": false,
                        "warmWindowSegments": 40.5,
                        "quic": { "serverFlightBytes": 4300, "earlyFlightBytes": 300,
                                  "handshakeMs": 4.5, "firstAnswerMs": 1.5, "laterAnswerMs": 0.5,
                                  "firstProbeMs": 200, "validated": true, "pacing": "rfc9002",
                                  "ackDelayMs": 1, "turnBytes": 1200, "fieldsFirst": false,
                                  "growsUnused": true } },
         "http": "3", "resync": false, "replications": 60, "tier": "chunks", "seed": 9,
         "flows": [ { "startMs": 0.5, "bytes": 1, "connection": "b" },
                    { "after": 0, "gapMs": 1.000001, "bytes": 0, "requestBytes": 200,
                      "responseHeaderBytes": 242, "connection": "a", "rttMs": 150 },
                    { "bytes": 2, "connection": "b" } ] }]
      """)
    let trace = RateTrace(
      starts: [500_000_000, 1_250_000_000, 2_000_000_000], rates: [3e6, 0, 8.5e6], end: .hold)
    let expected = TransferCase(
      downlink: trace, uplinkRate: 1.5e6, roundTrip: 20_250_000,
      loss: .bursts(rate: 0.02, meanBurst: 3), queue: .bytes(64_000), congestion: .bbr,
      handshake: .quicZeroRTT, initialWindow: 32, segmentSize: 1200, overhead: 60,
      idleRestart: false, warmWindow: 40.5, http: .http3,
      quic: QUICStack(
        serverFlight: 4_300, earlyFlight: 300, computation: 4_500_000, firstAnswer: 1_500_000,
        laterAnswer: 500_000, firstProbe: 200_000_000, isValidated: true, pacing: .rfc9002,
        acknowledgementDelay: 1_000_000, turnBytes: 1_200, sendsFieldsFirst: false,
        growsUnused: true), resync: false,
      flows: [
        TransferFlow(start: 500_000, bytes: 1, connection: 0),
        TransferFlow(
          after: 0, gap: 1_000_001, bytes: 0, requestBytes: 200, responseHeaderBytes: 242,
          connection: 1, roundTrip: 150_000_000),
        TransferFlow(bytes: 2, connection: 0),
      ], seed: 9)
    #expect(
      entry == TransferCaseEntry(id: "7", transfers: expected, tier: .chunks, replications: 60))
  }

  @Test func `null is a key left out`() throws {
    let written = """
      [{"id": "x", "link": {"downMbps": 10, "trace": null, "upMbps": null, "rttMs": 60,
        "lossRate": null, "lossBurst": null, "queuePackets": null, "queueBytes": null},
        "transport": {"handshake": null, "warmWindowSegments": null}, "http": null,
        "resync": null, "replications": null, "tier": null, "seed": null,
        "flows": [{"startMs": null, "after": null, "gapMs": null, "bytes": 300000,
          "connection": null, "rttMs": null}]}]
      """
    #expect(try Self.only(written) == Self.only(Self.least))
    let whole = Self.least.replacing("\"flows\"", with: "\"transport\": null, \"flows\"")
    #expect(try Self.only(whole) == Self.only(Self.least))
  }

  @Test(arguments: [
    ("none", Handshake.none), ("tcp", .tcp), ("tcp+tls12", .tls12), ("tcp+tls13", .tls13),
    ("tcp+tls13-resumed", .tls13Resumed), ("tcp+tls13-early", .tls13Early), ("quic", .quic),
    ("quic-0rtt", .quicZeroRTT),
  ]) func `every handshake has its word`(_ word: String, _ handshake: Handshake) throws {
    let text = Self.least.replacing(
      "\"flows\"", with: "\"transport\": {\"handshake\": \"\(word)\"}, \"flows\"")
    #expect(try Self.only(text).transfers.handshake == handshake)
  }

  @Test func `HTTP/3 without a handshake opens over QUIC`() throws {
    let text = Self.least.replacing("\"flows\"", with: "\"http\": \"3\", \"flows\"")
    #expect(try Self.only(text).transfers.handshake == .quic)
  }

  @Test func `without upMbps the uplink has the greatest rate of the trace`() throws {
    let text = Self.least.replacing("\"downMbps\": 10", with: "\"trace\": [[0, 3], [1, 8], [2, 1]]")
    #expect(try Self.only(text).transfers.uplinkRate == 8e6)
  }
}

@Suite struct TransferCaseProblemTests {
  /// A fault, as a replacement in the least case, and the message it must give.
  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var part: String
    var text: String
    var message: String

    init(_ name: String, _ part: String, _ text: String, _ message: String) {
      (testDescription, self.part, self.text, self.message) = (name, part, text, message)
    }
  }

  private static let rate = "\"downMbps\": 10"
  private static let bytes = "\"bytes\": 300000"

  static let faults = [
    Fault(
      "negative rate", rate, "\"downMbps\": -3",
      "cases.json:1:35: [0].link.downMbps: expected a number from 0.001 to 1000000, got -3"),
    Fault(
      "rate as text", rate, "\"downMbps\": \"10\"",
      "[0].link.downMbps: expected a number from 0.001 to 1000000, got \"10\""),
    Fault(
      "rate and trace", rate, "\"downMbps\": 10, \"trace\": [[0, 1]]",
      "[0].link.trace: expected either downMbps or trace, got both"),
    Fault(
      "neither", rate + ", ", "", "[0].link.downMbps: expected this key or trace, got nothing"),
    Fault(
      "misspelt key", rate, rate + ", \"lossrate\": 0.1",
      "(did you mean lossRate?)"),
    Fault(
      "loss of everything", rate, rate + ", \"lossRate\": 1",
      "[0].link.lossRate: expected a number from 0 to 0.99, got 1"),
    Fault(
      "bursts without room", rate, rate + ", \"lossRate\": 0.6, \"lossBurst\": 1",
      "expected bursts that leave room for the rate: a lossRate of at most 0.5, got 1 with a"),
    Fault(
      "two queues", rate, rate + ", \"queuePackets\": 5, \"queueBytes\": 5",
      "[0].link.queueBytes: expected either queuePackets or queueBytes, got both"),
    Fault(
      "times that fall back", rate, "\"trace\": [[0, 1], [2, 1], [1, 1]]",
      "[0].link.trace[2][0]: expected a time after 2, by a nanosecond at least, got 1"),
    Fault(
      "equal times", rate, "\"trace\": [[0, 1], [0, 2]]",
      "[0].link.trace[1][0]: expected a time after 0, by a nanosecond at least, got 0"),
    Fault(
      "negative trace", rate, "\"trace\": [[0, -1]]",
      "[0].link.trace[0][1]: expected a number from 0 to 1000000, got -1"),
    Fault(
      "a step of three", rate, "\"trace\": [[0, 1, 2]]",
      "[0].link.trace[0]: expected a list of 2, got a list of 3"),
    Fault(
      "no round trip", ", \"rttMs\": 60", "",
      "[0].link.rttMs: expected this key with a number from 0 to 600000, got nothing"),
    Fault(
      "after itself", bytes, bytes + ", \"after\": 0",
      "[0].flows[0].after: expected null, because no flow is earlier, got 0"),
    Fault(
      "after a later flow", "[{\"bytes\": 300000}]",
      "[{\"bytes\": 1}, {\"bytes\": 1, \"after\": 2}, {\"bytes\": 1}]",
      "[0].flows[1].after: expected an earlier flow, 0 to 0, got 2"),
    Fault(
      "negative after", bytes, bytes + ", \"after\": -1",
      "[0].flows[0].after: expected a whole number of at least 0, got -1"),
    Fault(
      "after with resync", "\"flows\": [{\"bytes\": 300000}]",
      "\"resync\": true, \"flows\": [{\"bytes\": 1}, {\"bytes\": 1, \"after\": 0}]",
      "[0].flows[1].after: expected startMs, which resync goes by, got 0"),
    Fault(
      "fraction of a byte", bytes, "\"bytes\": 0.5",
      "[0].flows[0].bytes: expected a whole number such as 8, got 0.5"),
    Fault(
      "no replications", "\"flows\"", "\"replications\": 0, \"flows\"",
      "[0].replications: expected a whole number from 1 to 65535, got 0"),
    Fault(
      "misspelt word", "\"flows\"", "\"transport\": {\"congestion\": \"cubci\"}, \"flows\"",
      "[0].transport.congestion: expected one of cubic, newreno, bbr, got \"cubci\" "
        + "(did you mean cubic?)"),
    Fault("no flows", "[{\"bytes\": 300000}]", "[]", "expected a list of at least 1"),
    Fault(
      "yes for true", "\"flows\"", "\"resync\": yes, \"flows\"",
      "[0].resync: expected true or false, got yes (did you mean true?)"),
  ]

  @Test(arguments: faults)
  func `a fault has its place, its key and what was expected`(_ fault: Fault) throws {
    let least = TransferCaseReaderTests.least
    try #require(least.contains(fault.part))
    let found = TransferCaseReaderTests.problems(
      least.replacing(fault.part, with: fault.text, maxReplacements: 1))
    #expect(found.count == 1)
    #expect(found.first?.contains(fault.message) == true, "\(found)")
    #expect(found.first?.hasPrefix("cases.json:1:") == true)
  }

  @Test func `all faults of all cases come in one pass, in the order of the file`() {
    let found = TransferCaseReaderTests.problems(
      """
      [
        {"id": "x", "link": {"downMbps": 0, "rttMs": 60}, "flows": [{"byte": 1}]},
        {"id": "x", "link": {"trace": [[1, 1], [1, 1]], "rttMs": -1},
         "flows": [{"bytes": 1, "after": 5}], "tiers": "auto"}
      ]
      """)
    let places = found.map { $0.split(separator: ": ").prefix(2).joined(separator: " ") }
    #expect(
      places == [
        "cases.json:2:36 [0].link.downMbps", "cases.json:2:63 [0].flows[0].bytes",
        "cases.json:2:64 [0].flows[0].byte", "cases.json:3:10 [1].id",
        "cases.json:3:43 [1].link.trace[1][0]", "cases.json:3:60 [1].link.rttMs",
        "cases.json:4:36 [1].flows[0].after", "cases.json:4:41 [1].tiers",
      ])
  }

  @Test(arguments: [
    ("", "an empty file"), ("[]", "a list of 0"), ("{}", "a mapping"), ("[1]", "got 1"),
    ("[{\"id\": \"x\"", "cases.json:2:1: [0]: expected well-formed YAML"),
  ]) func `what is no list of cases is refused`(_ text: String, _ message: String) {
    let found = TransferCaseReaderTests.problems(text)
    #expect(found.count == 1)
    #expect(found.first?.contains(message) == true, "\(found)")
  }

  @Test func `a key twice is a fault`() {
    let text = TransferCaseReaderTests.least.replacing("\"rttMs\"", with: "\"rttMs\": 3, \"rttMs\"")
    let found = TransferCaseReaderTests.problems(text)
    #expect(found.count == 1 && found[0].contains("expected this key once, got it again"))
  }

  @Test func `a missing file is named as such`() {
    #expect {
      try TransferCaseFile.load("no-such-file.json")
    } throws: {
      ($0 as? ScenarioRejected)?.kind == .missingFile
    }
  }
}
