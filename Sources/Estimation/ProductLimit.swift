/// The product-limit estimate of a survival curve, taken from left to right: every curve of ours is
/// made by it, whatever its times are kept in.
///
/// Tell it of what happened in ascending order of time, events before censorings at equal times: a
/// unit censored at t was still at risk at t. A weight is a number of units.
///
/// Source: E. Kaplan, P. Meier 1958, DOI 10.1080/01621459.1958.10501452.
public struct ProductLimit: Sendable {
  /// Units neither gone nor censored so far.
  public private(set) var atRisk: Double
  /// The share that survives what happened so far; 1 before the first event.
  public private(set) var survival = 1.0

  /// Before anything has happened to so many units.
  public init(atRisk: Double) { self.atRisk = atRisk }

  /// Units had their event.
  public mutating func fall(by weight: Double) {
    if weight > 0 { survival *= atRisk > 0 ? max(0, 1 - weight / atRisk) : 0 }
    atRisk -= weight
  }

  /// Units were seen for the last time, without the event.
  public mutating func censor(_ weight: Double) { atRisk -= weight }

  /// Whether at least the share `p` has had its event.
  public func hasReached(_ p: Double) -> Bool { ProductLimit.isReached(p, by: survival) }

  /// The curve is compared with 1 - `p` to 1e-10, which absorbs the rounding of the product.
  static func isReached(_ p: Double, by survival: Double) -> Bool { survival <= 1 - p + 1e-10 }
}
