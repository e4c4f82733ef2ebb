import Foundation

// `firstframe-bench [FILE] [--replications N] [--json] [--check] [--thresholds FILE]`: speed of
// the kernel, network, caches, feed world and scenario reader, as ratios to baselines measured in
// the same run. A clock is read here, so nothing of this is a test. `--check` exits with 11, the
// code of a regression, when a ratio or a count is beyond its checked-in threshold.

func fail(_ message: String, _ code: Int32) -> Never {
  FileHandle.standardError.write(Data("firstframe-bench: \(message)\n".utf8))
  exit(code)
}

do {
  let request = try BenchmarkRequest(Array(CommandLine.arguments.dropFirst()))
  let sheet = try HeadlineBenchmark.sheet(request)
  if request.json {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(sheet), as: UTF8.self))
  } else {
    print("firstframe-bench: best of \(Stopwatch.runs) rounds by turns, CPU time, one thread")
    print(sheet.text())
  }
  if request.check {
    let faults = try Thresholds.read(request.thresholds).faults(in: sheet)
    if !faults.isEmpty { fail(faults.joined(separator: "\nfirstframe-bench: "), 11) }
  } else if !request.json {
    print("\nparts: medians of \(Stopwatch.runs) runs")
    try DrawBenchmark.report()
    TransferBenchmark.report()
    PeerBenchmark.report()
    CacheBenchmark.report()
    try FeedBenchmark.report(
      request,
      kernelEventsPerSecond: sheet.rows.first { $0.name == "queue/exponential/1000" }?.value ?? 0)
  }
} catch let error as BenchmarkRequest.Fault {
  fail(error.message, 64)
} catch {
  fail("\(error)", 1)
}
