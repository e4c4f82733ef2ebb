/// Which of Sabre's policies chooses the levels.
public enum SabreAlgorithm: UInt8, Sendable, Equatable, CaseIterable {
  /// BOLA: by the buffer alone, with its finite-film and fast-start rules.
  case bola
  /// BOLA-E: BOLA with a placeholder buffer.
  case bolaEnhanced
  /// By the estimated throughput.
  case throughput
  /// Throughput while the buffer is low, BOLA above.
  case dynamic
  /// The same with BOLA-E, as dash.js has it.
  case dynamicDash
}

/// How a Sabre session is played.
public struct SabreOptions: Sendable, Equatable {
  /// What a second of stall costs in utility (Sabre's gamma times p).
  static let stallWeight = 5.0

  /// The policy.
  public var algorithm: SabreAlgorithm
  /// The most that may be buffered, ms, greater than 0.
  public var bufferLimit: Double
  /// BOLA waits rather than oscillate between two levels (Sabre's `-ao`).
  public var avoidsOscillation = false
  /// BOLA without its finite-film rule and without abandoning (`-ab`).
  public var isBasic = false
  /// Downloads may be given up half-way (`-noa` forbids it).
  public var abandons = true
  /// Segments in the buffer are fetched again at a higher level, the first first (`-r left`).
  public var replaces = false
  /// Levels are lowered that would outlast the buffer (`-noibr` forbids it).
  public var keepsInsufficientBufferRule = true

  /// The policy with a buffer of `bufferLimit` ms; the rest as Sabre has it without flags.
  public init(algorithm: SabreAlgorithm, bufferLimit: Double = 25_000) {
    precondition(bufferLimit > 0 && bufferLimit < .infinity, "a buffer greater than 0")
    self.algorithm = algorithm
    self.bufferLimit = bufferLimit
  }
}
