import Foundation
import Models

/// libCacheSim (github.com/1a1a11a/libCacheSim), where it is installed: its program `cachesim` on
/// the path, or else its Python package. Not needed for anything else.
struct LibCacheSim {
  private enum Form {
    case program(String)
    case package(python: String)
  }

  private let form: Form

  /// How it was found.
  var name: String {
    switch form {
    case .program(let path): path
    case .package(let python): "package libcachesim of \(python)"
    }
  }

  /// The first one found: `cachesim`, then a `python3` that has the package. The variable
  /// `FIRSTFRAME_PYTHON` names a Python to look at before those on the path.
  init?() {
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    func onPath(_ name: String) -> [String] {
      folders.map { "\($0)/\(name)" }
        .filter { FileManager.default.isExecutableFile(atPath: $0) }
    }
    if let program = onPath("cachesim").first {
      form = .program(program)
      return
    }
    let pythons = [environment["FIRSTFRAME_PYTHON"]].compactMap { $0 } + onPath("python3")
    guard
      let python = pythons.first(where: {
        LibCacheSim.output(of: $0, ["-c", "import libcachesim"]) != nil
      })
    else { return nil }
    form = .package(python: python)
  }

  /// Writes a trace of objects of one byte as libCacheSim's 24-byte records.
  static func write(_ trace: CacheTrace, to file: URL) throws {
    var records = Data(capacity: trace.count * 24)
    for object in trace.objects {
      withUnsafeBytes(of: UInt32(0)) { records.append(contentsOf: $0) }
      withUnsafeBytes(of: UInt64(object).littleEndian) { records.append(contentsOf: $0) }
      withUnsafeBytes(of: UInt32(1).littleEndian) { records.append(contentsOf: $0) }
      withUnsafeBytes(of: Int64(-1)) { records.append(contentsOf: $0) }
    }
    try records.write(to: file)
  }

  /// The time of one replay, by its own clock and without its start.
  /// - Parameter policy: as this program calls it.
  /// - Returns: requests per second; nil when it failed.
  func rate(_ policy: String, capacity: Int, requests: Int, file: URL) -> Double? {
    switch form {
    case .program(let path):
      let names = ["lru": "lru", "sieve": "sieve", "s3-fifo": "s3fifo"]
      let arguments = [
        file.path, "oracleGeneral", names[policy] ?? policy, "\(capacity)",
        "--ignore-obj-size", "1", "--num-thread", "1", "--output", file.path + ".out",
      ]
      // `… throughput 12.34 MQPS`
      let words = LibCacheSim.output(of: path, arguments)?.split { $0 == " " || $0 == "\n" } ?? []
      guard let place = words.lastIndex(of: "throughput"), place + 1 < words.count else {
        return nil
      }
      return Double(words[place + 1]).map { $0 * 1e6 }
    case .package(let python):
      let names = ["lru": "LRU", "sieve": "Sieve", "s3-fifo": "S3FIFO"]
      let script = """
        import sys, time, libcachesim as lib
        reader = lib.TraceReader(sys.argv[1], trace_type=lib.TraceType.ORACLE_GENERAL_TRACE)
        cache = getattr(lib, sys.argv[2])(int(sys.argv[3]))
        start = time.perf_counter()
        cache.process_trace(reader)
        print(time.perf_counter() - start)
        """
      let output = LibCacheSim.output(
        of: python, ["-c", script, file.path, names[policy] ?? policy, "\(capacity)"])
      let seconds = output.flatMap { Double($0.split(separator: "\n").last ?? "") }
      return seconds.map { Double(requests) / $0 }
    }
  }

  /// What a program writes to standard output; nil when it fails.
  private static func output(of path: String, _ arguments: [String]) -> String? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = FileManager.default.temporaryDirectory
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }
}
