import Foundation
import Testing

@testable import Scenario

@Suite struct KeyEntryTests {
  @Test(arguments: WorldKeys.names) func `no key of a world lacks meaning, unit or source`(
    name: String
  ) throws {
    let world = try #require(WorldKeys.named(name))
    #expect(world.keys.count > 40)
    for key in world.keys {
      #expect(!key.meaning.isEmpty, "\(key.path)")
      #expect(!key.unit.isEmpty && !key.form.isEmpty, "\(key.path)")
      #expect(!key.source.isEmpty, "\(key.path)")
    }
    #expect(Set(world.keys).count == world.keys.count)
  }

  @Test func `every key of every shipped scenario is among the keys of its world`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "scenarios")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".yaml") }
    #expect(files.count > 30)
    for file in files {
      let scenario = try StudyScenario.load(folder.appending(path: file).path)
      let world = WorldKind.named(scenario.plan.name)?.name ?? WorldKeys.feed
      let known = Set(try #require(WorldKeys.named(world)).keys.map(\.path))
      for path in KeyPaths.of(scenario.file.tree.root) {
        #expect(known.contains(path), "\(file): \(path)")
      }
    }
  }

  @Test func `what several kinds have alike is one key, and what some have names them`() throws {
    let schema = Schema(
      title: "t", summary: "s",
      [
        Field(
          "cache",
          .kinds([
            Kind("a", "A", [Field("size", .bytes(), default: "1 B", "Its size")]),
            Kind(
              "b", "B",
              [
                Field("size", .bytes(), default: "1 B", "Its size"),
                Field("wait", .law(.time), default: "1 s", "How long"),
              ]),
            Kind("c", "C", [Field("size", .bytes(), default: "2 B", "Its size")]),
          ]), default: "{kind: a}", "The cache"),
        Field(
          "list", .list(.object(ObjectShape([Field("x", .ratio, default: "1", "An x")]))),
          default: "[]", "Some"),
        Field("names", .map(value: .integer(1...9)), default: "{}", "By name"),
      ])
    let keys = schema.keys()
    let own = keys.filter { !$0.path.hasPrefix(KeyEntry.lawPath) }
    #expect(
      own.map { "\($0.path) \($0.kinds.joined(separator: "+"))" } == [
        "extends ", "cache ", "cache.kind ", "cache.size a+b", "cache.wait b", "cache.size c",
        "list ", "list[].x ", "names ", "names.* ",
      ])
    #expect(own.first { $0.path == "cache.kind" }?.words.map(\.summary) == ["A", "B", "C"])
    let median = try #require(keys.first { $0.path == "\(KeyEntry.lawPath).median" })
    #expect(median.unit == "as the key" && median.kinds == ["lognormal"])
    #expect(keys.contains { $0.path == "\(KeyEntry.lawPath).clip.min" && $0.kinds.isEmpty })
  }

  @Test(arguments: [
    ("capacity", true), ("EDGE", true), ("how much", true), ("cdn.*.capacity", true), ("*", true),
    ("cdn.*", true), ("*.edge", false), ("edge.*", false), ("nothing", false), ("sieve", true),
  ]) func `a pattern is a part of anything, or with a star the whole path`(
    pattern: String, isFound: Bool
  ) {
    let key = KeyEntry(
      path: "cdn.edge.capacity", kinds: ["lru"], meaning: "How much it holds", unit: "bytes",
      form: "a size", words: [Word("sieve", "One")], preset: "4 TB", source: "assumed")
    #expect(key.matches(pattern) == isFound)
  }
}

/// The key paths of a resolved scenario as the list of keys has them.
private enum KeyPaths {
  static func of(_ node: ResolvedNode) -> Set<String> {
    var paths: Set<String> = []
    collect(node, "", into: &paths)
    return paths
  }

  private static func collect(_ node: ResolvedNode, _ path: String, into paths: inout Set<String>) {
    switch node.value {
    case .list(let elements):
      for element in elements { collect(element, path + "[]", into: &paths) }
    case .map(let fields):
      for field in fields { collect(field.node, path + ".*", into: &paths) }
    case .law(_, let form):
      for field in form.fields ?? [] {
        paths.insert("\(KeyEntry.lawPath).\(field.key)")
      }
    default:
      for field in node.fields ?? [] {
        let own = path.isEmpty ? field.key : "\(path).\(field.key)"
        paths.insert(own)
        collect(field.node, own, into: &paths)
      }
    }
  }
}
