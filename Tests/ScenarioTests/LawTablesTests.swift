import Foundation
import SimulationKernel
import Testing

@testable import Scenario

@Suite struct LawTablesTests {
  private static let laws: [LawSpec] = [
    .uniform(min: 1, max: 3), .lognormal(median: 2, sigma: 0.7),
    .clipped(.lognormal(median: 2, sigma: 0.7), min: nil, max: 9),
    .mixture([
      .init(weight: 1, law: .exponential(mean: 4)), .init(weight: 2, law: .constant(0.5)),
    ]),
  ]

  @Test(arguments: laws)
  func `a table that is at hand is the one that would be made`(_ law: LawSpec) throws {
    let fresh = try LawTables.tabulate(law)
    for table in [try LawTables.build(law), try LawTables.build(law)] {
      for place in 0...1_000 {
        let share = (Double(place) + 0.5) / 1_001
        #expect(table.quantile(share) == fresh.quantile(share))
      }
      #expect(table.mean == fresh.mean && table.maximumError == fresh.maximumError)
    }
  }

  /// A half of one of alpha 2 is below √2 of its least value; a fit writes it with a clip.
  @Test func `a Pareto law needs no end`() throws {
    let endless = LawSpec.pareto(alpha: 2, min: 3, max: .infinity)
    for law in [endless, .clipped(endless, min: nil, max: 60)] {
      let table = try LawTables.build(law)
      #expect(abs(table.quantile(0.5) - 3 * 2.0.squareRoot()) < 0.01)
      #expect(abs(table.quantile(0.99) - 30) < 0.1)
    }
    #expect(try abs(LawTables.build(endless).mean - 6) < 0.05)
  }

  @Test func `more laws than are kept are each their own table`() throws {
    for round in 0..<2 {
      for step in 0..<200 {
        let table = try LawTables.build(.uniform(min: 0, max: Double(step + 1)))
        #expect(table.quantile(0.5) == Double(step + 1) / 2, "in round \(round)")
      }
    }
  }

  @Test func `the values of a file are read each time`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "law-\(UUID()).csv").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for top in [2.0, 6.0] {
      try "p,value\n0,0\n1,\(top)\n".write(toFile: path, atomically: true, encoding: .utf8)
      let laws: [LawSpec] = [
        .empiricalFile(path), .clipped(.empiricalFile(path), min: 0, max: 100),
        .mixture([.init(weight: 1, law: .empiricalFile(path))]),
      ]
      for law in laws { #expect(abs(try LawTables.build(law).quantile(0.5) - top / 2) < 1e-9) }
    }
  }
}
