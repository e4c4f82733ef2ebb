/// One short video of the MM22 model (the ACM Multimedia 2022 grand challenge on short-video
/// streaming): chunk sizes at three levels and how many viewers stay.
public struct MM22Video: Hashable, Sendable {
  /// The levels' nominal rates in kbit/s.
  public static let rates: [Double] = [750, 1200, 1850]
  /// The length of a chunk in milliseconds.
  public static let chunkLength: Int64 = 1_000

  /// The number of chunks.
  public let chunks: Int
  /// The share of viewers still watching at the start of each second; at least one value for each
  /// chunk, the first above 0.
  public let retention: [Double]
  private let sizes: [Int64]

  /// A video from its chunk sizes in bytes, one list of equal length for each level.
  /// - Precondition: the shapes above, at least one chunk, and no negative size.
  public init(sizes: [[Int64]], retention: [Double]) {
    precondition(sizes.count == MM22Video.rates.count, "a list of sizes for each level")
    chunks = sizes[0].count
    precondition(chunks > 0 && retention.count >= chunks && retention[0] > 0)
    var flat: [Int64] = []
    for level in sizes {
      precondition(level.count == chunks && level.allSatisfy { $0 >= 0 })
      flat += level
    }
    self.sizes = flat
    self.retention = retention
  }

  /// The length of the video in milliseconds.
  public var length: Int64 { Int64(chunks) * MM22Video.chunkLength }

  /// The size of a chunk in bytes.
  func size(level: Int, chunk: Int) -> Int64 { sizes[level * chunks + chunk] }
}
