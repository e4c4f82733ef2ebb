import MediaUnits
import Testing

@testable import Reports
@testable import Studies

@Suite struct ProgressTextTests {
  private func progress(_ finished: Int, _ underWay: Double, look: Int = 8) -> StudyProgress {
    StudyProgress(
      finished: finished, underWay: underWay, cap: 64, nextLook: look, views: 0, events: 0,
      simulated: .zero, verdicts: [])
  }

  @Test func `replications under way together are a part of the work, never 0 or 112 %`() {
    #expect(
      ProgressText(progress(0, 1.12)).replications
        == "0 of 8 replications to the next look (at most 64), 14 % of the work")
    #expect(ProgressText(progress(0, 0.004)).replications.hasSuffix(", under 1 % of the work"))
    #expect(!ProgressText(progress(2, 0)).replications.contains("%"))
    #expect(ProgressText(progress(8, 0)).percent == 100)
  }

  @Test func `the share stays between 0 and 1, rises, and is whole only at the look`() {
    var last = 0.0
    for finished in 0..<8 {
      for step in 0...20 {
        let text = ProgressText(progress(finished, Double(step) / 10))
        #expect((0...1).contains(text.share) && (0...99).contains(text.percent))
        if step <= 10 {
          #expect(text.share >= last)
          last = text.share
        }
      }
    }
    #expect(ProgressText(progress(7, 5)).percent == 99)
    #expect(ProgressText(progress(9, 5)).share == 1)
    #expect(ProgressText(progress(0, -1)).share == 0)
  }

  @Test func `a study is shown with what is done, how fast, and what is left`() throws {
    let report = ProgressReport(RunIdentity(try Fixture.result()), threads: 3, budgets: [])
    #expect(
      report.lines(nil, elapsed: 2.4, began: nil)
        == ["no replication finished after 2 s on 3 threads"])
    let half = progress(4, 0)
    let lines = report.lines(half, elapsed: 12, began: 2)
    #expect(
      lines == [
        "4 of 8 replications to the next look (at most 64), about 10 s to go",
        "0 s simulated, 0 x real time", "0 events/s, 0 views", "no budgets",
      ])
    let block = report.block(half, elapsed: 12, began: 2)
    #expect(block[0].hasPrefix("hand-made "))
    #expect(block[0].hasSuffix("  [############............]  12 s"))
    #expect(Array(block[1...]) == lines.map { "  " + $0 })
    let json = report.json(half, elapsed: 12, began: 2).text(indent: 0)
    #expect(json.contains("\"firstframe.progress\"") && json.contains("\"secondsToNextLook\""))
    #expect(!json.contains("\n"))
  }

  @Test func `several configurations are one line`() {
    var progress = VariantProgress(finished: 6, restored: 2, total: 10, views: 99)
    #expect(
      ProgressReport.text(progress, seconds: 8)
        == "6 of 10 replications (2 kept from before), 99 views, about 8 s to go")
    progress.finished = 10
    progress.restored = 0
    #expect(ProgressReport.text(progress, seconds: 8) == "10 of 10 replications, 99 views")
  }
}
