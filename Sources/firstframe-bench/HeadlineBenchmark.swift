import BenchBaselines
import Foundation
import Models
import Scenario
import SimulationKernel

/// The rows that have thresholds, beside those of the queue.
enum HeadlineBenchmark {
  /// Reads of the scenario in one round.
  private static let loads = 4
  private static let transfers = 200_000

  static func sheet(_ request: BenchmarkRequest) throws -> BenchmarkSheet {
    var sheet = BenchmarkSheet()
    HoldBenchmark.measure(into: &sheet)
    try feed(request, into: &sheet)
    sheet.rows.append(contentsOf: CacheBenchmark.rows())
    sheet.rows.append(network())
    sheet.rows.append(try load(request.scenario))
    sheet.rows.append(try TelemetryBenchmark.row())
    sheet.rows += try FieldTelemetryBenchmark.rowsOfSheet()
    sheet.facts += try MemoryBenchmark.facts(request.scenario)
    sheet.facts += try FloorBenchmark.facts()
    sheet.notes = Work.notes
    return sheet
  }

  /// A replication of the scenario against the hold model at 1,000 pending in C++: views of the
  /// whole world against events that do nothing.
  private static func feed(_ request: BenchmarkRequest, into sheet: inout BenchmarkSheet) throws {
    let scenario = try FeedStudy.load(request.scenario)
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    var views = 0.0
    var events = 0.0
    var peakSessions = 0.0
    var ownBytes = 0.0
    var heapBytes = 0.0
    func replication() -> Double {
      bench_heap_reset_peak()
      let before = bench_heap()
      do {
        let result = try FeedRun.run(
          scenario.configuration, plan: plan, seed: scenario.seed, replication: 0)
        views = Double(result.measures.views.count)
        events = Double(result.summary.events)
        peakSessions = Double(max(1, result.measures.peakSessions))
        ownBytes = Double(result.measures.viewerBytes)
        heapBytes = Double(bench_heap().peakBytes - before.liveBytes)
        return Double(bench_heap().allocations - before.allocations)
      } catch {
        preconditionFailure("\(request.scenario): \(error)")
      }
    }
    let allocations = replication()
    let delays = [Int64](repeating: 1_000_000, count: 1)
    delays.withUnsafeBufferPointer { delays in
      let hold = bench_hold_make(0, 0, 1_000, 1_000, delays.baseAddress, 0)
      defer { bench_hold_free(hold) }
      sheet.rows.append(
        BenchmarkRow(
          "feed/views", unit: "views/s", units: views, rounds: request.replications,
          against: "std::priority_queue of events, 1,000 pending", baselineUnits: 1e6,
          { Stopwatch.keep(bench_hold_run(hold, 1_000_000)) },
          subject: { _ = replication() }))
    }
    func fact(_ name: String, _ unit: String, _ value: Double) {
      sheet.facts.append(BenchmarkFact(name: name, unit: unit, value: value))
    }
    fact("feed/events-per-second", "events/s", (sheet.rows.last?.value ?? 0) * events / views)
    fact("feed/events-per-view", "events", events / views)
    fact("feed/concurrent-viewers", "viewers", peakSessions)
    fact("feed/bytes-of-the-largest-viewer", "bytes", ownBytes)
    if !Work.countsAllocations { return }
    fact("feed/allocations-per-event", "allocations", allocations / events)
    let records = views * Double(MemoryLayout<ViewRecord>.stride)
    fact("feed/heap-per-viewer", "bytes", heapBytes / peakSessions)
    fact("feed/heap-per-viewer-without-records", "bytes", (heapBytes - records) / peakSessions)
  }

  /// Transfers by rounds of CUBIC with 1 % loss, each on a connection of its own, against the
  /// closed form of one that meets no loss.
  private static func network() -> BenchmarkRow {
    BenchmarkRow(
      "network/rounds", unit: "transfers/s", units: Double(transfers / 10),
      against: "closed form, slow start", baselineUnits: Double(transfers),
      { TransferBenchmark.closed(window: 10, transfers) },
      subject: { TransferBenchmark.rounds(.cubic, loss: 0.01, transfers / 10) })
  }

  /// Reading, checking and resolving a scenario, against reading its text and splitting it. After
  /// the first load the tables of its laws are there, as in a sweep.
  private static func load(_ path: String) throws -> BenchmarkRow {
    BenchmarkRow(
      "scenario/load", unit: "files/s", units: Double(loads),
      against: "text read and split into words",
      {
        for _ in 0..<loads {
          let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
          Stopwatch.keep(UInt64(text.split(whereSeparator: \.isWhitespace).count))
        }
      },
      subject: {
        for _ in 0..<loads {
          let scenario = try? FeedStudy.load(path)
          Stopwatch.keep(UInt64(scenario?.replications ?? 0))
        }
      })
  }
}
