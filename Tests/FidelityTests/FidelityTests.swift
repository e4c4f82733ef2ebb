import Foundation
import Models
import ReferenceFiles
import Testing

@testable import FidelityKit

@Suite struct FidelityTests {
  static let names = [
    "a deep", "a bdp", "a bbr", "b cubic 0.5 %", "b cubic 2 %", "b bbr", "b tails", "c cubic",
    "c bbr", "d",
    "e", "f", "g cubic", "g bbr", "tls", "h2", "h2 in feeds", "staggered",
    "staggered held out", "queued", "queued held out", "emulation", "quic single",
    "quic long chain", "quic resumed",
    "quic 0-RTT", "quic loss", "quic streams", "quic reuse", "quic idle",
    "quic single held out", "quic long chain held out", "quic resumed held out",
    "quic 0-RTT held out", "quic loss held out", "quic streams held out", "quic reuse held out",
    "quic idle held out",
  ]

  /// Read once for all tests.
  static let families = Result { try Family.all(reference) }
  static let reference = Reference(ReferenceFiles.folder.path)

  @Test(arguments: names) func `the model keeps the limits of the family`(_ name: String)
    async throws
  {
    let families = try Self.families.get()
    #expect(families.map(\.name) == Self.names)
    let family = try #require(families.first { $0.name == name })
    let reports = await Family.run([family], threads: 2)
    #expect(reports.count == 1 && !reports[0].gates.isEmpty)
    #expect(FidelityDocument.missed(reports) == [], "\n\(FidelityDocument.text(reports))")
  }

  @Test func `the peers' formulas have the errors that the reference states for them`() throws {
    let stated = try Self.statedErrors()
    let family = try #require(
      try Self.families.get().first { $0.name == "emulation" })
    let measured = try Emulation.sessions(Self.reference)
    #expect(measured.count == 11)
    // Each session with what the application adds, without, and with its clocks aligned.
    #expect(3 * measured.count == family.cases.count)
    for (peer, name) in [
      (PeerFormula.pensieve, "pensieve/mm22: 0.95*fluid + 80 ms"),
      (PeerFormula.sabre, "sabre: 1 RTT + fluid"),
    ] {
      for (part, isFirst) in [("all_chunks", false), ("first_chunk", true)] {
        var errors: [Double] = []
        for session in measured {
          for chunk in isFirst ? session.chunks.prefix(1) : session.chunks[...] {
            let time = peer.milliseconds(
              bytes: chunk.bytes, at: chunk.startMs, trace: session.trace,
              roundTripMs: session.roundTripMs)
            errors.append((time - chunk.downloadMs) / chunk.downloadMs)
          }
        }
        let summary = ErrorSummary(errors)
        let truth = try #require(stated[name]?[part])
        #expect(Double(summary.count) == truth["n"])
        // Stated with four decimals.
        for (value, key) in [
          (summary.median, "median_ape"), (summary.p90, "p90_ape"), (summary.bias, "bias"),
        ] {
          #expect(try (value - #require(truth[key])).magnitude < 0.000_06, "\(name) \(part) \(key)")
        }
      }
    }
  }

  private static func statedErrors() throws -> [String: [String: [String: Double]]] {
    let file = try ReferenceFiles.object("tcp-emulation/reference.json")
    let results = file["results"] as? [String: Any]
    return try #require(results?["bba_lmh"] as? [String: [String: [String: Double]]])
  }
}

@Suite struct FidelityKitTests {
  @Test func `a summary has order statistics of absolute errors and a signed mean`() {
    // 20 errors: -0.01, 0.02, -0.03, …
    let errors = (1...20).map { (index: Int) -> Double in
      let size = Double(index) / 100
      return index % 2 == 0 ? size : -size
    }
    let summary = ErrorSummary(errors)
    #expect(summary.count == 20)
    #expect(summary.median == 0.11)
    #expect(summary.p90 == 0.19)
    #expect(summary.p95 == 0.20)
    #expect(summary.max == 0.20)
    #expect((summary.bias - 0.005).magnitude < 1e-15)
  }

  @Test func `windows tell whether their server restarts after a pause`() {
    func restarts(_ windows: [Double?], pause: Double = 1_500) -> Bool {
      let chunks = windows.enumerated().map { index, window in
        Emulation.Chunk(
          startMs: Double(index) * (100 + pause), bytes: 1, downloadMs: 100, window: window)
      }
      let session = Emulation.Session(
        name: "s", trace: RateTrace(constant: 1e6), roundTripMs: 80, chunks: chunks)
      return Emulation.restartsAfterIdle([session])
    }
    #expect(restarts([10, 80, 20, 30]))
    #expect(!restarts([10, 80, 80, 90]))
    // Nothing is known without pauses, or without windows: Linux's default.
    #expect(restarts([10, 80, 80, 90], pause: 200))
    #expect(restarts([nil, nil, nil, nil]))
  }

