import MediaUnits
import SimulationKernel

/// A table of quantiles as bytes.
///
/// Most laws of a feed are constants, lognormal, Weibull or uniform. Of these a few numbers are
/// kept, and by how much each knot differs from what they make of it, which is a few bits; so any
/// table comes back to the last bit, and those of other laws are only longer.
enum TableImage {
  private enum Form: Int {
    case constant, lognormal, weibull, uniform, knots
  }

  /// Whether two tables are the same to the last bit.
  static func isSame(_ one: QuantileTable, _ other: QuantileTable) -> Bool {
    one.mean.bitPattern == other.mean.bitPattern
      && one.maximumError.bitPattern == other.maximumError.bitPattern && one.isEqual(to: other)
  }

  /// Both sides of a table.
  typealias Sides = (lower: [Double], upper: [Double])

  /// - Parameters:
  ///   - normal: the standard normal law, where it is known.
  ///   - weibull: the logarithms of the exponential law (``logarithmsOfExponential()``).
  static func image(
    _ value: QuantileTable?, _ coder: inout ImageCoder, normal: Sides?, weibull: Sides
  ) -> QuantileTable {
    var (form, law): (Form?, LogLinear?)
    var uniform: Uniform?
    if let value {
      (form, law) = fitting(value, normal: normal, weibull: weibull)
      if form == .uniform { uniform = Uniform(value) }
    }
    let number = coder.tag(form?.rawValue, below: 5)
    if number == Form.constant.rawValue {
      return QuantileTable(constant: coder(value?.largest))
    }
    let maximumError = coder(value?.maximumError)
    let mean = coder(value?.mean)
    let sides: Sides
    switch Form(rawValue: number) {
    case .lognormal, .weibull:
      guard let standard = number == Form.weibull.rawValue ? weibull : normal else {
        return broken(&coder)
      }
      let law = LogLinear(
        location: coder(law?.location), scale: coder(law?.scale), least: coder(law?.least),
        largest: coder(law?.largest), standard: standard)
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

  /// Which form a table has, and its law where that is linear in the logarithm.
  private static func fitting(
    _ table: QuantileTable, normal: Sides?, weibull: Sides
  ) -> (Form, LogLinear?) {
    if isConstant(table) { return (.constant, nil) }
    if let law = normal.flatMap({ LogLinear(table, standard: $0) }) { return (.lognormal, law) }
    if let law = LogLinear(table, standard: weibull) { return (.weibull, law) }
    return (Uniform(table) == nil ? .knots : .uniform, nil)
  }

  /// The logarithms of the quantiles of the exponential law: of these a Weibull law's are a line.
  static func logarithmsOfExponential() -> Sides {
    var (lower, upper): ([Double], [Double]) = ([], [])
    for index in 0..<QuantileTable.knots {
      let tail = distance(at: index)
      upper.append(PortableMath.log(-PortableMath.log(tail)))
      // -ln(1 - v) is v + v²/2 + …, whose first terms are all that a small v leaves.
      let near = tail * (1 + tail * (1.0 / 2 + tail * (1.0 / 3 + tail * (0.25 + tail * 0.2))))
      lower.append(PortableMath.log(tail < 1e-4 ? near : -PortableMath.log(1 - tail)))
    }
    return (lower, upper)
  }

  /// How far a knot is from the nearer end of the probabilities.
  static func distance(at index: Int) -> Double {
    let (octave, cell) = index.quotientAndRemainder(dividingBy: QuantileTable.cells)
    let power = Double(sign: .plus, exponent: -octave - 1, significand: 1)
    return power * (1 - Double(cell) / Double(2 * QuantileTable.cells))
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
  func rest(_ knot: Double, at index: Int, isUpper: Bool) -> Int64 {
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

/// A law whose logarithm is a line over that of a standard one, held to bounds: lognormal over the
/// normal law, Weibull over the logarithm of the exponential one.
private struct LogLinear: TableLaw {
  /// Of the logarithm.
  var location, scale: Double
  var least, largest: Double
  /// The knots of the standard law.
  private let standard: TableImage.Sides

  /// Knots that tell the scale, the surest first: the further out, the less rounding tells; what is
  /// at a bound tells nothing.
  private static let places = [40, 20, 8, 3, 1].map { $0 * QuantileTable.cells } + [16]

  init(
    location: Double, scale: Double, least: Double, largest: Double, standard: TableImage.Sides
  ) {
    self.location = location
    self.scale = scale
    self.least = least
    self.largest = largest
    self.standard = standard
  }

  /// The law of a table; nil where it is another one.
  init?(_ table: QuantileTable, standard: TableImage.Sides) {
    let (lower, upper) = table.sides
    let (median, last) = (lower[0], lower.count - 1)
    guard median > 0,
      let place = LogLinear.places.first(where: { place in
        upper[place] > median && upper[place] < upper[last]
          || lower[place] < median && lower[place] > lower[last]
      })
    else { return nil }
    self.standard = standard
    let isUpper = upper[place] > median && upper[place] < upper[last]
    let knot = isUpper ? upper[place] : lower[place]
    let middle = standard.lower[0]
    let distance = (isUpper ? standard.upper[place] : standard.lower[place]) - middle
    guard knot > 0, distance != 0 else { return nil }
    let center = PortableMath.log(median)
    scale = (PortableMath.log(knot) - center) / distance
    location = center - scale * middle
    least = lower[last]
    largest = upper[last]
    if !isNear(table) { return nil }
    settle(table)
  }

  /// Takes the numbers that a scenario is likely to have had: round scales, and locations that the
  /// C library may have made of a median. The nearer they are, the fewer bits are left to tell.
  private mutating func settle(_ table: QuantileTable) {
    var best = self
    var least = far(table)
    for digits in [1e12, 1e9, 1e6, 1e3] {
      for step in -3...3 {
        var other = self
        other.scale = (scale * digits).rounded() / digits
        other.location = location + Double(step) * location.ulp
        let far = other.far(table)
        if far < least { (best, least) = (other, far) }
      }
    }
    self = best
  }

  /// How far some knots of a table are, in units of the last place together.
  private func far(_ table: QuantileTable) -> UInt64 {
    let (lower, upper) = table.sides
    var sum: UInt64 = 0
    for index in stride(from: 0, to: lower.count, by: 61) {
      sum += rest(lower[index], at: index, isUpper: false).magnitude
      sum += rest(upper[index], at: index, isUpper: true).magnitude
    }
    return sum
  }

  func value(at index: Int, isUpper: Bool) -> Double {
    let found = PortableMath.exp(
      location + scale * (isUpper ? standard.upper[index] : standard.lower[index]))
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
    let distance = TableImage.distance(at: index)
    let u = isUpper ? 1 - distance : distance
    return (1 - u) * least + u * largest
  }
}
