import CacheModel
import Foundation
import SimulationKernel

/// Random traces for tests of miss-ratio curves.
enum MissRatioFixture {
  /// SplitMix64 (Steele, Lea, Flood 2014).
  struct Random {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= SplitMix.step
      return SplitMix.finalized(state)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
  }

  /// Requests whose popularity falls, each object of one size from 1 to `largest`.
  static func small(
    seed: UInt64, requests: Int, objects: Int, largest: Int
  ) -> CacheTrace {
    var random = Random(state: seed)
    let sizes = (0..<objects).map { _ in Int64(1 + random.below(largest)) }
    var trace = CacheTrace(objectCount: objects)
    for _ in 0..<requests {
      let object = random.below(1 + random.below(objects))
      trace.objects.append(UInt32(object))
      trace.sizes.append(sizes[object])
    }
    return trace
  }

  /// Zipf with exponent `alpha`, by bisection in the cumulative weights; handles are shuffled.
  static func zipf(seed: UInt64, requests: Int, objects: Int, alpha: Double) -> CacheTrace {
    var random = Random(state: seed)
    var sum = 0.0
    let cumulative = (1...objects).map { rank in
      sum += pow(Double(rank), -alpha)
      return sum
    }
    var names = (0..<UInt32(objects)).map { $0 }
    for index in names.indices.dropFirst().reversed() {
      names.swapAt(index, random.below(index + 1))
    }
    var trace = CacheTrace(objectCount: objects)
    trace.objects = (0..<requests).map { _ in
      let point = Double(random.next() >> 11) * 0x1p-53 * sum
      var (low, high) = (0, objects - 1)
      while low < high {
        let middle = (low + high) / 2
        if cumulative[middle] > point { high = middle } else { low = middle + 1 }
      }
      return names[low]
    }
    let sizes = (0..<objects).map { _ in Int64(1_000 + random.below(100_000)) }
    trace.sizes = trace.objects.map { sizes[Int($0)] }
    return trace
  }
}
