import Foundation
import Scenario
import Testing

@testable import Reports

@Suite struct NotebookTests {
  /// What nbformat 4.5 asks of a document, as far as it concerns cells without outputs.
  private struct Document: Decodable {
    struct Cell: Decodable {
      struct Metadata: Decodable {
        var tags: [String]?
      }
      var cell_type: String
      var id: String
      var metadata: Metadata
      var source: [String]
      var outputs: [String]?
      var text: String { source.joined() }
    }
    struct Metadata: Decodable {
      struct Kernel: Decodable {
        var display_name: String
        var name: String
      }
      struct About: Decodable {
        var kind: String
        var scenario: String
        var digest: String
        var seed: Int64
      }
      var kernelspec: Kernel
      var firstframe: About
    }
    var nbformat: Int
    var nbformat_minor: Int
    var metadata: Metadata
    var cells: [Cell]
    func cell(_ id: String) throws -> Cell { try #require(cells.first { $0.id == id }) }
  }

  private static let sweep = [
    "scenario.resolved.yaml": "name: some\n",
    "sweep.json": """
    {"schema": 1, "kind": "sweep", "scenario": "some", "seed": -3, "replications": 4,
     "factors": ["policy.pool.size"], "points": [{"values": ["1"], "metrics": [
       {"metric": "ttff_ms.p95", "value": 1.0, "lower": 0.5, "upper": 1.5, "samples": 9,
        "replications": 4, "isLowerBound": false}]}],
     "effects": [{"metric": "ttff_ms.p95", "factors": "one point"}], "front": [],
     "frontPoints": []}
    """,
  ]

  private func run(
    _ topic: NotebookReport.Topic = .all, at place: String = "../results/a",
    change: (String) -> String = { $0 }
  ) throws -> String {
    let result = change(ResultDocument.text(try Fixture.result()))
    return try NotebookReport.text(
      folder: { $0 == "result.json" ? result : nil }, runDirectory: place, topic: topic)
  }

  private func sweep(_ files: [String: String] = sweep) throws -> String {
    try NotebookReport.text(folder: { files[$0] }, runDirectory: ".")
  }

  private func document(_ text: String) throws -> Document {
    try JSONDecoder().decode(Document.self, from: Data(text.utf8))
  }

  @Test func `notebooks of runs and sweeps are the same twice and in the form of nbformat 4.5`()
    throws
  {
    let texts = try NotebookReport.Topic.allCases.map { try run($0) } + [sweep()]
    #expect(try NotebookReport.Topic.allCases.map { try run($0) } + [sweep()] == texts)
    #expect(Set(texts).count == texts.count)
    for text in texts {
      let notebook = try document(text)
      #expect(notebook.nbformat == 4 && notebook.nbformat_minor == 5)
      #expect(notebook.metadata.kernelspec.name == "python3")
      #expect(Set(notebook.cells.map(\.id)).count == notebook.cells.count)
      for cell in notebook.cells {
        #expect(cell.id.wholeMatch(of: /[a-zA-Z0-9_-]{1,64}/) != nil, "\(cell.id)")
        #expect(["markdown", "code"].contains(cell.cell_type))
        // A Markdown cell has neither outputs nor a count, a code cell has both, empty.
        #expect((cell.outputs == nil) == (cell.cell_type == "markdown"))
        #expect(cell.outputs?.isEmpty != false)
        #expect(cell.source.dropLast().allSatisfy { $0.hasSuffix("\n") })
        #expect(cell.source.last?.hasSuffix("\n") == false)
      }
      let counts = text.components(separatedBy: "\"execution_count\": null").count - 1
      #expect(counts == notebook.cells.filter { $0.cell_type == "code" }.count)
      for cell in notebook.cells where cell.cell_type == "code" {
        #expect(cell.source.count <= 3, "\(cell.id)")
      }
      let tagged = notebook.cells.filter { $0.metadata.tags == ["parameters"] }
      #expect(tagged.map(\.id) == ["parameters"])
    }
  }

