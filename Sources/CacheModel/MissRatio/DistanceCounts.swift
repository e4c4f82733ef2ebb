/// How many requests, and bytes of them, had a distance up to each of a list of capacities.
struct DistanceCounts<Weight: Numeric> {
  private let capacities: [Int64]
  /// What is hit from each capacity on; the last entry is never hit.
  private var requests: [Weight]
  private var bytes: [Weight]

  /// - Parameter capacities: rising.
  init(_ capacities: [Int64]) {
    for index in capacities.indices.dropFirst() {
      precondition(capacities[index - 1] < capacities[index], "capacities must rise")
    }
    self.capacities = capacities
    requests = [Weight](repeating: 0, count: capacities.count + 1)
    bytes = [Weight](repeating: 0, count: capacities.count + 1)
  }

  /// Adds requests of one distance; nil is never hit.
  @inline(__always)
  mutating func add(_ distance: Int64?, requests count: Weight, bytes size: Weight) {
    var place = capacities.count
    if let distance {
      var low = 0
      while low < place {
        let middle = (low + place) >> 1
        if capacities[middle] < distance { low = middle + 1 } else { place = middle }
      }
    }
    requests[place] += count
    bytes[place] += size
  }

  /// Adds another's counts, each times a factor; the capacities are the same.
  mutating func add(_ other: DistanceCounts, requestsBy factor: Weight, bytesBy byteFactor: Weight)
  {
    for index in requests.indices {
      requests[index] += other.requests[index] * factor
      bytes[index] += other.bytes[index] * byteFactor
    }
  }

  /// What each capacity misses, in whole numbers.
  func points(_ whole: (Weight) -> Int64) -> [MissRatioPoint] {
    var points: [MissRatioPoint] = []
    var missed: Weight = requests[capacities.count]
    var missedBytes: Weight = bytes[capacities.count]
    for index in capacities.indices.reversed() {
      points.append(
        MissRatioPoint(
          capacity: capacities[index], misses: whole(missed), missedBytes: whole(missedBytes)))
      missed += requests[index]
      missedBytes += bytes[index]
    }
    points.reverse()
    return points
  }
}
