/// HyStart as Linux runs it per acknowledgement (tcp_cubic's hystart_update; Ha and Rhee, "Taming
/// the elephants: new TCP slow start", Computer Networks 2011).
///
/// Two signs end slow start, both from a window of 16 on. Delay: the least of a round's first eight
/// round trips and the present one exceeds the path's least by clamp(least / 8, 4 ms, 16 ms).
/// Train: acknowledgements at most 2 ms apart go on for longer than half the least round trip.
struct ChunkHyStart: BitwiseCopyable {
  private static let lowWindow = 16.0
  private static let samplesNeeded: Int64 = 8
  private static let spacing: Int64 = 2_000_000
  /// Allowance for bursts of the sender: Linux caps it at 1 ms, which every rate below 2 Gbit/s
  /// reaches.
  private static let burst: Int64 = 1_000_000

  private var roundEnd: Int64 = 0
  private var roundStart: Int64 = 0
  private var lastAck: Int64 = 0
  private var least: Int64 = .max
  private var samples: Int64 = 0
  private(set) var isFound = false

  mutating func reset() { self = ChunkHyStart() }

  /// Takes an acknowledgement in slow start, before the window grows for it.
  ///
  /// - Parameters:
  ///   - resolved: number of the latest transmission that is acknowledged.
  ///   - sent: transmissions so far.
  ///   - pathLeast: least round trip of the connection, nanoseconds.
  /// - Returns: whether slow start should end.
  mutating func acknowledge(
    roundTrip: Int64, at now: Int64, resolved: Int64, sent: Int64, pathLeast: Int64,
    window: Double
  ) -> Bool {
    if isFound { return false }
    if resolved > roundEnd {
      roundStart = now
      lastAck = now
      roundEnd = sent
      least = .max
      samples = 0
    }
    if window < ChunkHyStart.lowWindow { return false }
    if now - lastAck <= ChunkHyStart.spacing {
      lastAck = now
      if now - roundStart > (pathLeast + ChunkHyStart.burst) / 2 { isFound = true }
    }
    if roundTrip < least { least = roundTrip }
    if samples < ChunkHyStart.samplesNeeded {
      samples += 1
    } else {
      let eighth = pathLeast / 8
      let margin: Int64 =
        eighth < 4_000_000 ? 4_000_000 : eighth > 16_000_000 ? 16_000_000 : eighth
      if least > pathLeast + margin { isFound = true }
    }
    return isFound
  }
}
