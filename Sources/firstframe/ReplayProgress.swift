import Foundation
import Synchronization

/// One redrawn line on standard error about what is read and replayed; nothing without a terminal.
final class ReplayProgress: Sendable {
  private struct State {
    var jobs = 0
    var finished = 0
    var isDrawn = false
    var last = ContinuousClock.now
  }

  private let isShown = Console.isTerminal(STDERR_FILENO)
  private let state = Mutex(State())

  /// So many bytes are read.
  func show(bytes: Int) {
    draw { _ in "read \(bytes >> 20) MiB" }
  }

  /// So many replays are to come.
  func start(jobs: Int) {
    state.withLock { $0.jobs = jobs }
  }

  /// One more replay is done.
  func finishJob() {
    state.withLock { $0.finished += 1 }
    draw { "\($0.finished) of \($0.jobs) replays" }
  }

  /// Takes the line away.
  func clear() {
    if !isShown { return }
    state.withLock { state in
      if state.isDrawn { Console.draw("\r\u{1B}[K") }
      state.isDrawn = false
    }
  }

  private func draw(_ text: (State) -> String) {
    if !isShown { return }
    state.withLock { state in
      let now = ContinuousClock.now
      if state.isDrawn && now - state.last < .milliseconds(100) { return }
      state.last = now
      state.isDrawn = true
      Console.draw("\r\u{1B}[K" + text(state))
    }
  }
}
