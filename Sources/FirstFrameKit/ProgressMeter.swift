import ArgumentParser
import Dispatch
import Foundation
import Reports
import Scenario
import Studies
import Synchronization

/// How progress is shown.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// A redrawn block on a terminal, plain lines otherwise.
  case auto
  /// A line every ten seconds.
  case plain
  /// A JSON object on a line after every replication, and every second within long ones.
  case json
  case none
}

/// Shows on standard error how far a study is.
final class ProgressMeter: Sendable {
  private enum Form { case block, plain, json, none }

  private struct State {
    var latest: StudyProgress?
    /// When the first replication began, seconds after the start.
    var began: Double?
    /// When the last line of JSON was written, and for how many replications.
    var told = (at: 0.0, finished: 0)
    /// Lines of the block on the screen.
    var drawn = 0
    var isFinished = false
  }

  private let form: Form
  private let report: ProgressReport
  private let start = ContinuousClock.now
  private let state = Mutex(State())
  // Dispatch sources may be used from any thread; their module does not say so.
  // On a queue of its own: the study keeps every thread of the cooperative pool busy.
  nonisolated(unsafe) private let timer = DispatchSource.makeTimerSource(
    queue: DispatchQueue(label: "progress"))

  init(_ style: ProgressStyle, identity: RunIdentity, threads: Int, budgets: [Budget]) {
    form =
      switch style {
      case .auto: Console.isTerminal(STDERR_FILENO) ? .block : .plain
      case .plain: .plain
      case .json: .json
      case .none: .none
      }
    report = ProgressReport(identity, threads: threads, budgets: budgets)
  }

  /// Begins to show progress.
  func start(every plainInterval: DispatchTimeInterval = .seconds(10)) {
    if form == .none || form == .json { return }
    if form == .block {
      timer.schedule(deadline: .now(), repeating: .milliseconds(250))
    } else {
      timer.schedule(deadline: .now() + plainInterval, repeating: plainInterval)
    }
    timer.setEventHandler { self.tick() }
    timer.resume()
  }

  /// Takes note of how far the study is.
  func update(_ progress: StudyProgress) {
    state.withLock { state in
      state.latest = progress
      let elapsed = elapsed
      let began = state.began ?? elapsed
      state.began = began
      if form != .json { return }
      let isNew = progress.finished > state.told.finished
      if isNew || (progress.underWay > 0 && elapsed >= state.told.at + 1) {
        state.told = (elapsed, progress.finished)
        Console.note(
          report.json(progress, elapsed: elapsed, began: began).text(indent: 0))
      }
    }
  }

  /// Shows a message without disturbing the block.
  func say(_ message: String) {
    if form == .none { return }
    state.withLock { state in
      erase(&state)
      Console.error(message)
    }
  }

  /// Stops and clears the block.
  func finish() {
    if form == .block || form == .plain { timer.cancel() }
    state.withLock { state in
      state.isFinished = true
      erase(&state)
    }
  }

  private func erase(_ state: inout State) {
    if state.drawn > 0 { Console.draw("\u{1B}[\(state.drawn)A\u{1B}[J") }
    state.drawn = 0
  }

  private func tick() {
    state.withLock { state in
      if state.isFinished { return }
      if form == .plain {
        let lines = report.lines(state.latest, elapsed: elapsed, began: state.began)
        Console.note("progress: " + lines.joined(separator: "; "))
        return
      }
      let width = Console.width(STDERR_FILENO)
      let block = report.block(state.latest, elapsed: elapsed, began: state.began)
      let lines = block.map { String($0.prefix(max(20, width - 1))) }
      let up = state.drawn > 0 ? "\u{1B}[\(state.drawn)A\u{1B}[J" : ""
      Console.draw(up, lines.map { $0 + "\n" }.joined())
      state.drawn = lines.count
    }
  }

  /// How far the study was when it was heard of last.
  var latest: StudyProgress? { state.withLock(\.latest) }

  /// How much of the work to the next look is done, in words.
  var shareDone: String { latest.map { ProgressText($0).percentText } ?? "nothing" }

  private var elapsed: Double { (ContinuousClock.now - start).seconds }
}
