import Foundation
import Models
import Scenario

/// How fast the feed world runs a scenario, replication after replication on one thread, without
/// statistics and reports.
enum FeedBenchmark {
  static func report(
    _ request: BenchmarkRequest, kernelEventsPerSecond: Double
  ) throws {
    let scenario = try FeedStudy.load(request.scenario)
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    let before = Residency.now(resettingPeak: true)
    var views: [Double] = []
    var events: [Double] = []
    var ratios: [Double] = []
    var memory: Memory?
    for replication in 0..<request.replications {
      var result: FeedRunResult?
      let seconds = try Stopwatch.seconds {
        result = try FeedRun.run(
          scenario.configuration, plan: plan, seed: scenario.seed,
          replication: UInt16(replication))
      }
      guard let result else { continue }
      // Only the first one takes fresh memory; later ones reuse what it gave back.
      if replication == 0 { memory = Memory(result.measures, before: before) }
      let viewCount = Double(result.measures.views.count)
      views.append(viewCount / seconds)
      events.append(Double(result.summary.events) / seconds)
      ratios.append(Double(result.summary.events) / viewCount)
    }
    let eventRate = Stopwatch.median(events)
    print("\nfeed world, \(scenario.name), \(views.count) replications")
    row("views/s per core", "%.0f", Stopwatch.median(views))
    row("events/s per core", "%.0f", eventRate)
    row("events per view", "%.1f", Stopwatch.median(ratios))
    row(
      "events/s, ratio to the bare kernel at 1,000 pending", "%.3f",
      eventRate / kernelEventsPerSecond)
    memory?.report()
  }

  static func row(_ what: String, _ format: String, _ value: Double) {
    print(
      what.padding(toLength: 56, withPad: " ", startingAt: 0) + String(format: format, value))
  }

  /// What one replication took from the system, by the kernel's count of resident pages.
  private struct Memory {
    let grown: Int64?
    let viewers: Int
    let counted: Int64
    let views: Int

    init(_ measures: FeedMeasures, before: Residency?) {
      if let before, let after = Residency.now(resettingPeak: false) {
        grown = after.peak - before.current
      } else {
        grown = nil
      }
      viewers = measures.peakSessions
      counted = measures.viewerBytes
      views = measures.views.count * MemoryLayout<ViewRecord>.stride
    }

    func report() {
      if viewers == 0 { return }
      row("most concurrent viewers", "%.0f", Double(viewers))
      let own = Double(counted) / Double(viewers)
      row("bytes per concurrent viewer, viewer state alone", "%.0f", own)
      guard let grown else {
        print("heap bytes per concurrent viewer: not measured, /proc/self/status is not readable")
        return
      }
      let all = Double(grown) / Double(viewers)
      row("heap bytes per concurrent viewer, all of the world", "%.0f", all)
      row("  of these view records", "%.0f", Double(views) / Double(viewers))
      row("  ratio to the viewer state alone", "%.2f", all / own)
    }
  }
}

/// Resident memory of this process in bytes, from /proc/self/status (Linux only).
struct Residency {
  var current: Int64
  var peak: Int64

  /// - Parameter resettingPeak: makes the present size the peak (proc_pid_clear_refs(5), value 5).
  static func now(resettingPeak: Bool) -> Residency? {
    if resettingPeak {
      guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return nil }
      file.write(Data("5".utf8))
    }
    guard let file = FileHandle(forReadingAtPath: "/proc/self/status"),
      let data = try? file.readToEnd()
    else { return nil }
    var found: [String: Int64] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count == 3, words[2] == "kB", let count = Int64(words[1]) {
        found[String(words[0].dropLast())] = count * 1024
      }
    }
    guard let current = found["VmRSS"], let peak = found["VmHWM"] else { return nil }
    return Residency(current: current, peak: peak)
  }
}
