import Testing

@testable import TidyKit

/// A manifest that declares the folders the fixtures use.
private let manifest = SourceText(
  path: "Package.swift",
  text: """
    func house(_ name: String, below: [Target.Dependency]) -> Target { .target(name: name) }
    let package = Package(
      name: "Fixture",
      products: [.library(name: "MediaUnits", targets: ["MediaUnits"])],
      targets: [
        house("MediaUnits", below: []), house("FeedPolicy", below: ["MediaUnits"]),
        house("SimulationKernel", below: []), .target(name: "Models"),
        house("ModelBasics", below: []), house("FeedModel", below: []),
        house("Statistics", below: []),
        house("Scenario", below: []), .executableTarget(name: "firstframe"), .target(name: "CGSL"),
        .testTarget(name: "ScenarioTests"),
      ])

    """)

/// The findings of one file in the fixture repository, as printed.
private func findings(_ path: String, _ text: String) -> [String] {
  Tidy().check([manifest, SourceText(path: path, text: text)]).findings.map(\.description)
}

private let policy = "Sources/MediaUnits/A.swift"
private let kernel = "Sources/SimulationKernel/A.swift"
private let numerics = "Sources/Statistics/A.swift"
private let scenario = "Sources/Scenario/A.swift"

/// One forbidden line and the exact words that answer it.
struct Fixture: Sendable, CustomTestStringConvertible {
  let path: String
  let code: String
  let message: String
  var testDescription: String { "\(path): \(code)" }

  init(_ path: String, _ code: String, _ complaint: String, use: String, _ rule: String) {
    self.path = path
    self.code = code
    message = "\(complaint), use \(use) [\(rule)]"
  }
}

private let table = "LookupTable or a sorted array"

