import ArgumentParser
import Dispatch
import Foundation
import MediaUnits
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
  private let identity: RunIdentity
  private let threads: Int
  private let budgets: [Budget]
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
    self.identity = identity
    self.threads = threads
    self.budgets = budgets
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
        Console.note(json(progress, began: began))
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
        Console.note("progress: " + words(state.latest, state.began).joined(separator: "; "))
        return
      }
      let width = Console.width(STDERR_FILENO)
      let lines = block(state.latest, state.began).map { String($0.prefix(max(20, width - 1))) }
      let up = state.drawn > 0 ? "\u{1B}[\(state.drawn)A\u{1B}[J" : ""
      Console.draw(up + lines.map { $0 + "\n" }.joined())
      state.drawn = lines.count
    }
  }

  /// How far the study was when it was heard of last.
  var latest: StudyProgress? { state.withLock(\.latest) }

  /// How much of the work to the next look is done, in words.
  var shareDone: String { latest.map { ProgressText($0).percentText } ?? "nothing" }

  // MARK: Texts

  private var elapsed: Double {
    let duration = ContinuousClock.now - start
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private func words(_ latest: StudyProgress?, _ began: Double?) -> [String] {
    let elapsed = elapsed
    guard let progress = latest, progress.finished > 0 || progress.underWay > 0 else {
      return ["no replication finished after \(whole(elapsed)) s on \(threads) threads"]
    }
    let simulated = progress.simulated.seconds
    let eta =
      progress.remaining(after: elapsed - (began ?? 0)).map { ", about \(whole($0)) s to go" } ?? ""
    return [
      ProgressText(progress).replications + eta,
      "\(whole(simulated)) s simulated, \(whole(simulated / elapsed)) x real time",
      "\(whole(Double(progress.events) / elapsed)) events/s, \(progress.views) views",
      verdicts(progress),
    ]
  }

  private func verdicts(_ progress: StudyProgress) -> String {
    if budgets.isEmpty { return "no budgets" }
    let texts = zip(budgets, progress.verdicts).map { budget, verdict in
      "\(budget.metric) \(verdict == .notRun ? "undecided" : verdict.rawValue)"
    }
    return texts.joined(separator: ", ")
  }

  private func block(_ latest: StudyProgress?, _ began: Double?) -> [String] {
    let head = "\(identity.name) \(identity.digest)  \(bar(latest))  \(whole(elapsed)) s"
    return [head] + words(latest, began).map { "  " + $0 }
  }

  private func bar(_ latest: StudyProgress?) -> String {
    let width = 24
    let filled = Int((latest.map { ProgressText($0).share } ?? 0) * Double(width))
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: width - filled) + "]"
  }

  private func whole(_ value: Double) -> String {
    value.isFinite && abs(value) < 1e18 ? "\(Int64(value.rounded()))" : "–"
  }

  private func json(_ progress: StudyProgress, began: Double) -> String {
    let elapsed = elapsed
    let document: JSONText = [
      "kind": "firstframe.progress", "elapsedSeconds": .number(elapsed),
      "finished": .integer(Int64(progress.finished)),
      "underWay": .number(progress.underWay),
      "nextLook": .integer(Int64(progress.nextLook)), "cap": .integer(Int64(progress.cap)),
      "views": .integer(progress.views), "events": .integer(Int64(clamping: progress.events)),
      "simulatedSeconds": .number(progress.simulated.seconds),
      "secondsToNextLook": progress.remaining(after: elapsed - began).map { .number($0) } ?? .null,
      "verdicts": .array(
        progress.verdicts.map { $0 == .notRun ? .null : .string($0.rawValue) }),
    ]
    return document.text(indent: 0)
  }
}
