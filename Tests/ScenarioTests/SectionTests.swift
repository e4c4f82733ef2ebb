import MediaUnits
import SimulationKernel
import Testing

@testable import Scenario

/// Rows that say what a key may be and what it does to a configuration.
@Suite struct SectionTests {
  private struct Part: Sendable, Equatable {
    var share = -1.0
    var limit: Int64? = -1
  }

  private struct Made: Sendable {
    var length = TimeSpan.zero
    var rate: BitRate? = .zero
    var size = ByteCount.zero
    var count = 0
    var weight = 0.0
    var isOn = false
    var letter = 0
    var law = QuantileTable.unread
    var part = Part()
    var other: Part?
    var area = 0
    var sum = 0.0
  }

  private static let letters = Choice<Int>([.init("a", value: 1), .init("b", value: 2)])

  private static let part = Section<Part>([
    .key("share", .ratio, default: "20 %", "a share", to: \.share),
    .key("limit", .optional(.bytes()), default: "none", "a limit", to: \.limit),
  ])

  private static let section = Section<Made>([
    .key("length", .time(), default: "2 s", "a time", to: \.length),
    .key("rate", .optional(.bitRate()), default: "none", "a rate", to: \.rate),
    .key("size", .bytes(), default: "3 kB", "a size", to: \.size),
    .key("count", .integer(), default: "4", "a number", to: \.count),
    .key("weight", .integer(), default: "5", "a number as a real one", to: \.weight),
    .key("isOn", .boolean, default: "true", "whether", to: \.isOn),
    .word("letter", letters, default: "b", "a letter", to: \.letter),
    .key("law", .law(.time), default: "6 s", "a law", to: \.law),
    .part("part", part, "a part", to: \.part),
    .optional("other", part, "another", of: Part(), to: \.other),
    .key("side", .integer(), default: "7", "a side") { $0.area = Int($1.integer() * $1.integer()) },
    .elsewhere("name", .text(), default: "none", "read elsewhere"),
  ]) { made, part, _ in made.sum = part.ratio("part.share") + Double(made.count) }

  private func made(_ text: String) throws -> Made {
    let schema = Schema(title: "test", summary: "a section", SectionTests.section.object.fields)
    #expect(schema.faults() == [])
    let file = try ScenarioFile.parse(text, file: "x.yaml", schema: schema)
    var builder = ScenarioBuilder(file.tree, short: false)
    let made = SectionTests.section.filled(Made(), from: file.tree, by: &builder)
    #expect(builder.problems.isEmpty)
    return made
  }

  @Test func `a default goes where its row says, in the unit of the place`() throws {
    let made = try made("{}")
    #expect(made.length == .seconds(2) && made.rate == nil && made.size == ByteCount(3_000))
    #expect(made.count == 4 && made.weight == 5 && made.isOn && made.letter == 2)
    #expect(made.law.quantile(0.5) == 6)
    #expect(made.part == Part(share: 0.2, limit: nil) && made.other == nil)
    #expect(made.area == 49 && made.sum == 0.2 + 4)
  }

  @Test func `what the file says takes the default's place`() throws {
    let made = try made(
      """
      {length: 1 ms, rate: 8 Mbps, size: 1 B, count: 2, weight: 3, isOn: false, letter: a,
       law: 1 s, part: {share: 1, limit: 9 B}, other: {limit: 5 B}, side: 2, name: x}
      """)
    #expect(made.length == .milliseconds(1) && made.rate == BitRate(bitsPerSecond: 8_000_000))
    #expect(made.size == ByteCount(1) && made.count == 2 && made.weight == 3)
    #expect(!made.isOn && made.letter == 1 && made.law.quantile(0.5) == 1)
    #expect(made.part == Part(share: 1, limit: 9))
    #expect(made.other == Part(share: 0.2, limit: 5))
    #expect(made.area == 4 && made.sum == 3)
  }

  @Test func `a section of a part serves the whole`() throws {
    let whole = Section<Made>(SectionTests.part.rows.map { .part($0, in: \.part) })
    let schema = Schema(title: "test", summary: "a section", whole.object.fields)
    let file = try ScenarioFile.parse("share: 0.5", file: "x.yaml", schema: schema)
    var builder = ScenarioBuilder(file.tree, short: false)
    let made = whole.filled(Made(), from: file.tree, by: &builder)
    #expect(made.part == Part(share: 0.5, limit: nil))
  }
}
