/// What a replay counted at one tier.
public struct CacheReplayCounts: Equatable, Sendable {
  /// Requests that reached the tier.
  public var requests: Int64 = 0
  /// Requests the tier could not answer itself, refused objects included.
  public var misses: Int64 = 0
  /// Bytes of all requests.
  public var bytes: Int64 = 0
  /// Bytes of the missed requests.
  public var missedBytes: Int64 = 0
  /// Misses at or after the middle of the replayed range: index >= n / 2, counted from its start.
  public var missesSecondHalf: Int64 = 0
  /// Objects resident after the last request, expired ones included; the sum over all edges.
  public var objectsAtEnd: Int64 = 0
  /// Their bytes.
  public var bytesAtEnd: Int64 = 0

  public init() {}

  /// Misses by requests; 0 without requests.
  public var missRatio: Double { requests == 0 ? 0 : Double(misses) / Double(requests) }

  /// Missed bytes by bytes; 0 without bytes.
  public var byteMissRatio: Double { bytes == 0 ? 0 : Double(missedBytes) / Double(bytes) }

  /// Adds what a cache of the tier holds after the last request.
  mutating func addEnd(_ residents: ResidentObjects) {
    objectsAtEnd += Int64(residents.count)
    bytesAtEnd += residents.bytes
  }
}
