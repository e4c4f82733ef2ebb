import MediaUnits
import SimulationKernel

/// A table of quantiles as bytes.
///
/// Most laws of a feed are constants, lognormal or uniform. Of these a few numbers are kept, and by
/// how much each knot differs from what they make of it, which is a few bits; so any table comes
/// back to the last bit, and those of other laws are only longer.
enum TableImage {
  private enum Form: Int {
    case constant, lognormal, uniform, knots
  }

  /// Whether two tables are the same to the last bit.
  static func isSame(_ one: QuantileTable, _ other: QuantileTable) -> Bool {
    one.mean.bitPattern == other.mean.bitPattern
      && one.maximumError.bitPattern == other.maximumError.bitPattern && one.isEqual(to: other)
  }

  /// - Parameter normal: the standard normal law, where it is known.
  static func image(
    _ value: QuantileTable?, _ coder: inout ImageCoder, normal: QuantileTable?
  ) -> QuantileTable {
    let lognormal = value.flatMap { table in normal.flatMap { Lognormal(table, normal: $0) } }
    let uniform = value.flatMap { Uniform($0) }
    let form = value.map { value -> Form in
      if isConstant(value) { return .constant }
      return lognormal != nil ? .lognormal : uniform != nil ? .uniform : .knots
    }
    let number = coder.tag(form?.rawValue, below: 4)
    if number == Form.constant.rawValue {
      return QuantileTable(constant: coder(value?.largest))
    }
    let maximumError = coder(value?.maximumError)
    let mean = coder(value?.mean)
    let sides: (lower: [Double], upper: [Double])
    switch Form(rawValue: number) {
    case .lognormal:
      guard let normal else { return broken(&coder) }
      let law = Lognormal(
        location: coder(lognormal?.location), scale: coder(lognormal?.scale),
        least: coder(lognormal?.least), largest: coder(lognormal?.largest), normal: normal.sides)
      sides = law.image(value?.sides, &coder)
    case .uniform:
      let law = Uniform(least: coder(uniform?.least), largest: coder(uniform?.largest))
      sides = law.image(value?.sides, &coder)
    default:
      let known = value?.sides
      sides = (coder.list(known?.lower), coder.list(known?.upper))
    }
    guard isLawful(sides) else { return broken(&coder) }
    return QuantileTable(
      lower: sides.lower, upper: sides.upper, maximumError: maximumError, mean: mean)
  }

  private static func broken(_ coder: inout ImageCoder) -> QuantileTable {
    coder.fail()
    return QuantileTable(constant: 0)
  }

  /// Whether it is ``QuantileTable/init(constant:)`` of one of its quantiles.
  private static func isConstant(_ table: QuantileTable) -> Bool {
    isSame(table, QuantileTable(constant: table.largest))
  }

  /// Whether these can be the sides of a table.
  private static func isLawful(_ sides: (lower: [Double], upper: [Double])) -> Bool {
    let (lower, upper) = sides
    guard lower.count == QuantileTable.knots && upper.count == QuantileTable.knots,
      lower[0] == upper[0]
    else { return false }
    for index in 1..<QuantileTable.knots {
      if !(lower[index] <= lower[index - 1] && upper[index] >= upper[index - 1]) { return false }
    }
    return true
  }
}

/// A law of a few numbers that a table may be near.
private protocol TableLaw {
  /// What the law has at a knot of a side.
  func value(at index: Int, isUpper: Bool) -> Double
}

extension TableLaw {
  /// How far a knot is from the law, in units of the last place.
  private func rest(_ knot: Double, at index: Int, isUpper: Bool) -> Int64 {
    Int64(bitPattern: knot.bitPattern)
      &- Int64(bitPattern: value(at: index, isUpper: isUpper).bitPattern)
  }

