import Models
import Testing

@testable import Reports
@testable import Studies

@Suite struct TerminalReportTests {
  private func lines(_ color: Bool = false) throws -> [String] {
    TerminalReport.text(try Fixture.result(), width: 100, color: color)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  @Test func `the first and the last line name the run`() throws {
    let lines = try lines()
    let digest = RunIdentity(try Fixture.result()).digest
    #expect(
      lines[0] == "hand-made · digest \(digest) · seed 7 · 8 of up to 16 replications · "
        + "fingerprint 00000000000000ab")
    #expect(lines[lines.count - 2] == lines[0])
    #expect(lines.last == "")
  }

  @Test func `every budget shows value, limit, interval, margin, samples and decision`() throws {
    let lines = try lines()
    let passed = try #require(lines.first { $0.hasPrefix("  pass ") })
    #expect(
      words(passed)
        == words("pass ttff_ms.p75 412.2 ms < 500 ms [405.8, 418.8] +17.6 % 1,200 8 8 of 16"))
    let soft = try #require(lines.first { $0.hasPrefix("  fail (soft)") })
    #expect(
      words(soft)
        == words("fail (soft) rebuffer_ratio 2.34 % < 1 % [2.23, 2.45] -134 % 1,188 8 8 of 16"))
    let invalid = try #require(lines.first { $0.hasPrefix("  invalid ") })
    #expect(
      words(invalid) == words("invalid ttff_cold_ms.p95 ≥ 5,000 ms < 2 s – -150 % 40 1 –"))
    #expect(
      lines.contains("  invalid: ttff_cold_ms.p95: 40 samples, 1000 are needed (hand.yaml:12)"))
    #expect(lines.contains { $0.hasPrefix("INVALID  1 of 2 hard budgets cannot be judged") })
  }

  @Test func `the shown parts of a breakdown sum to the shown total`() throws {
    let result = try Fixture.result()
    for band in [result.medianBand, result.p95Band] {
      let figures = BandFigures(RunRecord.Band(band))
      let parts = StartupPart.allCases.compactMap { Double(figures.text($0)) }
      let total = try #require(Double(figures.totalText))
      #expect(parts.count == StartupPart.allCases.count)
      #expect(abs(parts.reduce(0, +) - total) < 1e-9)
      let shares = StartupPart.allCases.compactMap {
        Double(figures.shareText($0).split(separator: " ").first ?? "")
      }
      #expect(abs(shares.reduce(0, +) - 100) < 1e-9)
    }
  }

  @Test(arguments: 1...50) func `apportioned units always sum to the rounded total`(_ seed: Int64) {
    // Multiples of an odd constant, reduced: a fixed spread of parts for each seed.
    let parts = (1...12).map { (seed &* 2_654_435_761 &* $0) % 90_000_000 }.map { abs($0) }
    let unit = 1e5 * Double(seed)
    let units = Figures.apportion(parts, unit: unit)
    #expect(units.reduce(0, +) == Int64((Double(parts.reduce(0, +)) / unit).rounded()))
    for (part, shown) in zip(parts, units) {
      #expect(abs(Double(part) / unit - Double(shown)) < 1)
    }
  }

  @Test func `late starts call out edge misses`() throws {
    let lines = try lines()
    let transfer = try #require(lines.first { $0.hasPrefix("  transfer") && $0.contains("(40") })
    #expect(words(transfer).prefix(7) == ["transfer", "5", "2", "(40", "%)", "0", "–"])
    #expect(lines.contains { $0.contains("LATE STARTS (after 500 ms or never)") })
  }

  @Test func `the histogram has a row for every fixed bucket`() throws {
    let lines = try lines()
    for label in [
      "0 ms", "under 100 ms", "100–200 ms", "200–400 ms", "400–600 ms", "600–1000 ms",
      "1000–2000 ms", "2000–4000 ms", "4000+ ms", "not started",
    ] {
      let row = lines.first { $0.trimmingPrefix { $0 == " " }.hasPrefix(label) && $0.contains("%") }
      #expect(row != nil, "\(label)")
    }
  }

  @Test func `percentiles are said to be pooled, and a ready frame to wait for the display`() throws
  {
    let text = words(try lines().joined(separator: " ")).joined(separator: " ")
    #expect(
      text.contains("Percentiles are those of all times of all 8 replications together, mean is"))
    // Nothing waited for more than the display.
    #expect(text.contains("had its frame ready when its clock started: none waited for more than"))
    #expect(!text.contains("there is no wait"))
  }

  @Test func `networks and devices have a table each when there are several`() throws {
    let lines = try lines()
    #expect(lines.contains("BY NETWORK") && lines.contains("BY DEVICE"))
    #expect(lines.contains { words($0).prefix(1) == ["lte"] && $0.contains("2,000 ±90") })
  }

  @Test func `escape codes appear only with colours`() throws {
    #expect(try lines(true).contains { $0.contains("\u{1B}[32mpass\u{1B}[0m") })
    #expect(try !lines().contains { $0.contains("\u{1B}") })
  }

  @Test func `a run without views says so`() throws {
    var result = try Fixture.result()
    for index in result.cohorts.indices { result.cohorts[index] = CohortSums() }
    #expect(TerminalReport.text(result).contains("No view was simulated."))
  }

  @Test func `numbers have commas, few digits and no negative zero`() {
    #expect(Figures.count(1_234_567) == "1,234,567" && Figures.count(-1234) == "-1,234")
    #expect(Figures.decimal(-0.04, 1) == "0.0" && Figures.decimal(-0.4, 1) == "-0.4")
    #expect(Figures.bytes(999) == "999 B" && Figures.bytes(1_234_567) == "1.23 MB")
    #expect(Figures.percent(0.999_61) == "99.961 %" && Figures.percent(1) == "100 %")
    #expect(Figures.share(1, of: 0) == "–")
    #expect(Figures.bar(0, width: 8) == "" && Figures.bar(0.0001, width: 8) == "▏")
    #expect(Figures.bar(1, width: 8) == "████████" && Figures.bar(0.5, width: 3) == "█▌")
  }
}
