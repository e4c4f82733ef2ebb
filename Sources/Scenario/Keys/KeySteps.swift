/// Values around the one that a key has, for somebody who turns it.
extension SettableKey {
  /// Values as arguments of `--set` have them, in their order, the key's own among them: of a
  /// number about a quarter of it to four times as much, in round numbers; of words and flags all.
  ///
  /// A value that the table refuses is left out; what only the whole scenario can refuse is not.
  ///
  /// - Throws: ``Fault`` for a key whose value is not one that can be turned: a text, a mapping, a
  ///   list of anything but bit rates.
  public func steps() throws(Fault) -> [String] {
    var isOptional = false
    if case .optional = shape { isOptional = true }
    let steps: [String]
    switch (value, shape.withoutOptional) {
    case (.none, _):
      throw Fault(expected: "a value to go on from at \(path)", got: "none")
    case (.time(let value), let shape):
      steps = quantities(.time, value, shape.wholeRange)
    case (.bytes(let value), let shape):
      steps = quantities(.bytes, value, shape.wholeRange)
    case (.bitRate(let value), let shape):
      steps = quantities(.bitRate, value, shape.wholeRange)
    case (.integer(let value), let shape): steps = integers(value, shape.wholeRange)
    case (.ratio(let value), _): steps = ratios(value)
    case (.real(let value), .real(let range)): steps = reals(value, range)
    case (.real(let value), _): steps = reals(value, .finite)
    case (.boolean, _): steps = ["false", "true"]
    case (.word, .word(let words)): steps = words.map { CanonicalText.key($0.spelling) }
    case (.list(let elements), .list(.bitRate(let range), let count)):
      steps = ladders(elements.compactMap(\.magnitude), range, most: count.upperBound)
    default:
      throw Fault(
        expected: "a key with a number, a word, true or false at \(path)",
        got: shape.expectation)
    }
    return isOptional ? steps + ["none"] : steps
  }

  /// What a number is multiplied by.
  private static let factors = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 4]

  // MARK: Numbers with a unit

  private func quantities(
    _ quantity: Quantity, _ value: Int64, _ range: ClosedRange<Int64>
  ) -> [String] {
    let isBinary = quantity.text(value).hasSuffix("iB")
    let units = quantity.units.filter { $0.isBinary == isBinary || $0.factor == 1 }
    var steps: [(value: Int64, text: String)] = []
    for factor in SettableKey.factors {
      let wanted = Double(value) * factor
      let unit = units.last { Double($0.factor) <= wanted } ?? units[0]
      let number = RoundNumber.near(wanted / Double(unit.factor))
      let written = "\(PlainNumber.text(number)) \(unit.name)"
      let text = factor == 1 ? self.text : wanted == 0 ? quantity.text(0) : written
      guard let found = try? quantity.value(of: text), range.contains(found) else { continue }
      if steps.contains(where: { $0.value == found }) { continue }
      if factor != 1, found == value { continue }
      steps.append((found, text))
    }
    return steps.sorted { $0.value < $1.value }.map(\.text)
  }

  /// Ladders that end lower, and one that ends higher.
  private func ladders(
    _ rungs: [Double], _ range: ClosedRange<Int64>, most: Int
  ) -> [String] {
    func text(_ rungs: [Int64]) -> String {
      "[\(rungs.map { Quantity.bitRate.text($0) }.joined(separator: ", "))]"
    }
    let rates = rungs.map { Int64($0) }
    var steps = rates.indices.dropLast().map { text(Array(rates[...$0])) } + [self.text]
    if let last = rates.last, rates.count < most {
      let unit = Double(Quantity.bitRate.units.last { $0.factor <= last }?.factor ?? 1)
      let more = Int64(RoundNumber.near(2 * Double(last) / unit) * unit)
      if range.contains(more) { steps.append(text(rates + [more])) }
    }
    return steps
  }

  // MARK: Plain numbers

  private func integers(_ value: Int64, _ range: ClosedRange<Int64>) -> [String] {
    let isSmall = value.magnitude < 20
    let near = isSmall ? (-2...3).map { value + $0 } : []
    let far = SettableKey.factors.map { factor in
      factor == 1 ? value : Int64(RoundNumber.near(Double(value) * factor).rounded())
    }
    var steps: [Int64] = []
    for step in isSmall ? near : far where range.contains(step) && !steps.contains(step) {
      steps.append(step)
    }
    return steps.map { $0.description }
  }

  private func ratios(_ value: Double) -> [String] {
    if value == 0 { return ["0", "0.05", "0.1", "0.25", "0.5", "1"] }
    // What is near the whole is turned by what it lacks.
    let isHigh = value > 0.5
    let part = isHigh ? 1 - value : value
    var steps: [Double] = [value]
    for factor in SettableKey.factors {
      let number = RoundNumber.near(part * factor)
      let step = isHigh ? ((1 - number) * 1e6).rounded() / 1e6 : number
      if factor != 1, 0...1 ~= step, !steps.contains(step) { steps.append(step) }
    }
    if value == 1 { steps += [0.5, 0.75, 0.9, 0.95] }
    return steps.sorted().map { PlainNumber.text($0) }
  }

  private func reals(_ value: Double, _ range: RealRange) -> [String] {
    if value == 0 {
      return ["0", "0.25", "0.5", "1", "2", "4"].filter { range.contains(Double($0) ?? 0) }
    }
    var steps: [Double] = [value]
    for factor in SettableKey.factors {
      let number = (value < 0 ? -1 : 1) * RoundNumber.near(value.magnitude * factor)
      if factor != 1, range.contains(number), !steps.contains(number) { steps.append(number) }
    }
    return steps.sorted().map { PlainNumber.text($0) }
  }
}

/// Numbers that a person would have written.
enum RoundNumber {
  private static let digits: [Double] = [
    10, 12, 15, 18, 20, 25, 30, 35, 40, 45, 50, 60, 70, 75, 80, 90, 100,
  ]

  /// The number itself where it has two digits at most, else the nearest one that is round.
  static func near(_ number: Double) -> Double {
    guard number > 0, number.isFinite else { return 0 }
    var power = 0
    var scaled = number
    while scaled >= 100 {
      scaled /= 10
      power += 1
    }
    while scaled < 10 {
      scaled *= 10
      power -= 1
    }
    let whole = scaled.rounded()
    let isShort = (scaled - whole).magnitude < 1e-9
    let found =
      isShort
      ? whole
      : digits.min { ($0 - scaled).magnitude < ($1 - scaled).magnitude } ?? whole
    // Through text: a power of ten has no exact fraction.
    return Double("\(Int(found))e\(power)") ?? number
  }
}

extension Shape {
  /// The values of a whole number of any unit.
  fileprivate var wholeRange: ClosedRange<Int64> {
    switch self {
    case .time(let range), .bytes(let range), .bitRate(let range), .integer(let range): range
    default: 0...Int64.max
    }
  }
}
