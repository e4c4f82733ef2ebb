import SimulationKernel
import Statistics
import Testing

@testable import FeedImage
@testable import Scenario

/// Laws as bytes: a few numbers, and hardly any knot that has to be told.
@Suite struct LawImageTests {
  /// Bytes that are not 0: others cost nothing once compressed.
  private static func told(_ table: QuantileTable) throws -> Int {
    var coder = ImageCoder()
    _ = coder.table(table)
    var reader = ImageCoder(reading: coder.bytes)
    let read = reader.table(nil)
    #expect(!reader.isBroken && reader.isAtEnd)
    #expect(TableImage.isSame(read, table))
    return coder.bytes.filter { $0 != 0 }.count
  }

  @Test(arguments: [
    LawSpec.normal(mean: 0, sd: 1), .normal(mean: 20, sd: 2.5),
    .lognormal(median: 0.3, sigma: 0.77), .lognormal(median: 41_300, sigma: 1.0 / 3),
    .clipped(.lognormal(median: 18, sigma: 0.9), min: 5, max: 180),
    .uniform(min: 0, max: 5), .uniform(min: 0.25, max: 0.75),
    .weibull(shape: 0.85, scale: 12), .weibull(shape: 1.6, scale: 0.37),
    .clipped(.weibull(shape: 0.7, scale: 9), min: nil, max: 60),
    .exponential(mean: 0.045), .constant(3),
  ]) func aLawOfFewNumbersIsFewBytes(law: LawSpec) throws {
    #expect(try Self.told(LawTables.tabulate(law)) < 400)
  }

  /// Others are their knots.
  @Test(arguments: [
    LawSpec.gamma(shape: 2.3, scale: 4), .beta(a: 2, b: 5, min: 0, max: 10),
    .triangular(min: 1, mode: 2, max: 4), .empirical([1, 2, 4, 8]),
    .mixture([.init(weight: 1, law: .constant(1)), .init(weight: 3, law: .constant(2))]),
  ]) func otherLawsComeBack(law: LawSpec) throws {
    #expect(try Self.told(LawTables.tabulate(law)) > 0)
  }

  @Test(arguments: [0, 0.8, 1, 1.2]) func popularityIsItsExponent(exponent: Double) throws {
    let law = try ZipfLaw(count: 20_000, exponent: exponent)
    let columns = try AliasColumns(weights: law.probabilities)
    let choice = SimulationKernel.AliasTable(
      thresholds: columns.thresholds, aliases: columns.aliases)
    var coder = ImageCoder()
    _ = PopularityImage.image((law.probabilities, choice), &coder)
    var reader = ImageCoder(reading: coder.bytes)
    let read = PopularityImage.image(nil, &reader)
    #expect(!reader.isBroken && reader.isAtEnd)
    #expect(read.probabilities == law.probabilities)
    #expect(read.choice.columns.thresholds == columns.thresholds)
    #expect(read.choice.columns.aliases == columns.aliases)
    #expect(coder.bytes.filter { $0 != 0 }.count < 400)
  }
}
