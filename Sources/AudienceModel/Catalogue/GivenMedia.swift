import FeedPolicy
import MediaUnits

/// One clip that is every title's media: its true sizes, in place of those that the catalogue's
/// laws draw.
///
/// A title keeps the duration that is drawn for it, rounded up to whole segments and no longer than
/// the clip; it is the clip's beginning. Leaves out: a clip for each title, and audio of its own.
public struct GivenMedia: Sendable, Equatable {
  /// Length of each segment.
  public let step: TimeSpan
  /// Segments of the clip.
  public let segmentCount: Int
  private let rates: [BitRate]
  /// By rung, then by segment.
  private let bytes: [Int64]

  /// - Parameters:
  ///   - step: length of each segment.
  ///   - bytes: by rung the bytes of each segment.
  /// - Precondition: every rung of the ladder has the same number of segments, from 1 to
  ///   ``ObjectLayout/maximumSegments``.
  public init(_ ladder: Ladder, step: TimeSpan, bytes: [[Int64]]) {
    let count = bytes.first?.count ?? 0
    precondition(
      bytes.count == ladder.count && step > .zero
        && (1...ObjectLayout.maximumSegments).contains(count)
        && bytes.allSatisfy { $0.count == count },
      "a clip has the same segments for each rung of its ladder")
    self.step = step
    segmentCount = count
    rates = ladder.rates
    self.bytes = bytes.flatMap { $0 }
  }

  /// What becomes of a duration that is drawn.
  func duration(_ drawn: TimeSpan) -> TimeSpan {
    let steps = (drawn.nanoseconds + step.nanoseconds - 1) / step.nanoseconds
    return step * (steps < 1 ? 1 : min(steps, Int64(segmentCount)))
  }

  /// Bytes of a segment of the rung with a declared rate.
  /// - Precondition: the ladder has the rate, and the clip the segment.
  public func bytes(of segment: Int, rate: BitRate) -> Int64 {
    guard let rung = rates.firstIndex(of: rate), segment < segmentCount else {
      preconditionFailure("a segment of the clip")
    }
    return bytes[rung * segmentCount + segment]
  }
}