private let fixtures: [Fixture] = [
  // Below L3: order, randomness, clocks, concurrency, output.
  Fixture(
    policy, "let a: Dictionary<Int, Int>", "'Dictionary' is banned below L3",
    use: "\(table)", "dictionary"),
  Fixture(
    numerics, "let a: [Int: Int]? = nil", "'[K: V]' is banned below L3",
    use: "\(table)", "dictionary"),
  Fixture(
    kernel, "let a = [1: 2]", "'[K: V]' is banned below L3",
    use: "\(table)", "dictionary"),
  Fixture(
    kernel, "let a: Set<Int> = []", "'Set' is banned below L3",
    use: "\(table)", "set"),
  Fixture(
    kernel, "let a = Int.random(in: 0...1)", "'.random(' is banned below L3",
    use: "a keyed random stream", "random"),
  Fixture(
    kernel, "let a = b.shuffled()", "'.shuffled(' is banned below L3",
    use: "a keyed random stream", "random"),
  Fixture(
    numerics, "let a = SystemRandomNumberGenerator()",
    "'SystemRandomNumberGenerator' is banned below L3",
    use: "a keyed random stream", "random"),
  Fixture(
    numerics, "let a = Date()", "'Date' is banned below L3",
    use: "the 'now' handed in", "clock"),
  Fixture(
    policy, "let a = ContinuousClock.now", "'ContinuousClock' is banned below L3",
    use: "the 'now' handed in", "clock"),
  Fixture(
    policy, "let a = SuspendingClock()", "'SuspendingClock' is banned below L3",
    use: "the 'now' handed in", "clock"),
  Fixture(
    policy, "let a = DispatchTime.now()", "'DispatchTime' is banned below L3",
    use: "the 'now' handed in", "clock"),
  Fixture(
    kernel, "let a = Task { 1 }", "'Task' is banned below L3",
    use: "events and commands", "concurrency"),
  Fixture(
    kernel, "let a = Task.isCancelled", "'Task' is banned below L3",
    use: "events and commands", "concurrency"),
  Fixture(
    kernel, "func a() async {}", "'async' is banned below L3",
    use: "events and commands", "concurrency"),
  Fixture(
    kernel, "let a = await b()", "'await' is banned below L3",
    use: "events and commands", "concurrency"),
  Fixture(
    kernel, "actor A {}", "'actor' is banned below L3",
    use: "events and commands", "concurrency"),
  Fixture(
    policy, "func a() { print(1) }", "'print(' is banned below L3",
    use: "a probe or a counter", "print"),
  Fixture(
    policy, "let a = \"\\(print(1))\"", "'print(' is banned below L3",
    use: "a probe or a counter", "print"),
  Fixture(
    numerics, "final class A: @unchecked Sendable {}", "'@unchecked' is banned below L3",
    use: "value types", "unchecked-sendable"),
  Fixture(
    numerics, "struct A { nonisolated(unsafe) let b = 1 }",
    "'nonisolated(unsafe)' is banned below L3",
    use: "value types", "unchecked-sendable"),
  Fixture(
    policy, "var a = 1", "global variable 'a' is banned below L3",
    use: "a 'let' or a property of the world", "global-var"),
  Fixture(
    policy, "struct A { static var b: Int = 1 }", "global variable 'b' is banned below L3",
    use: "a 'let' or a property of the world", "global-var"),
  Fixture(
    policy, "public var a: Int { didSet { b() } }", "global variable 'a' is banned below L3",
    use: "a 'let' or a property of the world", "global-var"),
  // Embedded Swift.
  Fixture(
    policy, "let a: any Equatable", "'any' is banned in Embedded Swift code",
    use: "a generic, an enum or a class-bound protocol", "existential"),
  Fixture(
    kernel, "let a = exp(1.0)", "'exp(' is banned in Embedded Swift code",
    use: "PortableMath or a quantile table", "libm"),
  Fixture(
    kernel, "let a = Glibc.pow(1.0, 2)", "'pow(' is banned in Embedded Swift code",
    use: "PortableMath or a quantile table", "libm"),
  Fixture(
    policy, "struct A: Codable {}", "'Codable' is banned in Embedded Swift code",
    use: "encoding code at L3 or above", "codable"),
  Fixture(
    policy, "func a() throws {}", "'untyped throws' is banned in Embedded Swift code",
    use: "throws(SomeError)", "untyped-throws"),
  // Everywhere.
  Fixture(
    scenario, "let a = try! b()", "'try!' is banned everywhere",
    use: "'try' or a 'do' block", "try-bang"),
  Fixture(
    scenario, "func a() { assert(true) }", "'assert(' is banned everywhere",
    use: "'precondition' with values", "assertion"),
  Fixture(
    scenario, "func a() { assertionFailure() }", "'assertionFailure(' is banned everywhere",
    use: "'precondition' with values", "assertion"),
  Fixture(
    scenario, "let a = [\"-Oun" + "checked\"]", "'-Oun" + "checked' is banned",
    use: "the settings in Package.swift", "build-flag"),
  Fixture(
    scenario, "let a = [.unsafe" + "Flags([])]", "'unsafe" + "Flags' is banned",
    use: "the settings in Package.swift", "build-flag"),
  Fixture(
    "Makefile", "FLAGS = -Oun" + "checked", "'-Oun" + "checked' is banned",
    use: "the settings in Package.swift", "build-flag"),
  Fixture(
    scenario, "// TO" + "DO: later", "'TO" + "DO' is banned",
    use: "an issue", "todo"),
  Fixture(
    "a.md", "FIX" + "ME", "'FIX" + "ME' is banned",
    use: "an issue", "todo"),
  Fixture(
    "Makefile", "# XX" + "X", "'XX" + "X' is banned",
    use: "an issue", "todo"),
  Fixture(
    "scenarios/a.yaml", "file: /wo" + "rk/a", "'/wo" + "rk/' is a path of one machine",
    use: "a path relative to the repository", "absolute-path"),
  Fixture(
    "a.md", "see `/ro" + "ot/a`", "'/ro" + "ot/' is a path of one machine",
    use: "a path relative to the repository", "absolute-path"),
  Fixture(
    "Makefile", "A = /ho" + "me/a", "'/ho" + "me/' is a path of one machine",
    use: "a path relative to the repository", "absolute-path"),
  Fixture(
    scenario, "let a = \"/Us" + "ers/a\"", "'/Us" + "ers/' is a path of one machine",
    use: "a path relative to the repository", "absolute-path"),
  Fixture(
    scenario, "let a = 1\t", "white space at the end of the line",
    use: "none", "trailing-space"),
  Fixture(
    scenario, "let a =\t1", "a tab character",
    use: "spaces", "tab"),
  Fixture(
    ".ci/a", "a\r", "white space at the end of the line",
    use: "none", "trailing-space"),
  Fixture(
    "scenarios/a.yaml", "key: AK" + "IAABCDEFGHIJKLMNOP", "this looks like a credential",
    use: "none and revoke it", "secret"),
  Fixture(
    "a.md", "-----BEGIN RSA PRIVATE" + " KEY-----", "this looks like a credential",
    use: "none and revoke it", "secret"),
  Fixture(
    ".ci/a", "get https://pypi." + "org/x", "'pypi." + "org' is a registry's host name",
    use: "the package manager's own setting", "registry-host"),
  // Registries.
  Fixture(
    scenario, "let a = StreamName(rawValue: 3)",
    "'StreamName(' is banned outside of the registry",
    use: "a row of Sources/ModelBasics/Streams.swift", "stream"),
  Fixture(
    "Sources/FeedModel/A.swift", "let a = StreamName.init(rawValue: 3)",
    "'StreamName(' is banned outside of the registry",
    use: "a row of Sources/ModelBasics/Streams.swift", "stream"),
  Fixture(
    "Sources/ModelBasics/Streams.swift", "let a = StreamName(rawValue: 3)", "'a' has 0 rows",
    use: "one StreamRow", "stream"),
  Fixture(
    "Sources/ModelBasics/Streams.swift", "var a: StreamName { StreamName(rawValue: 3) }",
    "'a' has 0 rows", use: "one StreamRow", "stream"),
  Fixture(
    "Sources/ModelBasics/Streams.swift",
    "let a = StreamName(rawValue: 3); let all = [StreamRow(.a, \"b\", in: .feed, \"c\")]",
    "the row of 'a' has the name 'b'", use: "its own", "stream"),
  Fixture(
    "Sources/FeedModel/A.swift", "var tag: UInt32 { switch self { case .a: 1 } }",
    "the number 1 in 'tag' is banned outside of the registry",
    use: "a row of Sources/ModelBasics/EventTags.swift", "event-tag"),
  Fixture(
    "Sources/FeedModel/A.swift", "static func tag(of event: E) -> UInt32 { 7 }",
    "the number 7 in 'tag' is banned outside of the registry",
    use: "a row of Sources/ModelBasics/EventTags.swift", "event-tag"),
  // Layers.
  Fixture(
    policy, "import Foundation",
    "'import Foundation' is not in the layer table for MediaUnits (L0)",
    use: "only: nothing", "layer"),
  Fixture(
    "Sources/FeedPolicy/A.swift", "import SimulationKernel",
    "'import SimulationKernel' is not in the layer table for FeedPolicy (L0)",
    use: "only: MediaUnits", "layer"),
  Fixture(
    kernel, "@testable import struct FeedPolicy.Pool",
    "'import FeedPolicy' is not in the layer table for SimulationKernel (L1)",
    use: "only: MediaUnits", "layer"),
  Fixture(
    numerics, "import CGSL", "'import CGSL' would show GPL-3 types to other modules",
    use: "'internal import CGSL'", "layer"),
  Fixture(
    scenario, "internal import CGSL", "'import CGSL' is not in the layer table for Scenario (L3)",
    use:
      "only: CYaml, CachePolicy, CallSignalling, FeedPolicy, ForeignPolicies, Foundation, "
      + "MediaUnits, MessageDelivery, Metering, Models, ServicePolicy, SimulationKernel, "
      + "Statistics, Synchronization, UploadPolicy, Yams",
    "layer"),
]