  @Test func `a notebook names its run and folder, and a topic leaves out what it does not need`()
    throws
  {
    let whole = try document(try run(at: "a \"b\"\\c"))
    #expect(try whole.cell("parameters").text == #"run_dir = "a \"b\"\\c""#)
    let about = whole.metadata.firstframe
    #expect(about.kind == "run" && about.scenario == "hand-made" && about.seed == 7)
    #expect(about.digest == RunIdentity(try Fixture.result()).digest)
    let startup = try document(try run(.ttff))
    let caches = try document(try run(.caches))
    let all = Set(whole.cells.map(\.id))
    for (topic, absent) in [(startup, "caches"), (caches, "times")] {
      let ids = topic.cells.map(\.id)
      #expect(all.isSuperset(of: ids))
      #expect(all.contains(absent) && !ids.contains(absent))
      for id in ["asked", "budgets", "files"] { #expect(ids.contains(id)) }
    }
  }

  @Test func `cells call the sections that the Python package has`() throws {
    let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/python/src/firstframe/_notebook.py")
    let source = try String(contentsOf: package, encoding: .utf8)
    let methods = Set(source.matches(of: #/ def (\w+)\(self/#).map { String($0.output.1) })
    for text in [try run(), try run(.ttff), try run(.caches), try sweep()] {
      let code = try document(text).cells.filter { $0.cell_type == "code" }
      for cell in code.dropFirst(2) {
        #expect(cell.text == "page.\(cell.id)()" && methods.contains(cell.id))
      }
    }
    let page = try document(try run(.ttff)).cell("page")
    #expect(page.source[0] == "try: import firstframe\n")
    #expect(page.source[1].contains("pip install firstframe-*.whl matplotlib"))
    #expect(
      page.source[2]
        == #"page = firstframe.notebook(run_dir, about="ttff", version="#
        + "\"\(ProgramVersion.number)\")")
    #expect(!(try document(try run()).cell("page").text.contains("about=")))
  }

  @Test func `text from outside is one literal of Python`() {
    #expect(
      Notebook.literal("a\"b\\\n\u{1B}\u{E0041}é'$") == #""a\"b\\\n\U0000001b\U000e0041é'$""#)
  }

  @Test func `a notebook says what its percentiles are over replications`() throws {
    let times = try document(try run()).cells.map(\.text).joined(separator: "\n")
    #expect(times.contains("Curves and percentiles are of all replications' times together"))
    #expect(!times.contains("means over the replications, so"))
    let points = try document(try sweep()).cells.map(\.text).joined(separator: "\n")
    #expect(points.contains("is the mean of the replications' values, percentiles too"))
  }

  @Test func `a sweep's digest is that of its folder's name`() throws {
    let about = try document(try sweep()).metadata.firstframe
    #expect(about.kind == "sweep" && about.scenario == "some" && about.seed == -3)
    let text = (Self.sweep["scenario.resolved.yaml"] ?? "") + (Self.sweep["sweep.json"] ?? "")
    #expect(about.digest == Digest.digest8(text))
  }

  @Test func `texts from outside are shown, never Markdown or markup`() throws {
    let text = try run { $0.replacing("\"hand-made\"", with: #""<b>*x*\n# y `z` $1$""#) }
    let title = try document(text).cell("title").text
    #expect(title.hasPrefix(##"# \<b\>\*x\* \# y \`z\` \$1\$: what the run says"## + "\n"))
  }

  @Test func `documents that are no result are refused with their file`() throws {
    func failure(_ files: [String: String]) -> String {
      do {
        _ = try sweep(files)
        return "none"
      } catch {
        return "\(error)"
      }
    }
    #expect(failure([:]) == "result.json: expected the result of a run, got no file")
    #expect(
      failure(["sweep.json": "{"])
        == "sweep.json:1:2: expected a name in double quotes, got the end of the document")
    #expect(failure(["result.json": "{}"]).hasPrefix("result.json:1:1: expected a member"))
    var files = Self.sweep
    files["scenario.resolved.yaml"] = nil
    #expect(
      failure(files)
        == "scenario.resolved.yaml: expected the scenario of the sweep, got no file")
    files = Self.sweep.mapValues { $0.replacing("\"schema\": 1", with: "\"schema\": 2") }
    #expect(failure(files) == "sweep.json: schema: expected sweep 1, got sweep 2")
    files = Self.sweep.mapValues { $0.replacing("\"values\"", with: "\"other\"") }
    #expect(failure(files).contains("points[0]: expected a member values"))
  }

  @Test(arguments: [
    ("/a/results/x", "/a/notes", "../results/x"), ("/a/x/", "/a/x", "."), ("/a/x", "/a", "x"),
    ("/a/./b/../x", "/b", "../a/x"), ("/", "/a/b", "../.."),
  ]) func `a folder is named from the notebook's place`(
    _ folder: String, _ other: String, _ path: String
  ) {
    #expect(RunFolder.path(to: folder, from: URL(fileURLWithPath: other)) == path)
  }
}
