import AudienceModel
import FeedPolicy
import MediaUnits
import SimulationKernel

/// The text of an item's storyboard, as a packager writes it and an app reads it.
extension Viewer {
  /// Columns of a sheet, and the size of one picture (parameters.md section 5: sheets of 5 by 5
  /// pictures; the size is assumed).
  private static let columns: Int64 = 5
  private static let width: Int64 = 160
  private static let height: Int64 = 90

  func readStoryboard(_ item: UInt32) {
    let place = place(item)
    guard items[place].item == item else { return }
    clientState.pointee.storyboard = StoryboardIndex(
      storyboardText(items[place].title))
    clientState.pointee.storyboardItem = item
  }

  /// Pictures of a title's storyboard.
  func spriteCount(_ title: Title) -> UInt32 {
    let count = UInt32(title.duration.wholeSteps(of: catalogue.pointee.spriteSpan)) + 1
    let most = UInt32(ObjectLayout.maximumSprites)
    return count < most ? count : most
  }

  /// One cue for each picture; the pictures of a sheet in rows, the last sheet takes what is left.
  func storyboardText(_ title: Title) -> [UInt8] {
    var text: [UInt8] = []
    append("WEBVTT\n", to: &text)
    let step = catalogue.pointee.cueSpan
    let sheets = Int64(spriteCount(title))
    var start = TimeSpan.zero
    while start < title.duration {
      let next = start + step
      let end = next < title.duration ? next : title.duration
      let sheet = min(start.wholeSteps(of: catalogue.pointee.spriteSpan), sheets - 1)
      let picture = (start - catalogue.pointee.spriteSpan * sheet).wholeSteps(of: step)
      append("\n", to: &text)
      appendTime(start, to: &text)
      append(" --> ", to: &text)
      // A cue may not end where it starts, to the millisecond.
      appendTime(max(end, start + .milliseconds(1)), to: &text)
      append("\ns", to: &text)
      appendNumber(sheet, digits: 1, to: &text)
      append(".jpg#xywh=", to: &text)
      appendNumber(picture % Viewer.columns * Viewer.width, digits: 1, to: &text)
      append(",", to: &text)
      appendNumber(picture / Viewer.columns * Viewer.height, digits: 1, to: &text)
      append(",160,90\n", to: &text)
      start = next
    }
    return text
  }

  private func append(_ words: StaticString, to text: inout [UInt8]) {
    for index in 0..<words.utf8CodeUnitCount { text.append(words.utf8Start[index]) }
  }

  private func appendNumber(_ number: Int64, digits: Int, to text: inout [UInt8]) {
    var rest = number
    var reversed: [UInt8] = []
    repeat {
      reversed.append(0x30 + UInt8(rest % 10))
      rest /= 10
    } while rest > 0 || reversed.count < digits
    text.append(contentsOf: reversed.reversed())
  }

  /// `hh:mm:ss.ttt`
  private func appendTime(_ time: TimeSpan, to text: inout [UInt8]) {
    let milliseconds = time.nanoseconds / 1_000_000
    appendNumber(milliseconds / 3_600_000, digits: 2, to: &text)
    append(":", to: &text)
    appendNumber(milliseconds / 60_000 % 60, digits: 2, to: &text)
    append(":", to: &text)
    appendNumber(milliseconds / 1_000 % 60, digits: 2, to: &text)
    append(".", to: &text)
    appendNumber(milliseconds % 1_000, digits: 3, to: &text)
  }
}
