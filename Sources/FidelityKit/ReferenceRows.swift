/// Rows of the reference's JSON files; the names are those of the files (its README.md says what
/// they are). Rates in Mbit/s, times in milliseconds unless the name says seconds.

/// Scenario a: one fetch. `cc` of ns-3 is `TcpCubic` and so on.
struct SingleRow: Decodable {
  var cc: String
  var buffer: String
  var bufferPkts: Int64
  var rateMbps: Double
  var rttMs: Double
  var size: Int64
  var totalMs: Double
}

/// SimGrid's prediction of scenario a.
struct FlowLevelRow: Decodable {
  var rateMbps: Double
  var rttMs: Double
  var size: Int64
  var plus15RttMs: Double
}

/// Scenario b: random loss.
struct LossRow: Decodable {
  var cc: String
  var loss: Double
  var rateMbps: Double
  var rttMs: Double
  var size: Int64
  var bufferPkts: Int64?
  var minRtoMs: Double?
  var seeds: Int
  var meanMs: Double
  var p50Ms: Double
  /// Kernel only.
  var p95Ms: Double?
}

/// Scenario c, kernel: flows at once.
struct SharedRow: Decodable {
  var cc: String
  var buffer: String
  var bufferPkts: Int64
  var rateMbps: Double
  var rttMs: Double
  var flows: Int
  var size: Int64
  /// ns-3 only.
  var startJitterS: Double?
  var meanFctMs: Double
}

/// SimGrid's prediction of scenario c.
struct FlowLevelSharedRow: Decodable {
  var rateMbps: Double
  var rttMs: Double
  var flows: Int
  var startJitterS: Double
  var meanPlus15RttMs: Double
}

/// Scenario d, kernel: two classes of round trips.
struct TwoClassRow: Decodable {
  var cc: String
  var buffer: String
  var bufferPkts: Int64
  var rateMbps: Double
  var rttAMs: Double
  var rttBMs: Double
  var flowsPerClass: Int
  var goodputAMbps: [Double]
  var goodputBMbps: [Double]
  var ratioAOverB: Double
}

/// Scenario d of ns-3 and SimGrid.
struct TwoClassPrediction: Decodable {
  /// ns-3 only.
  var cc: String?
  var buffer: String?
  var rateMbps: Double
  var rttAMs: Double
  var rttBMs: Double
  var flowsPerClass: Int
  var bulkRatioAOverB: Double
}

/// Scenario e: rate steps.
struct StepsRow: Decodable {
  var cc: String
  var bufferPkts: Int64
  var rttMs: Double
  var size: Int64
  /// Absent in ns-3's staircases.
  var ratesMbps: [Double]?
  var stepAtS: [Double]?
  var totalMs: Double?
}

/// Scenario f, kernel: objects one after another.
struct PersistentRow: Decodable {
  var cc: String
  var bufferPkts: Int64
  var rateMbps: Double
  var rttMs: Double
  var size: Int64
  var totalMsPerObject: [Double]
}

/// Scenario f of ns-3.
struct PersistentPrediction: Decodable {
  var cc: String
  var idleS: Double
  var rateMbps: Double
  var rttMs: Double
  var size: Int64
  var connectMs: Double
  var requestToLastMs: [Double]
}

/// Scenario g: Poisson arrivals.
struct PoissonRow: Decodable {
  struct Size: Decodable {
    var size: Int64
    var meanMs: Double
    var p50Ms: Double
  }
  var cc: String
  var dist: String
  var load: Double
  var rateMbps: Double
  var rttMs: Double
  var bufferPkts: Int64
  var bySize: [Size]
  /// By seed: size and start in seconds.
  var arrivalsSizeStartS: [[[Double]]]
}

/// HTTPS, one object.
struct SecureRow: Decodable {
  var proto: String
  var bufferPkts: Int64
  var rateMbps: Double
  var rttMs: Double
  var size: Int64
  var connectMs: Double
  var appconnectMs: Double
  var ttfbMs: Double
  var totalMs: Double
}

/// HTTP/2, objects at once on one connection.
struct MultiplexRow: Decodable {
  var rateMbps: Double
  var rttMs: Double
  var size: Int64
  var objects: Int
  /// By repeat and stream: first byte and total.
  var firstByteTotalMsPerStream: [[[Double]]]
}
