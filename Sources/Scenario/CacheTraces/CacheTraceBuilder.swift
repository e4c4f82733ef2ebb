import Models

/// Collects requests from one or more files into the columns of a ``Models/CacheTrace``.
struct CacheTraceBuilder {
  /// One request as a file states it.
  struct Request {
    var object: UInt32
    /// Bytes.
    var size: Int64 = 1
    /// Nanoseconds; nil in a file without times.
    var time: Int64?
    /// Nanoseconds; 0 never expires.
    var lifetime: Int64 = 0
    var node: UInt16 = 0
  }

  /// Why a request was not added.
  enum Fault {
    /// Its time lies before that of an earlier request.
    case goesBack
    /// There are ``CacheTraceBuilder/limit`` requests already.
    case tooMany
    /// The sizes add up to more than ``CacheTraceBuilder/byteLimit``.
    case tooLarge

    /// The words after `expected`.
    func expectation(latest: Int64) -> String {
      switch self {
      case .goesBack:
        "a time not before the latest so far, \(CacheTraceText.seconds(latest)) s"
      case .tooMany: "at most \(CacheTraceBuilder.limit) requests"
      case .tooLarge: "sizes that add up to at most \(CacheTraceBuilder.byteLimit) bytes"
      }
    }
  }

  /// The most requests; ``Models/CacheTrace`` has room for hardly more.
  static let limit = Int(UInt32.max) - 1
  /// The most bytes of all requests together, so that no sum of a replay leaves 64 bits.
  static let byteLimit: Int64 = 1 << 60

  /// The objects' identities, over all files.
  var identities = IdentityTable()
  /// The nodes' names, over all files.
  var nodeNames = IdentityTable()
  /// The latest time so far, nanoseconds.
  private(set) var latest = Int64.min
  /// Whether times may go back, because the program that wrote them does not keep their order;
  /// ``finish()`` then sorts.
  var sortsByTime = false

  private var trace = CacheTrace()
  private var isSorted = true
  private var totalBytes: Int64 = 0

  /// How many requests there are.
  var count: Int { trace.count }

  /// The objects of the requests, in the order of the files.
  var objects: [UInt32] { trace.objects }

  /// From the earliest request to the latest, seconds; 0 without times.
  var span: Double {
    guard let first = trace.times.min(), let last = trace.times.max() else { return 0 }
    return Double(last - first) / 1e9
  }

  /// Adds a request.
  /// - Returns: nil, or why it was not added.
  @inline(__always)
  mutating func append(_ request: Request) -> Fault? {
    if let time = request.time {
      if time < latest {
        if !sortsByTime { return .goesBack }
        isSorted = false
      } else {
        latest = time
      }
    }
    if trace.count >= CacheTraceBuilder.limit { return .tooMany }
    if request.size > CacheTraceBuilder.byteLimit - totalBytes { return .tooLarge }
    totalBytes += request.size
    let earlier = trace.objects.count
    trace.objects.append(request.object)
    CacheTraceBuilder.append(request.size, to: &trace.sizes, usual: 1, earlier)
    // A file without times after one with times: its requests come at the last of those.
    let time = request.time ?? (latest == .min ? 0 : latest)
    CacheTraceBuilder.append(time, to: &trace.times, usual: 0, earlier)
    CacheTraceBuilder.append(request.lifetime, to: &trace.lifetimes, usual: 0, earlier)
    CacheTraceBuilder.append(request.node, to: &trace.nodes, usual: 0, earlier)
    return nil
  }

  /// A column begins with the first value that is not the usual one.
  @inline(__always)
  private static func append<Value: Equatable>(
    _ value: Value, to column: inout [Value], usual: Value, _ earlier: Int
  ) {
    if column.isEmpty {
      if value == usual { return }
      column = [Value](repeating: usual, count: earlier)
    }
    column.append(value)
  }

  /// The trace.
  consuming func finish() -> CacheTrace {
    var result = trace
    result.objectCount = identities.count
    result.identities = identities.names
    if isSorted { return result }
    let times = result.times
    let order = Array(result.objects.indices).sorted { a, b in
      times[a] != times[b] ? times[a] < times[b] : a < b
    }
    result.objects = CacheTraceBuilder.permuted(result.objects, order)
    result.sizes = CacheTraceBuilder.permuted(result.sizes, order)
    result.times = CacheTraceBuilder.permuted(result.times, order)
    result.lifetimes = CacheTraceBuilder.permuted(result.lifetimes, order)
    result.nodes = CacheTraceBuilder.permuted(result.nodes, order)
    return result
  }

  private static func permuted<Value>(_ column: [Value], _ order: [Int]) -> [Value] {
    column.isEmpty ? [] : order.map { column[$0] }
  }
}
