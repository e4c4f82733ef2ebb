/// A sum with the rounding errors carried along, added in the order of the calls.
///
/// Neumaier's form of Kahan summation (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur
/// Summation endlicher Summen", 1974, DOI 10.1002/zamm.19740540106): the error does not grow with
/// the number of terms as long as n·2^-53 is far below 1.
public struct CompensatedSum: Sendable {
  @usableFromInline var sum = 0.0
  @usableFromInline var carry = 0.0

  /// The sum of nothing.
  @inlinable
  public init() {}

  /// Adds a term.
  @inlinable
  public mutating func add(_ value: Double) {
    let next = sum + value
    if abs(sum) >= abs(value) {
      carry += (sum - next) + value
    } else {
      carry += (value - next) + sum
    }
    sum = next
  }

  /// The sum so far.
  @inlinable
  public var value: Double { sum + carry }

  /// The sum of a list, in its order.
  @inlinable
  public static func of(_ values: [Double]) -> Double {
    var sum = CompensatedSum()
    for value in values { sum.add(value) }
    return sum.value
  }
}
