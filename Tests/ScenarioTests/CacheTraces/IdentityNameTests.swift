import Testing

@testable import Scenario

@Suite struct IdentityNameTests {
  @Test func `a number's name is the number itself`() {
    var table = IdentityTable()
    var value: UInt64 = 0
    var numbers: [UInt64] = []
    for index in 0..<10_000 {
      numbers.append(value)
      #expect(table.handle(of: value) == UInt32(index))
      value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    }
    #expect(table.names == numbers)
  }
}
