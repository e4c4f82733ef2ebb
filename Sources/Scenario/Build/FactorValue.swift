import Foundation

/// A value of a key that varies.
public struct FactorValue: Sendable, Hashable {
  /// As text for an ``Override``.
  public var text: String
  /// In seconds, bytes, bits per second or plain.
  public var magnitude: Double

  /// As a reader wants it: without quotes.
  public var shown: String { text.replacing("\"", with: "") }
}

extension SweepFactor {
  /// The written values in ascending order, each once; nil where they are no numbers of one unit.
  public var ascending: [FactorValue]? {
    guard ends != nil, let magnitudes else { return nil }
    let all = zip(values, magnitudes).map { FactorValue(text: $0, magnitude: $1) }
      .sorted { $0.magnitude < $1.magnitude }
    return all.enumerated().filter { number, value in
      number == 0 || all[number - 1].magnitude < value.magnitude
    }.map(\.element)
  }

  /// The value of so many digits that is nearest to a number, between the least and the greatest
  /// written value; whole units are whole. Nil where the values are no numbers of one unit.
  public func value(near magnitude: Double, digits: Int = 4) -> FactorValue? {
    guard let (low, high) = ends, let least = low.magnitude, let greatest = high.magnitude else {
      return nil
    }
    let held = min(max(SweepFactor.rounded(magnitude, digits: digits), least), greatest)
    let node = low.replacing(held)
    return FactorValue(text: CanonicalText.flow(node), magnitude: node.magnitude ?? held)
  }

  private static func rounded(_ value: Double, digits: Int) -> Double {
    if value == 0 || !value.isFinite { return value }
    let scale = pow(10, Double(digits - 1) - log10(abs(value)).rounded(.down))
    // A quotient of whole numbers is the nearest decimal; a product with a fraction is not.
    return scale >= 1
      ? (value * scale).rounded() / scale : (value * scale).rounded() * (1 / scale).rounded()
  }
}
