import MediaUnits
import SimulationKernel

/// A table of quantiles as bytes.
///
/// Most laws of a feed are constants, normal, lognormal, Weibull or uniform. Of these a few numbers
/// are kept, and by how much each knot differs from what they make of it, which is nothing at
/// nearly all of them. Of other laws it is kept by how much each knot differs from what those
/// before it lead to. So any table comes back to the last bit.
enum TableImage {
  private enum Form: Int {
    case constant, normal, lognormal, weibull, uniform, knots
  }

  /// Whether two tables are the same to the last bit.
  static func isSame(_ one: QuantileTable, _ other: QuantileTable) -> Bool {
    one.mean.bitPattern == other.mean.bitPattern
      && one.maximumError.bitPattern == other.maximumError.bitPattern && one.isEqual(to: other)
  }

  /// Both sides of a table.
  typealias Sides = (lower: [Double], upper: [Double])

  static func image(
    _ value: QuantileTable?, _ coder: inout ImageCoder, _ standards: StandardLaws
  ) -> QuantileTable {
    let (form, law) = value.map { fitting($0, standards) } ?? (nil, nil)
    let number = coder.tag(form?.rawValue, below: 6)
    if number == Form.constant.rawValue {
      return QuantileTable(constant: coder(value?.largest))
    }
    let maximumError = coder(value?.maximumError)
    let mean = coder(value?.mean)
    let known = value?.sides
    let sides: Sides
    if let form = Form(rawValue: number), form != .knots {
      let law = FittedLaw(
        shape: shape(form), location: coder(law?.location), scale: coder(law?.scale),
        least: coder(law?.least), largest: coder(law?.largest), standards: standards)
      sides = law.image(known, &coder)
    } else {
      sides = KnotImage.image(known, &coder)
    }
    guard isLawful(sides) else {
      coder.fail()
      return QuantileTable(constant: 0)
    }
    return QuantileTable(
      lower: sides.lower, upper: sides.upper, maximumError: maximumError, mean: mean)
  }

  /// Which form a table has, and its law where it is one of a few numbers.
  private static func fitting(
    _ table: QuantileTable, _ standards: StandardLaws
  ) -> (Form, FittedLaw?) {
    if isConstant(table) { return (.constant, nil) }
    let sides = table.sides
    for form in [Form.normal, .lognormal, .weibull, .uniform] {
      if let law = FittedLaw(sides, shape(form), standards) { return (form, law) }
    }
    return (.knots, nil)
  }

  private static func shape(_ form: Form) -> FittedLaw.Shape {
    switch form {
    case .normal: .normal
    case .lognormal: .lognormal
    case .weibull: .weibull
    case .constant, .uniform, .knots: .uniform
    }
  }

