import PrivacyTesting
import Testing

/// What the program writes about calls holds no descriptions, no candidates and nobody's
/// statistics.
@Suite struct PrivacyTests {
  private static let calls = """
    version: 1
    name: calls
    world: calls
    replications: 2
    calls:
      audience: {callers: 8, interpreters: 4, duration: 20 min, warmUp: 1 min, callsPerHour: 240}
      trouble: {outagesPerHour: 4, deadPerHour: 4, awayPerHour: 4, stopsPerHour: 3}
    budgets:
      - {metric: double_rings.count, limit: "< 2", minimumSamples: 1}
      - {metric: frame_rate.mean, limit: "> 1", minimumSamples: 1}

    """

  /// Covers: ICC-050, ICC-051.
  @Test func `no file and no line that the program writes tells what was said or how well`() throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write("calls.yaml", Self.calls)
      var said = ""
      func go(_ status: Int32, _ arguments: String...) throws {
        let outcome = try firstframe.run(arguments)
        #expect(outcome.status == status, "\(arguments): \(outcome.error)")
        said += outcome.output + "\n" + outcome.error + "\n"
      }
      try go(0, "run", "calls.yaml")
      try go(0, "run", "calls.yaml", "--json", "--output", "json")
      try go(0, "explain", "calls.yaml")
      for variant in ["literal", "unlocked"] {
        try go(10, "fuzz", "calls/\(variant)", "--seeds", "0..400", "--output", "failures")
      }
      for file in try firstframe.names("failures") {
        try go(10, "replay", "failures/\(file)", "--svg", "failures/\(file).svg")
      }
      try firstframe.write("said.txt", said)
      let clean = try PrivacyLint.files(in: firstframe.folder)
      #expect(clean.read > 10 && said.contains("frame_rate"))
      #expect(clean.bad == [])

      // One planted line of each kind is found.
      let planted = [
        "log.txt": "12.3 s offer v=0\no=- 46117 2 IN IP4 127.0.0.1",
        "trace.json": #"{"sdp": "v=0\r\no=- 1 2 IN IP4 0.0.0.0\r\na=ice-ufrag:x"}"#,
        "drawing.svg": "<text>candidate:1 1 udp 2122260223 192.168.1.7 54321 typ host</text>",
        "result.json": "{\n  \"calls\": [\n    {\"userId\": 3,\n     \"packetLoss\": 0.1}\n  ]\n}",
        "line.log": "callId=7f3a jitter=12",
      ]
      for (name, text) in planted {
        try firstframe.write(name, text)
        let found = try PrivacyLint.files(in: firstframe.folder).bad
        #expect(found.count == 1 && found.first?.path.hasSuffix(name) == true, "\(name)")
        try firstframe.write(name, "")
      }
    }
  }
}
