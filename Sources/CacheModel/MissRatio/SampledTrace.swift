/// The requests of a sample as a trace of its own, and what turns its counts into estimates for the
/// whole.
public struct SampledTrace: Sendable {
  /// The sampled requests, in order; handles are dense again.
  public let trace: CacheTrace
  /// Of the whole trace.
  public let whole: CacheTraceSummary
  /// Of the sample.
  public let part: CacheTraceSummary

  /// Takes a sample.
  public init(_ source: CacheTrace, sample: ObjectSample, unitSizes: Bool) {
    let whole = CacheTraceSummary(source, unitSizes: unitSizes)
    var result = CacheTrace()
    var renamed = [UInt32](repeating: .max, count: source.objectCount)
    for index in source.objects.indices where sample.contains(source.objects[index]) {
      let object = Int(source.objects[index])
      if renamed[object] == .max {
        renamed[object] = UInt32(result.objectCount)
        result.objectCount += 1
        if !source.identities.isEmpty { result.identities.append(source.identities[object]) }
      }
      result.objects.append(renamed[object])
      if !source.sizes.isEmpty { result.sizes.append(source.sizes[index]) }
      if !source.times.isEmpty { result.times.append(source.times[index]) }
      if !source.lifetimes.isEmpty { result.lifetimes.append(source.lifetimes[index]) }
      if !source.nodes.isEmpty { result.nodes.append(source.nodes[index]) }
    }
    trace = result
    self.whole = whole
    part = CacheTraceSummary(result, unitSizes: unitSizes)
  }

  /// The share of the objects that is in the sample.
  public var objectShare: Double {
    whole.objects == 0 ? 1 : Double(part.objects) / Double(whole.objects)
  }

  /// The share of the working set that is in the sample.
  public var byteShare: Double {
    whole.workingSet == 0 ? 1 : Double(part.workingSet) / Double(whole.workingSet)
  }

  /// The capacity that is to the sample what `capacity` is to the whole; at least 1.
  public func scaled(_ capacity: Int64) -> Int64 {
    max(1, SampledTrace.rounded(Double(capacity) * byteShare))
  }

  /// What a replay of the sample says about the whole.
  ///
  /// Misses are divided by the share of the objects, missed bytes by that of the working set: then
  /// a cache for everything has exactly the compulsory misses. The requests that the sample has too
  /// many or too few of, because the most popular objects are in it or not, count as hits, as in
  /// the adjusted form of SHARDS.
  public func estimate(_ counts: CacheReplayCounts) -> CacheReplayCounts {
    var result = CacheReplayCounts()
    result.requests = whole.requests
    result.bytes = whole.bytes
    result.misses = SampledTrace.scale(counts.misses, objectShare, atMost: whole.requests)
    result.missesSecondHalf = SampledTrace.scale(
      counts.missesSecondHalf, objectShare, atMost: result.misses)
    result.missedBytes = SampledTrace.scale(counts.missedBytes, byteShare, atMost: whole.bytes)
    result.objectsAtEnd = SampledTrace.scale(
      counts.objectsAtEnd, objectShare, atMost: whole.objects)
    result.bytesAtEnd = SampledTrace.scale(counts.bytesAtEnd, byteShare, atMost: .max)
    return result
  }

  static func scale(_ count: Int64, _ share: Double, atMost limit: Int64) -> Int64 {
    if share <= 0 || share >= 1 { return min(count, limit) }
    return min(rounded(Double(count) / share), limit)
  }

  /// The nearest whole number, saturating.
  static func rounded(_ value: Double) -> Int64 {
    value >= 0x1p62 ? 1 << 62 : Int64(value + 0.5)
  }
}
