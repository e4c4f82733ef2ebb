import Testing

@testable import TidyKit

private let manifest = SourceText(
  path: "Package.swift", text: "let targets = [.target(name: \"Models\")]\n")

private let marked =
  "use what stands above from above, or move it below, or a row of Layout.firstFrame.fileCircles"

/// What `tidy` says of files, by their path under `Sources`, when circles of one file alone are
/// allowed.
private func report(
  _ files: [String: String], most: Int = 1, allowing rows: [FileCircleLimit] = []
) -> TidyReport {
  var layout = Layout.firstFrame
  layout.filesInCircle = most
  layout.fileCircles = rows
  return Tidy(layout: layout).check(
    [manifest]
      + files.sorted { $0.key < $1.key }.map {
        SourceText(path: "Sources/\($0.key)", text: $0.value + "\n")
      })
}

private func circles(
  _ files: [String: String], most: Int = 1, allowing rows: [FileCircleLimit] = []
) -> [String] {
  report(files, most: most, allowing: rows).findings.filter { $0.rule == "file-circle" }
    .map(\.description)
}

/// Two files of one type that call each other, the second by `call`.
private func pair(_ call: String, begin: String = "  func begin() { end() }") -> [String: String] {
  [
    "Models/A/World.swift": "struct World {\n\(begin)\n}",
    "Models/A/World+End.swift": "extension World {\n  func end() { \(call) }\n}",
  ]
}

/// Files of one type, each of which calls the next one and the last one the first.
private func ring(_ count: Int) -> [String: String] {
  var files: [String: String] = [:]
  for number in 0..<count {
    files["Models/A/Part\(number).swift"] =
      "extension World {\n  func part\(number)() { part\((number + 1) % count)() }\n}"
  }
  return files
}

