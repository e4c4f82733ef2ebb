import Estimation
import MediaUnits
import SimulationKernel

/// How popular titles are, as bytes: probabilities by rank, and the table that draws from them.
///
/// Of Zipf's law its exponent is kept, and by how many units of the last place each probability
/// differs from what is made of it here, which is nothing for nearly all; a table that follows from
/// its probabilities is made again. Any others are kept as they are.
enum PopularityImage {
  /// A unit of the last place of what is kept is at most so many away; else the law is another.
  private static let mostUnits: Int64 = 1 << 20

  static func image(
    _ value: (probabilities: [Double], choice: AliasTable)?, _ coder: inout ImageCoder
  ) -> (probabilities: [Double], choice: AliasTable) {
    let probabilities = probabilities(value?.probabilities, &coder)
    let derived = derived(probabilities)
    let isDerived = value.map { value in
      let (own, made) = (value.choice.columns, derived?.columns)
      return own.thresholds == made?.thresholds && own.aliases == made?.aliases
    }
    if coder(isDerived) {
      if let derived { return (probabilities, derived) }
      coder.fail()
    }
    return (probabilities, coder(value?.choice))
  }

  /// The table that draws from probabilities; nil where there is none.
  private static func derived(_ probabilities: [Double]) -> AliasTable? {
    do throws(StatisticsError) {
      let columns = try AliasColumns(weights: probabilities)
      return AliasTable(thresholds: columns.thresholds, aliases: columns.aliases)
    } catch {
      return nil
    }
  }

  // MARK: Probabilities

  private static func probabilities(_ value: [Double]?, _ coder: inout ImageCoder) -> [Double] {
    var own: Double?
    var units: [Int64]?
    if let value {
      own = exponent(of: value)
      let math = coder.standards().math
      units = own.flatMap { differences(of: value, exponent: $0, math) }
    }
    if !coder(value == nil ? nil : units != nil) { return coder.list(value) }
    let kept = coder(own)
    let changes = coder.list(units)
    if !(kept >= 0 && kept.isFinite) || changes.isEmpty {
      coder.fail()
      return []
    }
    var law = zipf(changes.count, exponent: kept, coder.standards().math)
    for rank in law.indices {
      let bits = Int64(bitPattern: law[rank].bitPattern) &+ changes[rank]
      law[rank] = Double(bitPattern: UInt64(bitPattern: bits))
    }
    return law
  }

  /// The exponent that the first two ranks have, to a millionth; nil where there is none.
  private static func exponent(of probabilities: [Double]) -> Double? {
    guard probabilities.count > 1, probabilities[0] > 0, probabilities[1] > 0 else { return nil }
    let ratio = PortableMath.log(probabilities[0] / probabilities[1]) / PortableMath.log(2)
    let rounded = (ratio * 1e6).rounded() / 1e6
    return rounded >= 0 && rounded < 100 ? rounded : nil
  }

  /// By how many units of the last place probabilities differ from the law's.
  private static func differences(
    of probabilities: [Double], exponent: Double, _ math: PreciseMath
  ) -> [Int64]? {
    let law = zipf(probabilities.count, exponent: exponent, math)
    var units: [Int64] = []
    units.reserveCapacity(law.count)
    for (own, made) in zip(probabilities, law) {
      let unit = Int64(bitPattern: own.bitPattern) &- Int64(bitPattern: made.bitPattern)
      if unit > mostUnits || unit < -mostUnits { return nil }
      units.append(unit)
    }
    return units
  }

  /// As `Statistics.ZipfLaw` has them.
  private static func zipf(_ count: Int, exponent: Double, _ math: PreciseMath) -> [Double] {
    var powers = [Double](repeating: 0, count: count)
    var sum = CompensatedSum()
    for rank in stride(from: count - 1, through: 0, by: -1) {
      powers[rank] = math.exp(-exponent * math.log(Double(rank + 1)))
      sum.add(powers[rank])
    }
    let total = sum.value
    for rank in powers.indices { powers[rank] /= total }
    return powers
  }
}
