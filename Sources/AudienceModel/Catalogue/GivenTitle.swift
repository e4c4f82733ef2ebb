import CachePolicy
import MediaUnits

/// A title that is what a real origin has, in place of one that the catalogue's laws draw.
///
/// Leaves out: segments of unequal length within one title (all but the last count as ``step``) and
/// sizes, which the origin's answers tell.
public struct GivenTitle: Sendable, Equatable {
  public var duration: TimeSpan
  /// From 1 to ``ObjectLayout/maximumSegments``.
  public var segmentCount: Int
  /// Length of each segment but the last.
  public var step: TimeSpan
  /// Bits by ``AssetClass``: objects that the title does not have. Nobody asks for them; who wants
  /// one has it at once.
  public private(set) var missing: UInt16 = 0

  /// - Precondition: the segments have the duration: `step` · (`segmentCount` - 1) < `duration`.
  public init(duration: TimeSpan, segmentCount: Int, step: TimeSpan) {
    precondition(
      (1...ObjectLayout.maximumSegments).contains(segmentCount) && step > .zero
        && duration > step * Int64(segmentCount - 1),
      "a title's segments have its duration")
    self.duration = duration
    self.segmentCount = segmentCount
    self.step = step
  }

  /// The title has no object of a class.
  public mutating func lack(_ asset: AssetClass) { missing |= 1 << UInt16(asset.rawValue) }

  public func lacks(_ asset: AssetClass) -> Bool { missing >> UInt16(asset.rawValue) & 1 == 1 }
}