  /// How far a knot is from the nearer end of the probabilities.
  static func distance(at index: Int) -> Double {
    let (octave, cell) = index.quotientAndRemainder(dividingBy: QuantileTable.cells)
    let power = Double(sign: .plus, exponent: -octave - 1, significand: 1)
    return power * (1 - Double(cell) / Double(2 * QuantileTable.cells))
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

/// What tables are told by: functions, and the standard normal and exponential laws at the knots.
struct StandardLaws {
  let math = PreciseMath()
  /// Quantiles of the normal law.
  let normal: TableImage.Sides
  /// Logarithms of the exponential law's quantiles.
  let exponential: (lower: [PreciseNumber], upper: [PreciseNumber])

  init() {
    var (below, above): ([Double], [Double]) = ([], [])
    var (lower, upper): ([PreciseNumber], [PreciseNumber]) = ([], [])
    for index in 0..<QuantileTable.knots {
      let tail = TableImage.distance(at: index)
      let normal = math.normal(tail)
      below.append(normal)
      above.append(-normal)
      let near = math.log(PreciseNumber.sum(1, -tail))
      lower.append(math.log(PreciseNumber(-(near.high + near.low))))
      upper.append(math.log(PreciseNumber(-math.log(tail))))
    }
    normal = (below, above)
    exponential = (lower, upper)
  }
}

/// A law of two numbers, held to bounds, that a table may be near.
///
/// Each knot is computed as `Statistics` and GSL compute it, so that nearly all of them have the
/// same bits.
private struct FittedLaw {
  enum Shape {
    /// About a mean, the location; the scale is the deviation.
    case normal
    /// The location is the median, the scale the deviation of the logarithm.
    case lognormal
    /// The location is the law's scale, the scale its shape.
    case weibull
    /// Equally likely between the location and the scale.
    case uniform
  }

  private let shape: Shape
  private(set) var location, scale: Double
  private(set) var least, largest: Double
  private let standards: StandardLaws
  /// One over the scale, of a Weibull law.
  private var power: PreciseNumber { PreciseNumber(1 / scale) }

  init(
    shape: Shape, location: Double, scale: Double, least: Double, largest: Double,
    standards: StandardLaws
  ) {
    self.shape = shape
    self.location = location
    self.scale = scale
    self.least = least
    self.largest = largest
    self.standards = standards
  }

  // MARK: Finding the law of a table

  /// Knots that tell the scale, the surest first: the further out, the less rounding tells; what is
  /// at a bound tells nothing.
  private static let places = [40, 20, 8, 3, 1].map { $0 * QuantileTable.cells } + [16]

  /// The law of a table; nil where it is another one.
  init?(_ sides: TableImage.Sides, _ shape: Shape, _ standards: StandardLaws) {
    let (lower, upper) = sides
    let last = lower.count - 1
    self.init(
      shape: shape, location: 0, scale: 0, least: lower[last], largest: upper[last],
      standards: standards)
    if shape == .uniform {
      // The last knots are not quite the ends.
      (location, scale) = (least, largest)
      settle(sides)
      if !isNear(sides) { return nil }
      return
    }
    let median = lower[0]
    guard shape == .normal || median > 0,
      let place = FittedLaw.places.first(where: { place in
        upper[place] > median && upper[place] < upper[last]
          || lower[place] < median && lower[place] > lower[last]
      })
    else { return nil }
    let isUpper = upper[place] > median && upper[place] < upper[last]
    let knot = isUpper ? upper[place] : lower[place]
    if !(shape == .normal || knot > 0) { return nil }
    fit(knot, at: place, isUpper: isUpper, median: median)
    if !isNear(sides) { return nil }
    settle(sides)
  }

  /// Takes the law through the median and a knot.
  private mutating func fit(_ knot: Double, at place: Int, isUpper: Bool, median: Double) {
    let normal = isUpper ? standards.normal.upper[place] : standards.normal.lower[place]
    location = median
    switch shape {
    case .normal: scale = (knot - median) / normal
    case .lognormal: scale = ratio(knot, median) / normal
    case .weibull:
      let (from, to) = (
        standards.exponential.lower[0],
        isUpper ? standards.exponential.upper[place] : standards.exponential.lower[place]
      )
      let difference = to + PreciseNumber(-from.high, -from.low)
      scale = (difference.high + difference.low) / ratio(knot, median)
      locate(median)
    case .uniform: break
    }
  }

  /// The logarithm of a ratio, which keeps its digits.
  private func ratio(_ one: Double, _ other: Double) -> Double {
    let low = standards.math.log(PreciseNumber(other))
    let result = standards.math.log(PreciseNumber(one)) + PreciseNumber(-low.high, -low.low)
    return result.high + result.low
  }

  /// Takes the scale of a Weibull law that has a median and the shape.
  private mutating func locate(_ median: Double) {
    location = median / standards.math.exp(standards.exponential.lower[0] * power)
  }

  /// Takes the numbers that a scenario is likely to have had, which are round ones, or one that
  /// rounding may have made of them. The nearer they are, the fewer knots are left to tell.
  private mutating func settle(_ sides: TableImage.Sides) {
    let median = sides.lower[0]
    var best = self
    var least = far(sides)
    for scale in FittedLaw.near(scale) {
      var other = self
      other.scale = scale
      if shape == .weibull { other.locate(median) }
      let isExact = shape == .normal || shape == .lognormal
      for location in isExact ? [location] : FittedLaw.near(other.location) {
        other.location = location
        let far = other.far(sides)
        if far < least { (best, least) = (other, far) }
      }
      if least == 0 { break }
    }
    self = best
  }

  /// Numbers near one: round ones first.
  private static func near(_ number: Double) -> [Double] {
    [1e3, 1e6, 1e9, 1e12].map { (number * $0).rounded() / $0 }
      + (-4...4).map { number + Double($0) * number.ulp }
  }

  /// How far some knots of a table are, in units of the last place together.
  private func far(_ sides: TableImage.Sides) -> UInt64 {
    let (lower, upper) = sides
    var sum: UInt64 = 0
    for index in stride(from: 0, to: lower.count, by: 61) {
      sum += rest(lower[index], at: index, isUpper: false).magnitude
      sum += rest(upper[index], at: index, isUpper: true).magnitude
    }
    return sum
  }

  /// Whether all knots are so near that to tell how far is shorter than to tell them.
  private func isNear(_ sides: TableImage.Sides) -> Bool {
    // What the C library and rounding make of it.
    let farthest: UInt64 = 1 << 13
    let (lower, upper) = sides
    for index in lower.indices {
      if rest(lower[index], at: index, isUpper: false).magnitude > farthest
        || rest(upper[index], at: index, isUpper: true).magnitude > farthest
      {
        return false
      }
    }
    return true
  }

  // MARK: Knots

  /// How far a knot is from the law, in units of the last place.
  private func rest(_ knot: Double, at index: Int, isUpper: Bool) -> Int64 {
    Int64(bitPattern: knot.bitPattern)
      &- Int64(bitPattern: value(at: index, isUpper: isUpper).bitPattern)
  }

  /// What the law has at a knot of a side.
  private func value(at index: Int, isUpper: Bool) -> Double {
    let normal = isUpper ? standards.normal.upper[index] : standards.normal.lower[index]
    let found: Double
    switch shape {
    case .normal: found = location + scale * normal
    case .lognormal: found = location * standards.math.exp(scale * normal)
    case .weibull:
      let (lower, upper) = standards.exponential
      found = location * standards.math.exp((isUpper ? upper[index] : lower[index]) * power)
    case .uniform:
      let distance = TableImage.distance(at: index) * (scale - location)
      found = isUpper ? scale - distance : location + distance
    }
    return found < least ? least : found > largest ? largest : found
  }

  /// Both sides of a table.
  func image(
    _ sides: TableImage.Sides?, _ coder: inout ImageCoder
  ) -> TableImage.Sides {
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
