/// A share from 0 to 1, never a percentage.
public struct Ratio: Hashable, Comparable, Sendable {
  /// The share, in 0...1.
  public let value: Double

  /// - Precondition: `value` is in 0...1.
  @inlinable
  public init(_ value: Double) {
    precondition(value >= 0 && value <= 1, "a ratio is between 0 and 1")
    self.value = value
  }

  /// `part / whole`, held to 0...1; nil when `whole` is not positive ("no data" is not a ratio).
  @inlinable
  public init?(_ part: Int64, of whole: Int64) {
    if whole <= 0 { return nil }
    value = Swift.min(1, Swift.max(0, Double(part) / Double(whole)))
  }

  public static let zero = Ratio(0)
  public static let one = Ratio(1)

  @inlinable
  public static func < (a: Ratio, b: Ratio) -> Bool { a.value < b.value }
}
