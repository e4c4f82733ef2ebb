import FeedPolicy
import Models
import Testing

@testable import Scenario

private func parse(_ set: [String]) throws(ScenarioRejected) -> FeedStudy {
  try FeedStudy.parse(
    "version: 1\nname: rows\n", file: "rows.yaml", overrides: set.map { Override(set: $0) })
}

/// A key with a choice, and what it may be.
struct WordedKey: Sendable, CustomTestStringConvertible {
  var world: String?
  var path: String
  var values: [String]
  var testDescription: String { path }

  /// All that can be reached from the top through objects and defaults.
  static func all(_ schema: Schema, world: String? = nil) -> [WordedKey] {
    keys(schema.root.fields, "").map { WordedKey(world: world, path: $0.path, values: $0.values) }
  }

  private static func keys(_ fields: [Field], _ above: String) -> [WordedKey] {
    fields.flatMap { field -> [WordedKey] in
      let path = above.isEmpty ? field.name : "\(above).\(field.name)"
      switch field.shape.withoutOptional {
      case .word(let words): return [WordedKey(path: path, values: words.map(\.spelling))]
      case .object(let object): return keys(object.fields, path)
      case .kinds(let kinds):
        let plain = kinds.filter { kind in
          kind.object.fields.allSatisfy { $0.preset != .required }
        }
        let usual = kinds.first { $0.word == field.presetNode?["kind"]?.text }
        return [WordedKey(path: path, values: plain.map { "{kind: \($0.word)}" })]
          + keys(usual?.object.fields ?? [], path)
      case .list(.kinds(let kinds), _):
        let plain = kinds.filter { kind in
          kind.object.fields.allSatisfy { $0.preset != .required }
        }
        return [WordedKey(path: path, values: plain.map { "[{kind: \($0.word)}]" })]
      default: return []
      }
    }
  }
}

@Suite struct PluginRowTests {
  @Test(arguments: ScenarioTable.evictions.kinds.map(\.word))
  func `a tier of each kind of eviction has a policy of the row of that word`(_ word: String) throws
  {
    let scenario = try parse(["cdn.edge={kind: \(word)}"])
    #expect("\(scenario.configuration.cdn.edge.eviction.row.word)" == word)
  }

  @Test func `scenarios and replays spell evictions as before`() throws {
    let live = ScenarioTable.evictions.kinds.map(\.word)
    #expect(
      live == [
        "lru", "fifo", "clock", "sieve", "s3-fifo", "lfu", "arc", "2q", "slru", "gdsf",
        "w-tinylfu", "infinite",
      ])
    #expect(
      CacheWords.policies
        == "lru, fifo, clock:BITS (1 to 8), sieve, s3-fifo, s3-fifo:paper, s3-fifo:filling, lfu, "
        + "arc, 2q, slru:N (1 to 64), gdsf, w-tinylfu, w-tinylfu:wide, lookahead:REQUESTS "
        + "(0 to 2147483647), belady, infinite")
    #expect(CacheWords.admissions == "all, size:BYTES, bloom, prob:P")
    // A scenario's default differs from the replay's, which is held against libCacheSim.
    let edge = try parse(["cdn.edge={kind: s3-fifo}"]).configuration.cdn.edge
    #expect(edge.eviction == .s3FIFO(.paper))
    #expect(try CacheWords.policy("s3-fifo") == .s3FIFO(.libCacheSim))
    #expect(
      try parse(["cdn.edge={kind: w-tinylfu}"]).configuration.cdn.edge.eviction == .wTinyLFUWide)
    #expect(try CacheWords.policy("w-tinylfu") == .wTinyLFU)
  }

  @Test(
    arguments: [.all, .bloom, .size(atMost: 2_000_000), .probability(0.25)] as [CacheAdmission])
  func `a rule of admission is read back from its word`(_ rule: CacheAdmission) throws {
    #expect(try CacheWords.admission(CacheWords.text(rule)) == rule)
  }

  @Test(arguments: PrefetchFamily.allCases)
  func `each family of prefetch is built by the word of its row`(_ family: PrefetchFamily) throws {
    let scenario = try parse(["policy.prefetch={kind: \(family.row.word)}"])
    #expect(scenario.configuration.policy.prefetch.family == family)
  }

  @Test func `a family fixes what follows from the players`() throws {
    let pool = ["policy.pool={size: 5, ahead: 3, behind: 0}"]
    let knob = try parse(pool + ["policy.prefetch={kind: player-knob}"]).configuration.policy
      .prefetch
    #expect(knob.itemsAhead == 3)
    #expect(knob.concurrency == 5)
    #expect(knob.previousLength == .zero)
    #expect(knob.headLength == .seconds(4))
    let connection = try parse(pool + ["policy.prefetch={kind: connection}"]).configuration.policy
      .prefetch
    #expect(connection.itemsAhead == 1)
    #expect(connection.concurrency == 1)
    let segments = try parse(["policy.prefetch={kind: first-segments, segments: 3}"])
      .configuration.policy.prefetch
    #expect(segments.furtherLength == .seconds(6))
  }

  /// A word without a row would stop the process.
  @Test(arguments: WordedKey.all(ScenarioTable.schema))
  func `every word of every key is built or refused`(_ key: WordedKey) {
    for value in key.values {
      do { _ = try parse(["\(key.path)=\(value)"]) } catch { #expect(!error.problems.isEmpty) }
    }
  }

  @Test(
    arguments: World.kinds.flatMap { WordedKey.all(WorldTable.schema(of: $0), world: $0.name) })
  func `every word of every other world is built or refused`(_ key: WordedKey) {
    for value in key.values {
      do {
        _ = try StudyScenario.parse(
          "version: 1\nname: rows\nworld: \(key.world ?? "")\n", file: "rows.yaml",
          overrides: [Override(set: "\(key.path)=\(value)")])
      } catch { #expect(!error.problems.isEmpty) }
    }
  }
}