@Suite struct RuleTests {
  @Test(arguments: fixtures)
  func `each forbidden line gives exactly its message`(_ fixture: Fixture) {
    let expected = "\(fixture.path):1: error: \(fixture.message)"
    let got = findings(fixture.path, fixture.code + "\n")
    // A tab or a carriage return at the end of a line breaks two rules; the first is the subject.
    #expect(got.contains(expected), "got \(got)")
    #expect(got.count == (fixture.code.hasSuffix("\t") ? 2 : 1), "got \(got)")
  }

  @Test func `the word forms that only look forbidden pass`() {
    let innocent = """
      /// print( try! Dictionary<K, V> any P async
      public enum Kind { case random, set, exp(Double) }
      let a = PortableMath.exp(1)
      let b = x[key: 1]
      let c = [flag ? one : two]
      let d = "Task { try! print(1) } \\(c)"
      let e = Kind.random
      func f(async: Int) throws(Failure) {}
      public var g: Int { 1 }
      struct H { static var zero: H { H() } }
      func log(_ x: Double) -> Double { x }
      let i = log(1)
      let j = catalogue.exp
      func k() { precondition(true) }
      let l: [InlineArray<3, Int>] = [.init(repeating: 1)]

      """
    #expect(findings(policy, innocent) == [])
  }

