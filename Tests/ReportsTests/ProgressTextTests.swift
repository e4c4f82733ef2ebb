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
}
