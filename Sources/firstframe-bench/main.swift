import Foundation

// `firstframe-bench [FILE] [--replications N]`: speed of the kernel, network, caches and feed
// world, as ratios to baselines measured in the same run. A clock is read here, so nothing of this
// is a test.

do {
  let request = try BenchmarkRequest(Array(CommandLine.arguments.dropFirst()))
  print("firstframe-bench: medians of \(Stopwatch.runs) runs, one thread")
  let ceiling = HoldBenchmark.report()
  try DrawBenchmark.report()
  TransferBenchmark.report()
  PeerBenchmark.report()
  CacheBenchmark.report()
  try FeedBenchmark.report(request, kernelEventsPerSecond: ceiling)
} catch let error as BenchmarkRequest.Fault {
  FileHandle.standardError.write(Data("firstframe-bench: \(error.message)\n".utf8))
  exit(64)
} catch {
  FileHandle.standardError.write(Data("firstframe-bench: \(error)\n".utf8))
  exit(1)
}
