/// What bounds every cache over a trace.
public struct CacheTraceSummary: Equatable, Sendable {
  /// Requests.
  public var requests: Int64 = 0
  /// Bytes of all requests, or requests where sizes are ignored.
  public var bytes: Int64 = 0
  /// Distinct objects. As each misses at least once, no policy hits more than
  /// 1 - objects / requests.
  public var objects: Int64 = 0
  /// The working set: the bytes of the objects as first requested.
  public var workingSet: Int64 = 0
  /// Bytes of the largest request.
  public var largest: Int64 = 0
  /// Objects that are not of one size throughout.
  public var resized: Int64 = 0

  /// Reads a trace once.
  public init(_ trace: CacheTrace, unitSizes: Bool) {
    var first = [Int64](repeating: -1, count: trace.objectCount)
    var differs = [Bool](repeating: false, count: trace.objectCount)
    let hasSizes = !unitSizes && !trace.sizes.isEmpty
    for index in trace.objects.indices {
      let object = Int(trace.objects[index])
      let size = hasSizes ? trace.sizes[index] : 1
      requests += 1
      bytes += size
      largest = max(largest, size)
      if first[object] < 0 {
        first[object] = size
        objects += 1
        workingSet += size
      } else if first[object] != size && !differs[object] {
        differs[object] = true
        resized += 1
      }
    }
  }

  /// No cache misses a smaller share of the requests: `objects` / `requests`.
  public var compulsoryMissRatio: Double {
    requests == 0 ? 0 : Double(objects) / Double(requests)
  }

  /// No cache misses a smaller share of the bytes.
  public var compulsoryByteMissRatio: Double {
    bytes == 0 ? 0 : Double(workingSet) / Double(bytes)
  }
}
