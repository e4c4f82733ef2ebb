import Testing

@testable import TidyKit

private func list(_ text: String) -> MutantList {
  MutantList(SourceText(path: "Tests/Mutants/a.txt", text: text))
}

private let entry = """
  # A comment.
  == one
  file: Sources/A/B.swift
  fault: bound off by one
  test: Suite / it holds
  - if a < b {
  -   c()
  + if a <= b {
  +   c()

  """

@Suite struct MutantListTests {
  @Test func `an entry has a file, a fault, a test and two texts`() throws {
    let found = list(entry + "== two\nfile: D\nfault: x\ntest: t\noccurrence: 2\n- e\n")
    #expect(found.findings == [])
    try #require(found.mutants.map(\.name) == ["one", "two"])
    #expect(found.mutants.map(\.line) == [2, 10])
    #expect(found.mutants.map(\.file) == ["Sources/A/B.swift", "D"])
    #expect(found.mutants.map(\.fault) == ["bound off by one", "x"])
    #expect(found.mutants[0].find == "if a < b {\n  c()")
    #expect(found.mutants[0].replacement == "if a <= b {\n  c()")
    #expect(found.mutants[1].replacement == "")
    #expect(found.mutants.map(\.occurrence) == [nil, 2])
  }

  @Test func `what cannot be read or lacks a part is a finding`() {
    let found = list(
      "file: a\n== one\nfile: a\nfault: b\ntest: c\n== two\nfile: a\nfault: b\ntest: c\n"
        + "- d\n+ d\nwhat\nwhen: 1\noccurrence: x\n")
    #expect(found.mutants == [])
    #expect(found.findings.map(\.line).sorted() == [1, 2, 6, 12, 13, 14])
    #expect(found.findings.allSatisfy { $0.rule == "mutant" })
  }

  @Test func `the text is replaced where it stands once, or where the entry says`() {
    var mutant = Mutant(name: "a", list: "b", line: 1)
    mutant.find = "x < y"
    mutant.replacement = "x <= y"
    #expect(mutant.applied(to: "if x < y {}\n") == "if x <= y {}\n")
    #expect(mutant.applied(to: "if x > y {}\n") == nil)
    let twice = "x < y, é, x < y"
    #expect(mutant.applied(to: twice) == nil)
    mutant.occurrence = 2
    #expect(mutant.applied(to: twice) == "x < y, é, x <= y")
    mutant.occurrence = 3
    #expect(mutant.applied(to: twice) == nil)
    mutant.occurrence = nil
    mutant.find = ""
    #expect(mutant.applied(to: twice) == nil)
  }

  @Test func `a fault that no longer fits its source or its test is a finding`() {
    func findings(_ source: String, _ tests: String) -> [String] {
      Tidy().check([
        SourceText(path: "Tests/Mutants/a.txt", text: entry),
        SourceText(path: "Sources/A/B.swift", text: source),
        SourceText(path: "Tests/ATests/C.swift", text: tests),
      ]).findings.filter { $0.rule == "mutant" }.map(\.description)
    }
    let source = "if a < b {\n  c()\n}\n"
    let test = "@Test func `it holds`() {}\n"
    #expect(findings(source, "struct Suite {\n  \(test)}\n") == [])
    #expect(
      findings(source, test) == [
        "Tests/Mutants/a.txt:2: error: 'one' names 0 tests, use the name of one, "
          + "or 'Suite / name' [mutant]"
      ])
    #expect(
      findings("\n", "struct Suite {\n  \(test)}\n") == [
        "Tests/Mutants/a.txt:2: error: the text of 'one' does not stand exactly once in "
          + "Sources/A/B.swift, use its present text [mutant]"
      ])
    // A source that is not there yet is no error.
    let alone = Tidy().check([SourceText(path: "Tests/Mutants/a.txt", text: entry)])
    #expect(!alone.findings.contains { $0.rule == "mutant" })
  }
}

@Suite struct MutantRunnerTests {
  @Test func `the filter matches one test, with or without backticks`() throws {
    let test = TestCase(
      path: "Tests/FeedTests/A.swift", line: 1, suite: "Pool (3)", name: "it holds?", rows: [])
    let pattern = try Regex(MutantRunner.filter(for: test))
    #expect("FeedTests.`Pool (3)`/`it holds?`()/A.swift:1:1".contains(pattern))
    #expect("FeedTests.`Pool (3)`/`it holds?`(seed:)".contains(pattern))
    #expect(!"FeedTests.`Pool (3)`/`it holds? no`()".contains(pattern))
    #expect(!"FeedTests.`Pool 3`/`it holds?`()".contains(pattern))
    #expect(!"OtherTests.`Pool (3)`/`it holds?`()".contains(pattern))
  }

  @Test func `a failure, a trap and a test that does not end are catches, other ends are not`() {
    func outcome(_ code: Int32, _ output: String) -> MutantRunner.Outcome {
      MutantRunner.outcome(of: code, output, "it holds")
    }
    #expect(outcome(1, "✘ Test \"it holds\" failed after 1 s") == .caught("it holds"))
    #expect(outcome(132, "…") == .caught("it holds (by a trap)"))
    #expect(outcome(124, "") == .caught("it holds (did not end)"))
    #expect(outcome(0, "✔ Test run with 1 test passed") == .survived)
    #expect(outcome(0, "✔ Test run with 0 tests passed") == .broken("the test did not run"))
    #expect(
      outcome(1, "✘ Test \"another\" failed")
        == .broken("exit code 1 without a failure of the test"))
  }
}