  @Test func `a link that ran before the first request is found by where its rate falls`() {
    let trace = RateTrace(starts: [0, 5_000_000_000], rates: [8e6, 1e6], end: .hold)
    // A megabyte takes a second and the round trip before the fall, which comes at 3 s here.
    let chunks = (0..<6).map { index -> Emulation.Chunk in
      let start = 600 * Double(index)
      let time = PeerFormula.sabre.milliseconds(
        bytes: 250_000, at: start + 2_000, trace: trace, roundTripMs: 80)
      return Emulation.Chunk(startMs: start, bytes: 250_000, downloadMs: time, window: nil)
    }
    let session = Emulation.Session(name: "s", trace: trace, roundTripMs: 80, chunks: chunks)
    #expect(Emulation.lead(session) == 2_000)
  }

  @Test func `a quantile lies between its two nearest values in proportion`() {
    #expect(Sample.quantile([4, 1, 2, 3], 0.5) == 2.5)
    #expect(Sample.quantile([1, 2, .infinity], 0.5) == 2)
    #expect(Sample.quantile([1, 2, .infinity], 0.75) == .infinity)
    #expect(Sample.quantile([7], 0.95) == 7)
  }

  @Test func `a missed limit is named with its value`() {
    let report = FamilyReport(
      "a", "one fetch", [FidelityLine("FirstFrame", [0.02, -0.04])],
      gates: [
        FidelityGate("median", 0.04, atMost: 0.01), FidelityGate("p95", 0.04, atMost: 0.05),
        FidelityGate("factor", 1.6, atMost: 1.5, unit: .factor),
        FidelityGate("bias", .nan, atMost: 1),
        FidelityGate("numbers", 3, atMost: 0, unit: .count),
      ])
    #expect(
      FidelityDocument.missed([report]) == [
        "a: median: expected at most 1.00 %, got 4.00 %",
        "a: factor: expected at most 1.50 x, got 1.60 x",
        "a: bias: expected at most 100.00 %, got - %",
        "a: numbers: expected at most 0, got 3",
      ])
    let json = FidelityDocument.json([report])
    #expect(json.contains("\"met\": false") && json.contains("\"n\": 2"))
  }

  @Test func `a file that is missing is named`() {
    #expect {
      try Family.all(Reference("no-such-folder"))
    } throws: {
      "\($0)".hasPrefix("no-such-folder/network/kernel_a_single_noloss.json: expected")
    }
  }

  @Test func `each published set that is absent is named, with where to get it`() throws {
    try ReferenceFiles.inFolder { folder in
      let (families, missing) = try PublishedSet.families(in: folder.path)
      #expect(families.isEmpty && missing.count == 3)
      #expect(
        missing[0]
          == "not compared: tcp-emulation, 18,750 chunks of 125 sessions: expected "
          + "\(folder.path)/tcp-emulation, got none; get it from GitHub Purdue-ISL/Veritas, "
          + "Controlled-GT-Cubic-BBA-LMH at 5769bc4, MIT, in the form of Tests/Reference/README.md")
      #expect(FidelityDocument.text([], missing: missing).hasSuffix("\n" + missing[2] + "\n"))
      #expect(FidelityDocument.json([], missing: missing).contains("\"notCompared\": [\n"))
    }
  }

  @Test func `a published set that is there and cannot be read is an error`() throws {
    try ReferenceFiles.inFolder { folder in
      let sabre = folder.appendingPathComponent("sabre")
      try FileManager.default.createDirectory(at: sabre, withIntermediateDirectories: true)
      #expect {
        try PublishedSet.families(in: folder.path)
      } throws: {
        "\($0)" == "\(folder.path)/sabre/reference.json: expected a readable file, got none"
      }
    }
  }

  @Test func `outputs that differ by more than the last decimals are counted`() {
    var comparison = OutputComparison(tolerance: 1e-5)
    comparison.add(1_000.000_001, 1_000)
    #expect(comparison.gate("a").isMet)
    comparison.add(1_000.1, 1_000)
    comparison.add(.nan, 1)
    comparison.add(.infinity, 0)
    #expect(comparison.gate("a").value == 3 && !comparison.gate("a").isMet)
  }

  @Test func `a fluid passes through steps, stops at zero and lasts for ever on the last one`() {
    let trace = KernelCase(
      rateMbps: 8, rttMs: 10, queuePackets: 10, steps: [(0, 8), (1, 0), (2, 4)]
    ).trace
    // 1 MB/s for half a second, nothing for one, then half as fast.
    #expect(PeerFormula.fluid(500_000, at: 500, trace, efficiency: 1) == 500)
    #expect(PeerFormula.fluid(750_000, at: 500, trace, efficiency: 1) == 2_000)
    let late = PeerFormula.fluid(100, at: 1_500, trace, efficiency: 0.5)
    #expect((late - 500.4).magnitude < 1e-9)
    let time = PeerFormula.sabre.milliseconds(
      bytes: 500_000, at: 490, trace: trace, roundTripMs: 10)
    #expect(time == 510)
  }
}
