import Foundation
import Statistics
import Testing

@testable import FeedImage

/// The functions by which images tell laws, against the C library's and GSL's.
@Suite struct PreciseMathTests {
  private static let math = PreciseMath()

  /// How many units of the last place lie between two numbers.
  private static func units(_ a: Double, _ b: Double) -> UInt64 {
    (Int64(bitPattern: a.bitPattern) &- Int64(bitPattern: b.bitPattern)).magnitude
  }

  /// Most results are the same bits; none is further than one unit, which is what the C library's
  /// own error of a little more than half a unit comes to.
  private static func expectNear(_ pairs: [(own: Double, library: Double)]) {
    let units = pairs.map { Self.units($0.own, $0.library) }
    #expect(units.max() ?? 0 <= 1)
    #expect(units.filter { $0 > 0 }.count * 100 <= pairs.count)
  }

  @Test func powersOfERoundAsTheLibraryDoes() {
    Self.expectNear(
      stride(from: -690, through: 690, by: 0.0417).map { (Self.math.exp($0), exp($0)) })
    Self.expectNear((1...20_000).map { (Self.math.exp(1e-6 * Double($0)), exp(1e-6 * Double($0))) })
    #expect(Self.math.exp(0) == 1)
    #expect(Self.math.exp(-800) == 0)
    #expect(Self.math.exp(800) == .infinity)
  }

  @Test func logarithmsRoundAsTheLibraryDoes() {
    Self.expectNear((1...100_000).map { (Self.math.log(Double($0)), log(Double($0))) })
    Self.expectNear(
      (1...20_000).map { 0.5 + 1e-4 * Double($0) }.map { (Self.math.log($0), log($0)) })
    Self.expectNear(
      (-280...280).map { Double(sign: .plus, exponent: 3 * $0, significand: 1.37) }
        .map { (Self.math.log($0), log($0)) })
    #expect(Self.math.log(1) == 0)
  }

  @Test(arguments: [0.6, 0.85, 1, 1.3, 2.5]) func powersRoundAsTheLibraryDoes(exponent: Double) {
    Self.expectNear(
      (1...20_000).map { 1e-3 * Double($0) }
        .map { (Self.math.power($0, exponent), pow($0, exponent)) })
    #expect(Self.math.power(3.7, 1) == 3.7)
  }

  @Test func normalQuantilesAreThoseOfGSL() throws {
    var pairs: [(own: Double, library: Double)] = []
    for index in 0..<QuantileKnots.count {
      let p = QuantileKnots.coordinate(index)
      pairs.append((Self.math.normal(p), -(try StandardNormal.quantile(upperTail: p))))
    }
    Self.expectNear(pairs)
  }
}
