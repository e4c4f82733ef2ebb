import Testing

@testable import TidyKit

private let manifest = SourceText(
  path: "Package.swift", text: "let targets = [.target(name: \"Models\")]\n")

/// What `tidy` says of the sizes of types in files, by their path under `Sources`.
private func report(
  _ files: [String: String], limit: Int = 2, allowing rows: [TypeLimit] = []
) -> (findings: [String], allowances: [String]) {
  var layout = Layout.firstFrame
  layout.fieldsOfType = limit
  layout.largeTypes = rows
  let report = Tidy(layout: layout).check(
    [manifest]
      + files.sorted { $0.key < $1.key }.map {
        SourceText(path: "Sources/\($0.key)", text: $0.value + "\n")
      })
  return (
    report.findings.filter { $0.rule == "type-size" }.map(\.description),
    report.allowances.filter { $0.rule == "type-size" }.map(\.description)
  )
}

private func sizes(_ text: String) -> [String] {
  let source = SourceText(path: "Sources/Models/A/World.swift", text: text)
  return FolderFile(source, Lexer.lex(source.bytes).tokens).sizes.map { "\($0.name) \($0.fields)" }
}

private let three = "struct World {\n  var a = 0\n  let b: Int\n  var c: [Int] = []\n}"

@Suite struct TypeSizeTests {
  @Test func `a type with more stored properties than the limit is reported`() {
    #expect(
      report(["Models/A/World.swift": three]).findings == [
        "Sources/Models/A/World.swift:1: error: 'World' has 3 stored properties (limit 2), "
          + "use parts that own their state, or a row of Layout.firstFrame.largeTypes [type-size]"
      ])
    #expect(report(["Models/A/World.swift": three], limit: 3).findings == [])
  }

  @Test func `this repository has the limit that was asked for`() {
    #expect(Layout.firstFrame.fieldsOfType == 24)
    #expect(Layout.firstFrame.largeTypes.allSatisfy { !$0.reason.isEmpty })
  }

  @Test(arguments: [
    "var a, b: Int", "var a: Int, b: Int", "var a = f(1, 2), b = 3",
    "var a: Int,\n    b: Int", "private(set) var a = 1\n  @Packed<UInt16> public var b = 0",
    "var a: InlineArray<4, Int>\n  var b: (Int, Int) = (0, 0)",
    "var a = 0 { didSet { let c = a; use(c) } }\n  lazy var b: Int = { let d = 1; return d }()",
    "let a =\n    f(1, 2)\n  let b: Map<\n    Int, Int>", "weak var a: B?\n  unowned let b: B",
    "var a: (Int, Int) -> Int\n  var b = 1 < 2",
  ])
  func `every name counts once, however it is declared`(lines: String) {
    #expect(sizes("struct World {\n  \(lines)\n}") == ["World 2"])
  }

  @Test(arguments: [
    "static let a = 1, b = 2", "private static var a = 0", "var a: Int { 1 }",
    "var a: Int {\n    get { 1 }\n    set { let b = newValue; use(b) }\n  }",
    "func f(_ a: Int) {\n    var b = a\n    let c = b\n  }", "class var a: Int { 1 }",
    "init() { let a = 1; use(a) }", "subscript(i: Int) -> Int { let a = i; return a }",
  ])
  func `what holds nothing in a value does not count`(lines: String) {
    #expect(sizes("final class World {\n  \(lines)\n}") == ["World 0"])
  }

  @Test func `a type inside of another has a size of its own`() {
    let text =
      "public struct World<A>: P where A: Q {\n  var a = 0\n  enum Kind { case b }\n"
      + "  struct Part {\n    var c = 0\n    var d = 0\n  }\n  var e: Part\n}\n"
      + "extension World {\n  actor Inner { let f = 1 }\n  var g: Int { 1 }\n}"
    #expect(sizes(text) == ["World 2", "Part 2", "Inner 1"])
    #expect(sizes("protocol P: class { var a: Int { get } }\nlet b = 1") == [])
  }

  @Test func `a row of the layout allows more, and is counted with its reason`() {
    let row = TypeLimit("Sources/Models", "World", fields: 3, because: "it is a list of keys")
    let found = report(["Models/A/World.swift": three], allowing: [row])
    #expect(found.findings == [])
    #expect(
      found.allowances == [
        "Sources/Models/A/World.swift:1: allowed: type-size because it is a list of keys"
      ])
    let larger = three.replacing("let b", with: "let b, d")
    #expect(
      report(["Models/A/World.swift": larger], allowing: [row]).findings == [
        "Sources/Models/A/World.swift:1: error: 'World' has 4 stored properties (limit 3), "
          + "use parts that own their state, or a row of Layout.firstFrame.largeTypes [type-size]"
      ])
    let other = TypeLimit("Sources/Feed", "World", fields: 3, because: "it is elsewhere")
    #expect(report(["Models/A/World.swift": three], allowing: [other]).findings.count == 1)
  }

  @Test func `a row that states more than there is is reported`() {
    let rows = [
      TypeLimit("Sources/Models", "World", fields: 5, because: "of tests"),
      TypeLimit("Sources/Models", "Other", fields: 5, because: "of tests"),
    ]
    var files = ["Models/A/World.swift": three]
    #expect(report(files, allowing: rows).findings == [], "only this repository has the rows")
    files["TidyKit/Layout.swift"] = "// The layout."
    #expect(
      report(files, allowing: rows).findings == [
        "Sources/TidyKit/Layout.swift:1: error: the row of Other in Sources/Models allows 5 stored "
          + "properties, the type has no more than 2, use no row [type-size]",
        "Sources/TidyKit/Layout.swift:1: error: the row of World in Sources/Models allows 5 stored "
          + "properties, the type has 3, use 3 [type-size]",
      ])
  }
}
