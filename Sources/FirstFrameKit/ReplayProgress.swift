import Foundation
import Synchronization

/// One redrawn line on standard error about what is read and replayed; nothing without a terminal.
final class ReplayProgress: Sendable {
  private struct State {
    var isDrawn = false
    var last = ContinuousClock.now
  }

  private let isShown = Console.isTerminal(STDERR_FILENO)
  private let state = Mutex(State())

  /// So many bytes are read.
  func show(bytes: Int) {
    draw("read \(bytes >> 20) MiB")
  }

  /// So many replays of all are done.
  func show(finished: Int, of jobs: Int) {
    draw("\(finished) of \(jobs) replays")
  }

  /// Takes the line away.
  func clear() {
    if !isShown { return }
    state.withLock { state in
      if state.isDrawn { Console.draw("\r\u{1B}[K") }
      state.isDrawn = false
    }
  }

  private func draw(_ text: String) {
    if !isShown { return }
    state.withLock { state in
      let now = ContinuousClock.now
      if state.isDrawn && now - state.last < .milliseconds(100) { return }
      state.last = now
      state.isDrawn = true
      Console.draw("\r\u{1B}[K", text)
    }
  }
}