  @Test func `numbers stand in their registries, and tests and the kernel may have some`() {
    let row = "let all = [StreamRow(.a, \"a\", in: .feed, \"b\")]\n"
    let stream = "let a = StreamName(rawValue: 3)\n"
    #expect(findings("Sources/ModelBasics/Streams.swift", stream + row) == [])
    let tags = "enum Tag: UInt32 { case a = 1 }\n"
    #expect(findings("Sources/ModelBasics/EventTags.swift", tags) == [])
    let event = "var tag: UInt32 { Tag.a.rawValue }\nfunc seed(_ tag: Int) -> Int { 1 }\n"
    #expect(findings("Sources/FeedModel/A.swift", event) == [])
    #expect(findings(kernel, stream) == [])
    #expect(findings("Tests/ScenarioTests/A.swift", stream) == [])
  }

  @Test func `L3 may use what the layers below may not`() {
    let code = """
      import Foundation
      internal import Yams
      var cache: [String: Int] = [:]
      func a() async throws { print(Set([1]), Date(), exp(1.0), Int.random(in: 0...1)) }
      let b: any Error

      """
    #expect(findings(scenario, code) == [])
  }

  @Test func `Statistics may use Foundation, the C library and untyped errors`() {
    let code = """
      internal import CGSL
      import Foundation
      func a() throws -> Double { exp(1.0) }

      """
    #expect(findings(numerics, code) == [])
  }

  @Test func `an existential of a class-bound protocol passes, through another protocol too`() {
    let code = """
      protocol Base: AnyObject {}
      protocol Derived: Base, Sendable {}
      let a: any Base
      let b: any Derived

      """
    #expect(findings(kernel, code) == [])
  }

  @Test func `a path after a letter, a variable or a dot is not a machine's path`() {
    let text = "see https://example.com/ho" + "me/a, $(ROOT)/wo" + "rk/b and Sources/ro" + "ot/c\n"
    #expect(findings("a.md", text) == [])
  }

  @Test func `a line of 100 columns passes and one of 101 does not`() {
    let fits = "// " + String(repeating: "é", count: 97) + "\n"
    #expect(findings(scenario, fits) == [])
    let long = "// " + String(repeating: "é", count: 98) + "\n"
    #expect(
      findings(scenario, long) == [
        "\(scenario):1: error: 101 columns (limit 100), use shorter lines [line-length]"
      ])
    #expect(findings("a.md", long) == [], "tables of Markdown cannot be broken")
  }

  @Test func `a line inside a multi-line string may be long and end in a space`() {
    let body = String(repeating: "x", count: 120) + " "
    #expect(findings(scenario, "let a = \"\"\"\n\(body)\n\"\"\"\n") == [])
  }

  @Test(arguments: ["func a()", "init()", "subscript(i: Int) -> Int"])
  func `a function of 80 lines passes and one of 81 does not`(_ head: String) {
    let name = head.hasPrefix("func") ? "a" : String(head.prefix { $0 != "(" })
    func code(_ lines: Int) -> String {
      "struct A {\n  \(head) {\n" + String(repeating: "    b()\n", count: lines - 2) + "  }\n}\n"
    }
    #expect(findings(scenario, code(80)) == [])
    #expect(
      findings(scenario, code(81)) == [
        "\(scenario):2: error: '\(name)' is 81 lines long (limit 80), "
          + "use smaller functions [function-length]"
      ])
  }

  @Test func `a file ends with exactly one line end`() {
    #expect(
      findings("a.md", "a") == [
        "a.md:1: error: no line end at the end of the file, use exactly one [final-newline]"
      ])
    #expect(
      findings("a.md", "a\n\n") == [
        "a.md:2: error: blank lines at the end of the file, use one line end [final-newline]"
      ])
  }

  @Test func `tests may import our modules and their subject's packages, never GSL`() {
    let path = "Tests/ScenarioTests/A.swift"
    #expect(
      findings(path, "import Foundation\nimport Testing\nimport Yams\n\n@testable import Models\n")
        == [])
    let got = findings(path, "import CGSL\n")
    #expect(got.count == 1)
    #expect(got[0].hasPrefix("\(path):1: error: 'import CGSL' is not in the layer table for Scen"))
  }
}
