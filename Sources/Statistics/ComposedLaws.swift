internal import CGSL

/// One of several laws by weight. Its quantile is the root of the mixed distribution function.
struct Mixture: Sendable, Equatable {
  /// Positive and summing to 1.
  let weights: [Double]
  let components: [Law]
  /// Where the distribution function can jump, ascending: a root search that lands there is exact.
  let atoms: [Double]

  init(_ parts: [(weight: Double, law: Law)]) throws(StatisticsError) {
    if parts.isEmpty { throw .noData("at least 1 part of a mixture", got: 0) }
    var total = CompensatedSum()
    for part in parts {
      try requirePositive(part.weight, "weight")
      total.add(part.weight)
    }
    try requirePositive(total.value, "sum of weights")
    weights = parts.map { $0.weight / total.value }
    components = parts.map(\.law)
    atoms = Mixture.ascending(components.flatMap(\.atoms))
  }

  private static func ascending(_ values: [Double]) -> [Double] {
    var kept: [Double] = []
    for value in values.sorted() where kept.last != value { kept.append(value) }
    return kept
  }

  func probability(_ side: Side, _ x: Double) throws(StatisticsError) -> Double {
    var sum = 0.0
    for index in weights.indices {
      sum += weights[index] * (try components[index].probability(side, x))
    }
    return min(1, sum)
  }

  /// A mixture's quantile lies between the least and the greatest of its parts' quantiles.
  func quantile(_ tail: Tail) throws(StatisticsError) -> Double {
    var low = Double.infinity
    var high = -Double.infinity
    for component in components {
      let value = try component.quantile(tail)
      low = min(low, value)
      high = max(high, value)
    }
    if low == high { return low }
    if try excess(at: low, tail) >= 0 { return low }
    var first = 0
    var last = atoms.count
    while first < last {
      let middle = (first + last) / 2
      let atom = atoms[middle]
      var isBeyond = atom >= high
      if !isBeyond && atom > low { isBeyond = try excess(at: atom, tail) >= 0 }
      if isBeyond {
        last = middle
      } else {
        first = middle + 1
      }
    }
    if first < atoms.count { high = min(high, atoms[first]) }
    if first > 0 { low = max(low, atoms[first - 1]) }
    return try leastRoot(low: low, high: high) { x throws(StatisticsError) in
      try excess(at: x, tail)
    }
  }

  /// Below 0 where `x` is under the quantile; the logarithm makes it nearly linear in the tails.
  private func excess(at x: Double, _ tail: Tail) throws(StatisticsError) -> Double {
    switch tail {
    case .lower(let p): log(try probability(.atMost, x) / p)
    case .upper(let q): -log(try probability(.over, x) / q)
    }
  }

  func mean() throws(StatisticsError) -> Double {
    var sum = CompensatedSum()
    for index in weights.indices { sum.add(weights[index] * (try components[index].mean())) }
    return sum.value
  }
}

/// A law on condition that it falls into [minimum, maximum].
struct Truncation: Sendable, Equatable {
  let inner: Law
  let minimum: Double
  let maximum: Double
  /// What the inner law holds under the minimum, over the maximum, and between.
  private let under: Double
  private let over: Double
  private let mass: Double

  init(_ inner: Law, minimum: Double, maximum: Double) throws(StatisticsError) {
    self.inner = inner
    self.minimum = minimum
    self.maximum = maximum
    under = try inner.probability(.under, minimum)
    over = try inner.probability(.over, maximum)
    // Taken from the side on which no digits are lost.
    if under > 0.5 {
      mass = try inner.probability(.atLeast, minimum) - over
    } else if over > 0.5 {
      mass = try inner.probability(.atMost, maximum) - under
    } else {
      mass = 1 - under - over
    }
    if !(mass > 0) {
      throw .parameter(
        "bounds that hold some of \(inner.describe())",
        got: "\(format(minimum)) to \(format(maximum))")
    }
  }

  func quantile(_ tail: Tail) throws(StatisticsError) -> Double {
    let left = under + tail.below * mass
    let right = over + tail.above * mass
    let value = try inner.quantile(left <= right ? .lower(left) : .upper(right))
    return min(max(value, minimum), maximum)
  }

  func probability(_ side: Side, _ x: Double) throws(StatisticsError) -> Double {
    if x < minimum { return side.isLeft ? 0 : 1 }
    if x > maximum { return side.isLeft ? 1 : 0 }
    let outside = side.isLeft ? under : over
    // Far out on the other side the difference would lose its digits: use the complement.
    let direct = try inner.probability(side, x)
    if outside > 0.5 {
      let opposite: Side =
        switch side {
        case .atMost: .over
        case .under: .atLeast
        case .atLeast: .under
        case .over: .atMost
        }
      let beyond = side.isLeft ? over : under
      return min(1, max(0, 1 - (try inner.probability(opposite, x) - beyond) / mass))
    }
    return min(1, max(0, (direct - outside) / mass))
  }
}

/// A law whose outcomes outside [minimum, maximum] are moved to the nearer end.
struct Clipping: Sendable, Equatable {
  let inner: Law
  let minimum: Double
  let maximum: Double

  func clip(_ x: Double) -> Double { min(max(x, minimum), maximum) }

  func probability(_ side: Side, _ x: Double) throws(StatisticsError) -> Double {
    if x < minimum || (x == minimum && side == .under) { return side.isLeft ? 0 : 1 }
    if x > maximum || (x == maximum && side == .over) { return side.isLeft ? 1 : 0 }
    if x == minimum && side == .atLeast { return 1 }
    if x == maximum && side == .atMost { return 1 }
    return try inner.probability(side, x)
  }
}

extension Law {
  /// Values with a probability of their own, in no particular order.
  var atoms: [Double] {
    switch kind {
    case .constant(let value): [value]
    case .empirical(let law): law.atoms
    case .mixture(let law): law.atoms
    case .truncated(let law): law.inner.atoms.filter { $0 >= law.minimum && $0 <= law.maximum }
    case .clipped(let law):
      law.inner.atoms.filter { $0 > law.minimum && $0 < law.maximum }
        + [law.minimum, law.maximum].filter(\.isFinite)
    case .uniform, .exponential, .lognormal, .normal, .weibull, .gamma, .boundedPareto, .beta,
      .triangular:
      []
    }
  }
}
