/// The ways to choose levels that the Pensieve model is run with.
public enum PensievePolicy: Hashable, Sendable {
  /// Always the same level.
  case fixed(Int)
  /// By the buffer: a reservoir of 5 s and a cushion of 10 s (Huang et al. 2014,
  /// doi:10.1145/2619239.2626296, with Pensieve's numbers).
  case bufferBased
  /// By the harmonic mean of the last five throughput samples.
  case rateBased
  /// The given level for each chunk.
  case levels([Int])

  /// The level of the first chunk for the policies that know nothing yet.
  static let firstLevel = 1
}

/// Chooses the levels of one session.
struct PensieveChooser {
  private let policy: PensievePolicy
  private var samples = RecentSamples()

  /// - Precondition: levels are levels, and there is one for each chunk.
  init(_ policy: PensievePolicy) {
    let levels = PensieveVideo.rates.indices
    switch policy {
    case .fixed(let level): precondition(levels.contains(level), "a level of the video")
    case .levels(let given):
      precondition(given.count >= PensieveVideo.chunks, "a level for each chunk")
      precondition(given.allSatisfy { levels.contains($0) }, "levels of the video")
    case .bufferBased, .rateBased: break
    }
    self.policy = policy
  }

  /// The level of `chunk`, given what became of the chunk before; nil for the first.
  mutating func level(chunk: Int, after step: PensieveStep?) -> Int {
    switch policy {
    case .fixed(let level): level
    case .levels(let given): given[chunk]
    case .bufferBased: step.map { PensieveChooser.level(buffer: $0.buffer / 1_000) } ?? first
    case .rateBased: rateBased(after: step)
    }
  }

  private var first: Int { PensievePolicy.firstLevel }

  /// The level for a buffer of so many seconds.
  static func level(buffer: Double) -> Int {
    let (reservoir, cushion) = (5.0, 10.0)
    let top = PensieveVideo.rates.count - 1
    if buffer < reservoir { return 0 }
    if buffer >= reservoir + cushion { return top }
    return Int(Double(top) * (buffer - reservoir) / cushion)
  }

  private mutating func rateBased(after step: PensieveStep?) -> Int {
    guard let step else { return first }
    // Bytes over milliseconds: kbit/s, the round trip included.
    samples.append(Double(step.bytes) * 8 / step.delay)
    guard let estimate = samples.harmonicMean else { return first }
    var level = 0
    for (index, rate) in PensieveVideo.rates.enumerated() where rate <= estimate { level = index }
    return level
  }
}
