import MediaUnits
import SimulationKernel

/// The knots of a law that is none of a few numbers, as bytes.
///
/// A knot is told by how many units of the last place it differs from the polynomial through some
/// knots before it. Of a smooth law that is two to three bytes where a knot has eight.
enum KnotImage {
  /// Through how many knots a polynomial may go; 0: knots are told whole.
  private static let orders = [0, 1, 4, 5, 6, 7, 8]

  static func image(
    _ known: TableImage.Sides?, _ coder: inout ImageCoder
  ) -> TableImage.Sides {
    let place = coder.tag(known.map(shortest), below: orders.count)
    return image(known, &coder, order: orders[place])
  }

  /// The place of the order that tells a table in the fewest bytes.
  private static func shortest(_ known: TableImage.Sides) -> Int {
    var best = (place: 0, count: Int.max)
    for (place, order) in orders.enumerated() {
      var coder = ImageCoder()
      _ = image(known, &coder, order: order)
      // Those that are 0 are compressed to nearly nothing.
      let count = coder.bytes.reduce(0) { $0 + ($1 == 0 ? 0 : 1) }
      if count < best.count { best = (place, count) }
    }
    return best.place
  }

  private static func image(
    _ known: TableImage.Sides?, _ coder: inout ImageCoder, order: Int
  ) -> TableImage.Sides {
    if order == 0 { return (coder.list(known?.lower), coder.list(known?.upper)) }
    var (lower, upper): ([Double], [Double]) = ([], [])
    lower.reserveCapacity(QuantileTable.knots)
    upper.reserveCapacity(QuantileTable.knots)
    for index in 0..<QuantileTable.knots {
      let expected = expected(at: index, order: index < order ? 1 : order, lower, upper)
      lower.append(knot(known?.lower[index], near: expected.lower, &coder))
      upper.append(knot(known?.upper[index], near: expected.upper, &coder))
      if coder.isBroken { break }
    }
    return (lower, upper)
  }

  /// A knot by its distance from what is expected.
  private static func knot(
    _ value: Double?, near expected: Double, _ coder: inout ImageCoder
  ) -> Double {
    let bits = Int64(bitPattern: expected.bitPattern)
    let rest = coder(value.map { Int64(bitPattern: $0.bitPattern) &- bits })
    return Double(bitPattern: UInt64(bitPattern: bits &+ rest))
  }

  /// What the polynomials through so many knots before lead to.
  private static func expected(
    at index: Int, order: Int, _ lower: [Double], _ upper: [Double]
  ) -> (lower: Double, upper: Double) {
    if index == 0 { return (0, 0) }
    let place = TableImage.distance(at: index)
    var (below, above) = (0.0, 0.0)
    for knot in index - order..<index {
      let own = TableImage.distance(at: knot)
      var weight = 1.0
      for other in index - order..<index where other != knot {
        let node = TableImage.distance(at: other)
        weight *= (place - node) / (own - node)
      }
      below += weight * lower[knot]
      above += weight * upper[knot]
    }
    return (below, above)
  }
}
