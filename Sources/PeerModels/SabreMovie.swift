/// A film of the Sabre player model: what it costs to fetch each segment at each level.
///
/// The model is that of Sabre (Spiteri, Sitaraman and Sparacio 2018,
/// doi:10.1145/3204949.3204953) at commit 09b03bb. Units are Sabre's own: milliseconds, bits and
/// kilobits per second, so bits divided by kbit/s are milliseconds.
public struct SabreMovie: Sendable, Equatable {
  /// Play time of a segment, ms.
  public let segmentDuration: Double
  /// Bit rate of each level, kbit/s, increasing.
  public let bitrates: [Double]
  /// Number of segments.
  public let segmentCount: Int
  /// Bits of every segment at every level: segment by segment, levels in order.
  let sizes: [Double]

  /// - Parameters:
  ///   - segmentDuration: ms, greater than 0.
  ///   - bitrates: kbit/s, greater than 0 and increasing; at least one.
  ///   - sizes: for each segment the bits of each level, greater than 0; at least one segment.
  public init(segmentDuration: Double, bitrates: [Double], sizes: [[Double]]) {
    precondition(segmentDuration > 0 && segmentDuration < .infinity, "a segment takes time")
    precondition(!bitrates.isEmpty && !sizes.isEmpty, "at least one level and one segment")
    var floor = 0.0
    for rate in bitrates {
      precondition(rate > floor && rate < .infinity, "bit rates increase from above 0")
      floor = rate
    }
    var flat: [Double] = []
    flat.reserveCapacity(sizes.count * bitrates.count)
    for row in sizes {
      precondition(row.count == bitrates.count, "one size for each level")
      for bits in row {
        precondition(bits > 0 && bits < .infinity, "a segment has bits")
        flat.append(bits)
      }
    }
    self.init(
      segmentDuration: segmentDuration, bitrates: bitrates, segmentCount: sizes.count, flat: flat)
  }

  private init(
    segmentDuration: Double, bitrates: [Double], segmentCount: Int, flat: [Double]
  ) {
    self.segmentDuration = segmentDuration
    self.bitrates = bitrates
    self.segmentCount = segmentCount
    sizes = flat
  }

  /// Bits of a segment at a level.
  func size(segment: Int, level: Int) -> Double { sizes[segment * bitrates.count + level] }

  /// The film repeated or cut to `seconds`, rounded up to whole segments (Sabre's `-ml`).
  /// - Precondition: `seconds` > 0, and at most a million segments come out.
  public func lasting(seconds: Double) -> SabreMovie {
    let wanted = 1000 * seconds / segmentDuration
    precondition(wanted > 0 && wanted <= 1_000_000, "between one segment and a million")
    var count = Int(wanted)
    if Double(count) < wanted { count += 1 }
    var flat: [Double] = []
    flat.reserveCapacity(count * bitrates.count)
    for segment in 0..<count {
      for level in 0..<bitrates.count {
        flat.append(size(segment: segment % segmentCount, level: level))
      }
    }
    return SabreMovie(
      segmentDuration: segmentDuration, bitrates: bitrates, segmentCount: count, flat: flat)
  }
}