  /// Whether all knots are so near that to tell how far is shorter than to tell them.
  func isNear(_ table: QuantileTable) -> Bool {
    // What the C library and rounding make of it.
    let farthest: Int64 = 1 << 13
    let (lower, upper) = table.sides
    for index in lower.indices {
      if rest(lower[index], at: index, isUpper: false).magnitude > farthest.magnitude
        || rest(upper[index], at: index, isUpper: true).magnitude > farthest.magnitude
      {
        return false
      }
    }
    return true
  }

  /// Both sides of a table.
  func image(
    _ sides: (lower: [Double], upper: [Double])?, _ coder: inout ImageCoder
  ) -> (lower: [Double], upper: [Double]) {
    let lower = side(sides?.lower, isUpper: false, &coder)
    return (lower, side(sides?.upper, isUpper: true, &coder))
  }

  private func side(
    _ knots: [Double]?, isUpper: Bool, _ coder: inout ImageCoder
  ) -> [Double] {
    var result: [Double] = []
    result.reserveCapacity(QuantileTable.knots)
    for index in 0..<QuantileTable.knots {
      let rest = coder(knots.map { self.rest($0[index], at: index, isUpper: isUpper) })
      let bits = Int64(bitPattern: value(at: index, isUpper: isUpper).bitPattern) &+ rest
      result.append(Double(bitPattern: UInt64(bitPattern: bits)))
      if coder.isBroken { break }
    }
    return result
  }
}

/// A law whose logarithm is normal, held to bounds.
private struct Lognormal: TableLaw {
  /// Of the logarithm.
  var location, scale: Double
  var least, largest: Double
  /// The knots of the standard normal law.
  private let normal: (lower: [Double], upper: [Double])

  /// Knots that tell the scale, the surest first: the further out, the less rounding tells; what is
  /// at a bound tells nothing.
  private static let places = [40, 20, 8, 3, 1].map { $0 * QuantileTable.cells } + [16]

  init(
    location: Double, scale: Double, least: Double, largest: Double,
    normal: (lower: [Double], upper: [Double])
  ) {
    self.location = location
    self.scale = scale
    self.least = least
    self.largest = largest
    self.normal = normal
  }

  /// The law of a table; nil where it is another one.
  init?(_ table: QuantileTable, normal: QuantileTable) {
    let (lower, upper) = table.sides
    let (median, last) = (lower[0], lower.count - 1)
    guard median > 0,
      let place = Lognormal.places.first(where: { place in
        upper[place] > median && upper[place] < upper[last]
          || lower[place] < median && lower[place] > lower[last]
      })
    else { return nil }
    self.normal = normal.sides
    let isUpper = upper[place] > median && upper[place] < upper[last]
    let knot = isUpper ? upper[place] : lower[place]
    let distance = isUpper ? self.normal.upper[place] : self.normal.lower[place]
    guard knot > 0, distance != 0 else { return nil }
    location = PortableMath.log(median)
    scale = (PortableMath.log(knot) - location) / distance
    least = lower[last]
    largest = upper[last]
    if !isNear(table) { return nil }
  }

  func value(at index: Int, isUpper: Bool) -> Double {
    let found = PortableMath.exp(
      location + scale * (isUpper ? normal.upper[index] : normal.lower[index]))
    return found < least ? least : found > largest ? largest : found
  }
}

/// Equally likely between two bounds.
private struct Uniform: TableLaw {
  var least, largest: Double

  init(least: Double, largest: Double) {
    self.least = least
    self.largest = largest
  }

  /// The law of a table; nil where it is another one.
  init?(_ table: QuantileTable) {
    let (lower, upper) = table.sides
    least = lower[lower.count - 1]
    largest = upper[upper.count - 1]
    if !isNear(table) { return nil }
  }

  func value(at index: Int, isUpper: Bool) -> Double {
    let (octave, cell) = index.quotientAndRemainder(dividingBy: QuantileTable.cells)
    let power = Double(sign: .plus, exponent: -octave - 1, significand: 1)
    let distance = power * (1 - Double(cell) / Double(2 * QuantileTable.cells))
    let u = isUpper ? 1 - distance : distance
    return (1 - u) * least + u * largest
  }
}
