import Testing

@testable import Statistics

@Suite struct ShareBoundsTests {
  @Test func `without an event the bound is three and more over the samples`() throws {
    let bounds = try Estimates.shareBounds(0, samples: 1000)
    // -ln(0.025) for two sides of 95 %.
    #expect(bounds.lower == 0 && abs(bounds.upper - 3.688879 / 1000) < 1e-8)
    let dependent = try Estimates.shareBounds(0, samples: 1000, designEffect: 4)
    #expect(abs(dependent.upper - 4 * bounds.upper) < 1e-12)
    let full = try Estimates.shareBounds(1, samples: 1000)
    #expect(full.upper == 1 && abs(full.lower - (1 - bounds.upper)) < 1e-12)
  }

  // F. Garwood 1936: of 1 event (0.0253, 5.572), of 5 (1.623, 11.668).
  @Test func `of few events the bounds are those of the tables`() throws {
    for (events, lower, upper) in [(1.0, 0.02532, 5.57164), (5, 1.62349, 11.66833)] {
      let bounds = try Estimates.countBounds(events)
      #expect(abs(bounds.lower - lower) < 1e-4 && abs(bounds.upper - upper) < 1e-4)
    }
  }

  /// Held against Cornish and Fisher's expansion of the gamma law (1937), which shares nothing with
  /// either way of computing them; GSL's own inverse errs by many standard deviations, or gives
  /// up, from some thousand on.
  @Test(arguments: [1e3, 1e4, 99_999, 100_000, 273_783, 1e6, 1e8])
  func `of many events the bounds are there and right`(_ events: Double) throws {
    func quantile(_ shape: Double, _ z: Double) -> Double {
      let root = shape.squareRoot()
      return shape + z * root + (z * z - 1) / 3 + (z * z * z - 7 * z) / (36 * root)
    }
    for level in [0.95, 0.9999] {
      let z = try StandardNormal.quantile(upperTail: (1 - level) / 2)
      let bounds = try Estimates.countBounds(events, level: level)
      let allowed = 0.01 * events.squareRoot()
      #expect(abs(bounds.lower - quantile(events, -z)) < allowed)
      #expect(abs(bounds.upper - quantile(events + 1, z)) < allowed)
    }
  }

  @Test func `what no share is, is refused`() throws {
    for (share, samples) in [(-0.1, 10.0), (1.1, 10), (.nan, 10), (0.5, 0)] {
      #expect(throws: StatisticsError.self) {
        try Estimates.shareBounds(share, samples: samples)
      }
    }
    #expect(throws: StatisticsError.self) { try Estimates.countBounds(-1) }
  }

  @Test func `few is said of events and of what is left of them`() {
    #expect(Estimates.hasFewEvents(0.001, samples: 1000))
    #expect(Estimates.hasFewEvents(0.999, samples: 1000))
    #expect(!Estimates.hasFewEvents(0.5, samples: 1000))
    #expect(Estimates.hasFewEvents(0.02, samples: 1000, designEffect: 4))
  }
}
