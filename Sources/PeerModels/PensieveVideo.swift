/// The one video of the Pensieve model: the sizes of its chunks at every level (Mao, Netravali and
/// Alizadeh 2017, doi:10.1145/3098822.3098843).
public struct PensieveVideo: Hashable, Sendable {
  /// The levels' rates in kbit/s.
  public static let rates: [Double] = [300, 750, 1200, 1850, 2850, 4300]
  /// The number of chunks that a session plays.
  public static let chunks = 48
  /// The length of a chunk in milliseconds.
  public static let chunkLength = 4_000.0

  private let sizes: [Int64]

  /// A video from its chunk sizes in bytes: one list for each level, each with at least ``chunks``
  /// elements; more are not used.
  /// - Precondition: the shape above, and no negative size.
  public init(sizes: [[Int64]]) {
    precondition(sizes.count == PensieveVideo.rates.count, "a list of sizes for each level")
    var flat: [Int64] = []
    for level in sizes {
      precondition(level.count >= PensieveVideo.chunks && level.allSatisfy { $0 >= 0 })
      flat += level.prefix(PensieveVideo.chunks)
    }
    self.sizes = flat
  }

  /// The size of a chunk in bytes.
  func size(level: Int, chunk: Int) -> Int64 { sizes[level * PensieveVideo.chunks + chunk] }
}
