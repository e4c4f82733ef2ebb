/// What a policy sees when it decides.
struct SabreView: Sendable {
  /// The next segment, and how many there are.
  var segment: Int
  var segmentCount: Int
  /// ms in the buffer.
  var buffer: Double
  /// The estimates, kbit/s and ms.
  var throughput: Double
  var latency: Double
}

/// A policy's choice: fetch `level` after waiting `delay` ms.
struct SabreChoice: Sendable, Equatable {
  var level: Int
  var delay: Double = 0
}

/// A download under way.
struct SabreProgress: Sendable {
  var level: Int
  /// Bits in all and so far.
  var size: Double
  var got: Double
  /// ms since the request, and of these until the first byte.
  var time: Double
  var timeToFirstByte: Double
}

/// A download that has ended.
struct SabreResult: Sendable {
  var progress: SabreProgress
  /// The level that seemed better when it was given up; nil when it is complete.
  var abandonedTo: Int?
}
