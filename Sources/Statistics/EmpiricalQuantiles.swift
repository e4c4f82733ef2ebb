/// A quantile function given by points and linear between them.
struct EmpiricalQuantiles: Sendable, Equatable {
  /// From 0 to 1, strictly ascending; a single 0 for a constant.
  let probabilities: [Double]
  /// Never descending, as many as the probabilities.
  let values: [Double]

  init(sample: [Double]) throws(StatisticsError) {
    if sample.isEmpty { throw .noData("at least 1 value", got: 0) }
    try Require.finite(data: sample)
    values = sample.sorted()
    let intervals = Double(max(1, sample.count - 1))
    probabilities = sample.indices.map { Double($0) / intervals }
  }

  init(quantiles: [(p: Double, value: Double)]) throws(StatisticsError) {
    if quantiles.count < 2 { throw .noData("at least 2 quantiles", got: quantiles.count) }
    for index in quantiles.indices {
      if let problem = EmpiricalQuantiles.problem(quantiles, at: index) {
        throw .data(problem.expected, got: problem.got)
      }
    }
    probabilities = quantiles.map(\.p)
    values = quantiles.map(\.value)
  }

  /// What is wrong with point `index`, given that the points before it are right.
  static func problem(
    _ points: [(p: Double, value: Double)], at index: Int
  ) -> (expected: String, got: String)? {
    let (p, value) = points[index]
    if !value.isFinite { return ("a finite value", format(value)) }
    if index == 0 { return p == 0 ? nil : ("the first p to be 0", format(p)) }
    if !(p > points[index - 1].p && p <= 1) {
      return ("a p above \(format(points[index - 1].p)) and at most 1", format(p))
    }
    if value < points[index - 1].value {
      return ("a value of at least \(format(points[index - 1].value))", format(value))
    }
    if index == points.count - 1 && p != 1 { return ("the last p to be 1", format(p)) }
    return nil
  }

  func quantile(_ tail: Tail) -> Double {
    let p = tail.below
    var low = 0
    var high = probabilities.count - 1
    if p <= 0 || high == 0 { return values[0] }
    while high - low > 1 {
      let middle = (low + high) / 2
      if probabilities[middle] >= p { high = middle } else { low = middle }
    }
    // On the right half count from the right end, so that the last values stay exact.
    let width = probabilities[high] - probabilities[low]
    let rise = values[high] - values[low]
    let fromLeft = p - probabilities[low]
    let fromRight = tail.above - (1 - probabilities[high])
    let value =
      fromLeft <= fromRight
      ? values[low] + rise * (fromLeft / width) : values[high] - rise * (fromRight / width)
    return min(max(value, values[low]), values[high])
  }

  func probability(_ side: Side, _ x: Double) -> Double {
    // The number of points at most x, or strictly under x: the jump at an atom lies between.
    let countsEqual = side == .atMost || side == .over
    var first = 0
    var last = values.count
    while first < last {
      let middle = (first + last) / 2
      if countsEqual ? values[middle] <= x : values[middle] < x {
        first = middle + 1
      } else {
        last = middle
      }
    }
    if first == 0 { return side.isLeft ? 0 : 1 }
    if first == values.count { return side.isLeft ? 1 : 0 }
    let rise = values[first] - values[first - 1]
    let width = probabilities[first] - probabilities[first - 1]
    if side.isLeft {
      return probabilities[first - 1] + width * ((x - values[first - 1]) / rise)
    }
    return (1 - probabilities[first]) + width * ((values[first] - x) / rise)
  }

  /// The area under the quantile function: exact, by trapezoids.
  var mean: Double {
    if values.count == 1 { return values[0] }
    var sum = CompensatedSum()
    for index in 1..<values.count {
      let width = probabilities[index] - probabilities[index - 1]
      sum.add(width * (values[index - 1] / 2 + values[index] / 2))
    }
    return sum.value
  }

  /// The values on which the quantile function is level.
  var atoms: [Double] {
    if values.count == 1 { return values }
    var found: [Double] = []
    for index in 1..<values.count where values[index] == values[index - 1] {
      if found.last != values[index] { found.append(values[index]) }
    }
    return found
  }
}

extension Law {
  /// The empirical law written as a text of quantiles, one `p,value` per line.
  ///
  /// The first line with content is the header `p,value`. Empty lines and lines that start with `#`
  /// are skipped; blanks around a field and a byte order mark are ignored. The rules for p and
  /// value are those of ``empirical(quantiles:)``. Reading the file is the caller's.
  /// - Throws: `statistics.csv` with the line number, `statistics.no-data`.
  public static func empirical(csv text: String) throws(StatisticsError) -> Law {
    var points: [(p: Double, value: Double)] = []
    var lines: [Int] = []
    var hasHeader = false
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let content = trimmed(line)
      if content.isEmpty || content.first == "#" { continue }
      let fields = content.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
      if !hasHeader {
        if fields != ["p", "value"] {
          throw .csv(line: number, "the header \"p,value\"", got: "\"\(content)\"")
        }
        hasHeader = true
        continue
      }
      if fields.count != 2 { throw .csv(line: number, "2 fields", got: "\(fields.count)") }
      guard let p = Double(fields[0]) else {
        throw .csv(line: number, "a number for p", got: "\"\(fields[0])\"")
      }
      guard let value = Double(fields[1]) else {
        throw .csv(line: number, "a number for value", got: "\"\(fields[1])\"")
      }
      points.append((p, value))
      lines.append(number)
    }
    if points.count < 2 { throw .noData("at least 2 quantiles", got: points.count) }
    for index in points.indices {
      if let problem = EmpiricalQuantiles.problem(points, at: index) {
        throw .csv(line: lines[index], problem.expected, got: problem.got)
      }
    }
    return try empirical(quantiles: points)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    func isBlank(_ character: Character) -> Bool {
      character.isWhitespace || character == "\u{FEFF}"
    }
    var result = text.drop(while: isBlank)
    while let last = result.last, isBlank(last) { result.removeLast() }
    return result
  }
}
