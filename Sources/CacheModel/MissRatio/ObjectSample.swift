import SimulationKernel

/// A share of the objects, chosen by a hash of the handle (C. Waldspurger et al. 2015, "Efficient
/// MRC construction with SHARDS", FAST): an object is in the sample with all its requests or with
/// none.
public struct ObjectSample: Equatable, Sendable {
  /// Objects whose hash is below this are in the sample.
  public private(set) var threshold: UInt64

  /// - Parameter rate: the share, above 0 and at most 1.
  public init(rate: Double) {
    precondition(rate > 0 && rate <= 1, "a sampling rate above 0 and at most 1")
    threshold = rate >= 1 ? .max : UInt64(rate * 0x1p63) * 2
  }

  /// The hash of a handle, set apart from other uses.
  @inline(__always)
  public static func hash(_ object: UInt32) -> UInt64 {
    SplitMix.hash(UInt64(object) &+ 0x5A4D_504C_4552_0001)
  }

  /// Whether an object is in the sample.
  @inline(__always)
  public func contains(_ object: UInt32) -> Bool {
    threshold == .max || ObjectSample.hash(object) < threshold
  }
}
