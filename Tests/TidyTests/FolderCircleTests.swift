import Testing

@testable import TidyKit

private let manifest = SourceText(
  path: "Package.swift", text: "let targets = [.target(name: \"Models\")]\n")

private let marked = "use it from above, or move it below, or a row of Layout.firstFrame.circles"

/// What `tidy` says of files, by their path under `Sources`.
private func report(
  _ files: [String: String], allowing rows: [FolderAllowance] = []
) -> TidyReport {
  var layout = Layout.firstFrame
  layout.circles = rows
  return Tidy(layout: layout).check(
    [manifest]
      + files.sorted { $0.key < $1.key }.map {
        SourceText(path: "Sources/\($0.key)", text: $0.value + "\n")
      })
}

private func circles(
  _ files: [String: String], allowing rows: [FolderAllowance] = []
) -> [String] {
  report(files, allowing: rows).findings.filter { $0.rule == "folder-circle" }.map(\.description)
}

/// A folder above another: it uses `Low` more often than anything of it is used below.
private let high = "struct High {\n  var a: Low\n  var b: Low\n  var c: Low\n}"

private let up = [
  "Models/A/Low.swift": "struct Low {}\n\nfunc up() -> High? { nil }", "Models/B/High.swift": high,
]

@Suite struct FolderCircleTests {
  @Test func `the references that close a circle are reported, each name once in a file`() {
    #expect(
      circles(up) == [
        "Sources/Models/A/Low.swift:3: error: 'High' of 'B' closes a circle of folders (A, B), "
          + "\(marked) [folder-circle]"
      ])
    var again = up
    again["Models/A/Low.swift"]? += "\nfunc upAgain() -> High? { nil }"
    #expect(circles(again).count == 1)
    again["Models/A/Second.swift"] = "func second() -> High? { nil }"
    again["Models/B/More.swift"] = "let more = Low()"
    #expect(circles(again).count == 2)
  }

  @Test func `folders in an order are fine, and so are folders of different modules`() {
    #expect(circles(["Models/A/Low.swift": "struct Low {}", "Models/B/High.swift": high]) == [])
    #expect(
      circles([
        "Models/A/Low.swift": "struct Low {}\nlet high: High? = nil",
        "Scenario/B/High.swift": high,
      ]) == [])
  }

  @Test func `a circle of three folders has one reference to cut`() {
    let found = circles([
      "Models/A/One.swift": "struct One { let a: Two? = nil, b: Two? = nil }",
      "Models/B/Two.swift": "struct Two { let a: Three? = nil, b: Three? = nil }",
      "Models/C/Three.swift": "struct Three {}\nfunc three() -> One? { nil }",
    ])
    #expect(
      found == [
        "Sources/Models/C/Three.swift:2: error: 'One' of 'A' closes a circle of folders "
          + "(A, B, C), \(marked) [folder-circle]"
      ])
  }

  @Test func `a module's own files are a folder, and so is one with folders of its own`() {
    let found = circles([
      "Models/Low.swift": "struct Low {}\nfunc up() -> High? { nil }",
      "Models/B/Deep/High.swift": high,
    ])
    #expect(
      found == [
        "Sources/Models/Low.swift:2: error: 'High' of 'B' closes a circle of folders "
          + "(the module's own files, B), \(marked) [folder-circle]"
      ])
  }

  @Test(
    arguments: [
      // Not code.
      "// High\nlet a = \"High\"",
      // Another type of this name.
      "struct Outer {\n  struct High {}\n  var high: High\n}", "let a = Outer.High()",
      "private struct High {}\nlet a = High()", "func a<High>(_ high: High) {}",
      "struct A<B, High> {\n  var high: High\n}", "protocol A {\n  associatedtype High\n}",
      // Declared in both folders.
      "struct High {}\nlet a = High()",
    ])
  func `what is no reference for sure is none`(_ code: String) {
    #expect(
      circles(["Models/A/Low.swift": "struct Low {}\n" + code, "Models/B/High.swift": high]) == [])
  }

  @Test(
    arguments: [
      "let a: Models.High? = nil", "let a = [High]()", "extension High {}",
      "let a = \"\\(High.self)\"", "public struct A {\n  private(set) var a: High?\n}",
    ])
  func `what is one is`(_ code: String) {
    #expect(
      circles(["Models/A/Low.swift": "struct Low {}\n" + code, "Models/B/High.swift": high]).count
        == 1)
  }

  @Test(arguments: ["func climb() {}", "let climb = 1", "extension Low {\n  func climb() {}\n}"])
  func `so are functions, variables and members that extensions add`(_ code: String) {
    let low = "struct Low {\n  func a() { climb() }\n}"
    let files = ["Models/A/Low.swift": low, "Models/B/High.swift": high + "\n" + code]
    #expect(circles(files).count == 1)
    var labelled = files
    labelled["Models/A/Low.swift"] = "struct Low {\n  func a() { b(climb: 1) }\n}"
    #expect(circles(labelled) == [])
    // Whether this one is meant is not known.
    var other = files
    other["Scenario/C.swift"] = "struct Other {\n  func climb() {}\n}"
    #expect(circles(other) == [])
  }

  @Test func `a private function and a member of the folder's own type are not`() {
    let low = "struct Low {\n  func a() { climb() }\n}"
    for code in ["private func climb() {}", "extension High {\n  func climb() {}\n}"] {
      #expect(
        circles(["Models/A/Low.swift": low, "Models/B/High.swift": high + "\n" + code]) == [])
    }
  }

  @Test func `a row of the layout allows a name, and is counted with its reason`() {
    let row = FolderAllowance("Models", from: "A", to: "B", ["High"], because: "it is old")
    let found = report(up, allowing: [row])
    #expect(!found.findings.contains { $0.rule == "folder-circle" })
    #expect(
      found.allowances.map(\.description) == [
        "Sources/Models/A/Low.swift:3: allowed: folder-circle because it is old"
      ])
    let others = [
      FolderAllowance("Models", from: "B", to: "A", ["High"], because: "it is the other way"),
      FolderAllowance("Scenario", from: "A", to: "B", ["High"], because: "it is elsewhere"),
      FolderAllowance("Models", from: "A", to: "B", ["Higher"], because: "it is another"),
    ]
    #expect(circles(up, allowing: others).count == 1)
  }

  @Test func `a row that allows nothing is reported`() {
    let rows = [
      FolderAllowance("Models", from: "A", to: "B", ["High", "Higher"], because: "of tests"),
      // A reference, but of no circle.
      FolderAllowance("Models", from: "C", to: "A", ["Low"], because: "of tests"),
    ]
    var files = up
    files["Models/C/Top.swift"] = "let low = Low()"
    #expect(circles(files, allowing: rows) == [], "only this repository has the rows' folders")
    files["TidyKit/Layout.swift"] = "// The layout."
    #expect(
      circles(files, allowing: rows) == [
        "Sources/TidyKit/Layout.swift:1: error: the row of Models that lets 'A' use 'Higher' of "
          + "'B' allows nothing, use no row [folder-circle]",
        "Sources/TidyKit/Layout.swift:1: error: the row of Models that lets 'C' use 'Low' of "
          + "'A' allows nothing, use no row [folder-circle]",
      ])
  }
}