@Suite struct FileCircleTests {
  @Test func `a circle is reported with its files and each call that alone closes it`() {
    #expect(
      circles(pair("begin()")) == [
        "Sources/Models/A/World+End.swift:2: error: 2 files call each other in a circle "
          + "(World+End, World), 1 may, without one of these it is small enough "
          + "('begin' of World in World+End:2; 'end' of World+End in World:2), \(marked) "
          + "[file-circle]"
      ])
    #expect(circles(pair("begin()"), most: 2) == [])
    #expect(circles(ring(6), most: 6) == [])
    #expect(circles(ring(6), most: 5).count == 1)
    #expect(circles(ring(6).filter { $0.key != "Models/A/Part3.swift" }) == [])
  }

  @Test func `a call that leaves a circle which is small enough is named too`() {
    var files = ring(4)
    files["Models/A/Part1.swift"] = "extension World {\n  func part1() { part2(); part0() }\n}"
    #expect(
      circles(files, most: 3) == [
        "Sources/Models/A/Part0.swift:2: error: 4 files call each other in a circle "
          + "(Part0, Part1, Part2, Part3), 3 may, without one of these it is small enough "
          + "('part1' of Part1 in Part0:2; 'part2' of Part2 in Part1:2; "
          + "'part3' of Part3 in Part2:2; 'part0' of Part0 in Part3:2), \(marked) [file-circle]"
      ])
  }

  @Test func `a circle that no call alone closes is reported with few that do together`() {
    var files: [String: String] = [:]
    let parts = Array(0..<5)
    for number in parts {
      let calls = parts.filter { $0 != number }.map { "part\($0)()" }.joined(separator: "; ")
      files["Models/A/Part\(number).swift"] =
        "extension World {\n  func part\(number)() { \(calls) }\n}"
    }
    #expect(
      circles(files, most: 3) == [
        "Sources/Models/A/Part1.swift:2: error: 5 files call each other in a circle "
          + "(Part0, Part1, Part2, Part3, Part4), 3 may, without all of these there is none "
          + "('part0' of Part0 in Part1:2; 'part0' of Part0 in Part2:2; "
          + "'part1' of Part1 in Part2:2; 'part0' of Part0 in Part3:2; "
          + "'part1' of Part1 in Part3:2; 'part2' of Part2 in Part3:2; 4 more), \(marked) "
          + "[file-circle]"
      ])
  }

  @Test func `a folder within a folder is one of its own, and tests have no circles`() {
    var files = pair("begin()")
    files["Models/A/B/World+End.swift"] = files.removeValue(forKey: "Models/A/World+End.swift")
    #expect(circles(files) == [])
    let tests = pair("begin()").map {
      SourceText(path: "Tests/ModelsTests/\($0.key)", text: $0.value + "\n")
    }
    var layout = Layout.firstFrame
    layout.filesInCircle = 1
    let found = Tidy(layout: layout).check([manifest] + tests.sorted { $0.path < $1.path }).findings
    #expect(!found.contains { $0.rule == "file-circle" })
  }

  @Test(
    arguments: [
      "self.begin()", "let a = 0...begin()", "_ = \"\\(begin())\"", "if begin() {}", "try begin()",
      "_ = [begin()]", "_ = !begin()",
    ])
  func `what is a call for sure is one`(_ code: String) {
    #expect(circles(pair(code)).count == 1)
  }

  @Test(
    arguments: [
      // On another value.
      "other.begin()", "other?.begin()", "self.other.begin()", ".begin()", "Other.self.begin()",
      // No call.
      "_ = begin", "// begin()", "_ = \"begin()\"", "@begin() var a = 1", "#begin()",
      "enum Step { case begin(Int) }", "run(begin: 1)",
    ])
  func `what is after a dot and what is no call is none`(_ code: String) {
    #expect(circles(pair("\n    \(code)\n  ")) == [])
  }

  @Test func `a name that two files declare is not counted`() {
    var files = pair("begin()")
    files["Models/A/Other.swift"] = "struct Other {\n  func begin() {}\n}"
    #expect(circles(files) == [])
    // One that a file declares twice is.
    files["Models/A/Other.swift"] = nil
    files["Models/A/World.swift"]? += "\nstruct Other {\n  func begin() {}\n}"
    #expect(circles(files).count == 1)
  }

  @Test(arguments: ["private func", "fileprivate mutating func"])
  func `a private function is called by its own file only`(_ words: String) {
    #expect(circles(pair("begin()", begin: "  \(words) begin() { end() }")) == [])
  }

  @Test func `a file that calls itself is no circle`() {
    let files = [
      "Models/A/World.swift": "struct World {\n  func a() { b() }\n  func b() { a(); b() }\n}"
    ]
    #expect(circles(files) == [])
    #expect(circles(files, most: 0) == [])
  }

  @Test func `a row of the layout allows more, and is counted with its reason`() {
    let row = FileCircleLimit("Sources/Models/A", files: 6, because: "it is old")
    let found = report(ring(6), allowing: [row])
    #expect(!found.findings.contains { $0.rule == "file-circle" })
    #expect(
      found.allowances.map(\.description) == [
        "Sources/Models/A/Part0.swift:1: allowed: file-circle because it is old"
      ])
    #expect(circles(ring(7), allowing: [row]).count == 1)
    let other = FileCircleLimit("Sources/Models/B", files: 6, because: "it is elsewhere")
    #expect(circles(ring(6), allowing: [other]).count == 1)
  }

  @Test func `a row that states more than there is is reported`() {
    let rows = [
      FileCircleLimit("Sources/Models/A", files: 7, because: "of tests"),
      FileCircleLimit("Sources/Models/B", files: 7, because: "of tests"),
    ]
    var files = ring(6)
    #expect(circles(files, most: 5, allowing: rows) == [], "only this repository has the rows")
    files["TidyKit/Layout.swift"] = "// The layout."
    #expect(
      circles(files, most: 5, allowing: rows) == [
        "Sources/TidyKit/Layout.swift:1: error: the row of Sources/Models/A allows a circle of "
          + "7 files, the largest has 6, use 6 [file-circle]",
        "Sources/TidyKit/Layout.swift:1: error: the row of Sources/Models/B allows a circle of "
          + "7 files, the largest has 0, use no row [file-circle]",
      ])
    // One that states what every folder may is none.
    let exact = FileCircleLimit("Sources/Models/A", files: 6, because: "of tests")
    #expect(circles(files, most: 5, allowing: [exact]) == [])
    #expect(circles(files, most: 6, allowing: [exact]).count == 1)
  }
}
