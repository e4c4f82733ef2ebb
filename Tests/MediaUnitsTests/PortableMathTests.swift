import Foundation
import MediaUnits
import Testing

private func relativeError(_ found: Double, _ expected: Double) -> Double {
  abs(found - expected) / abs(expected)
}

struct `Portable mathematics` {
  @Test func `exp is within 4e-16 of the C library up to 700`() {
    var worst = 0.0
    for step in -700_000...700_000 {
      let x = Double(step) / 1_000 + 0.000_137 * Double(step % 7)
      if abs(x) > 700 { continue }
      worst = max(worst, relativeError(PortableMath.exp(x), Foundation.exp(x)))
    }
    #expect(worst <= 4e-16, "worst \(worst)")
    #expect(PortableMath.exp(0) == 1)
    #expect(PortableMath.exp(709.79) == .infinity)
    #expect(PortableMath.exp(-746) == 0)
    #expect(PortableMath.exp(.nan).isNaN)
    #expect(PortableMath.exp(.infinity) == .infinity)
    #expect(PortableMath.exp(-.infinity) == 0)
    // Subnormal results have fewer digits: absolute error of one unit in the last place.
    for x in [-709.0, -720, -740, -744.4] {
      let expected = Foundation.exp(x)
      #expect(abs(PortableMath.exp(x) - expected) <= max(expected.ulp, 4e-16 * expected))
    }
    #expect(relativeError(PortableMath.exp(709.7), Foundation.exp(709.7)) <= 4e-16)
  }

  @Test func `log is within 4e-16 of the C library and 4e-17 near one`() {
    var worst = 0.0
    for step in 1...400_000 {
      let x = Double(step) * 0.000_317
      if abs(x - 1) < 1e-3 { continue }
      worst = max(worst, relativeError(PortableMath.log(x), Foundation.log(x)))
    }
    for exponent in -1_022...1_023 {
      let x = 1.37 * Double(sign: .plus, exponent: exponent, significand: 1)
      worst = max(worst, relativeError(PortableMath.log(x), Foundation.log(x)))
    }
    #expect(worst <= 4e-16, "worst \(worst)")
    var near = 0.0
    for step in -10_000...10_000 {
      let x = 1 + Double(step) * 1e-7
      near = max(near, abs(PortableMath.log(x) - Foundation.log(x)))
    }
    #expect(near <= 4e-17 + Double(1e-3).ulp, "worst near one \(near)")
    #expect(PortableMath.log(1) == 0)
    #expect(PortableMath.log(0) == -.infinity)
    #expect(PortableMath.log(-1).isNaN)
    #expect(PortableMath.log(.nan).isNaN)
    #expect(PortableMath.log(.infinity) == .infinity)
    let subnormal = Double.leastNonzeroMagnitude * 12_345
    #expect(relativeError(PortableMath.log(subnormal), Foundation.log(subnormal)) <= 4e-16)
  }

  @Test func `a power is as exact as its exponent is small`() {
    // The rounding of exponent · log(base) is multiplied by the exponent of e: |y| units of 2^-53.
    for base in [0.001, 0.5, 1, 1.7, 10, 1e6] {
      for exponent in [-3.0, -0.5, 0, 0.8, 1, 2.5] {
        let expected = Foundation.pow(base, exponent)
        let bound = 4e-16 * (2 + abs(exponent * Foundation.log(base)))
        #expect(relativeError(PortableMath.power(base, exponent), expected) <= bound)
      }
    }
  }
}
