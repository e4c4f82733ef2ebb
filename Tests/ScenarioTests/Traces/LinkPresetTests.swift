import Testing

@testable import Scenario

@Suite struct LinkPresetTests {
  @Test func `the fourteen presets have the numbers of their tools`() throws {
    #expect(LinkPresets.all.count == 14)
    #expect(Set(LinkPresets.names).count == 14)
    let cable = try #require(LinkPresets.named("webpagetest-cable"))
    #expect(cable.downlink == 5_000_000 && cable.uplink == 1_000_000)
    #expect(cable.roundTrip == 28_000_000 && cable.rate.constantRate == 5e6)
    let dense = try #require(LinkPresets.named("lighthouse-dense-4g"))
    #expect(dense.downlink == 10_240_000 && dense.uplink == nil && dense.roundTrip == 40_000_000)
    let slow = try #require(LinkPresets.named("webpagetest-2g"))
    #expect(slow.downlink == 35_000 && slow.uplink == 32_000 && slow.roundTrip == 1_300_000_000)
  }

  @Test(
    arguments: [
      ("webpagetest-cabel", "webpagetest-cable"), ("lighthouse-slow4g", "lighthouse-slow-4g"),
      ("dsl", "webpagetest-dsl"), ("LTE", "sitespeed-lte"), ("carrier-pigeon", nil), ("", nil),
    ])
  func `a wrong name gets the one that was meant`(name: String, meant: String?) {
    #expect(LinkPresets.named(name) == nil)
    #expect(LinkPresets.suggestion(for: name) == meant)
    let origin = Origin.file("s.yaml", line: 3, column: 9)
    let text = LinkPresets.problem(name, at: origin, keyPath: "network.link").description
    #expect(text.hasPrefix("s.yaml:3:9: network.link: expected one of webpagetest-fios, "))
    #expect(text.contains("did you mean") == (meant != nil))
  }
}
