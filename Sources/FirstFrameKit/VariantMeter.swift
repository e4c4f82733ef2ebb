import Foundation
import Reports
import Studies
import Synchronization

/// Shows on standard error how far a study of several configurations is: a redrawn line on a
/// terminal, a line every ten seconds otherwise.
final class VariantMeter: Sendable {
  private struct State {
    var lastShown = ContinuousClock.now
    var isDrawn = false
  }

  private let isQuiet: Bool
  private let isTerminal = Console.isTerminal(STDERR_FILENO)
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  func update(_ progress: VariantProgress) {
    if isQuiet { return }
    state.withLock { state in
      let now = ContinuousClock.now
      if !isTerminal && now - state.lastShown < .seconds(10) { return }
      state.lastShown = now
      let text = ProgressReport.text(progress, seconds: (now - start).seconds)
      if isTerminal {
        Console.draw("\r\u{1B}[K", text)
        state.isDrawn = true
      } else {
        Console.note("progress: " + text)
      }
    }
  }

  func finish() {
    state.withLock { state in
      if state.isDrawn { Console.draw("\r\u{1B}[K") }
      state.isDrawn = false
    }
  }
}

extension Duration {
  /// The length in seconds.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
