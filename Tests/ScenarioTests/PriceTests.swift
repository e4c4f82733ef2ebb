import Foundation
import Testing

@testable import Scenario

@Suite struct PriceTests {
  private static let text = """
    version: 1
    name: test
    asOf: "2026-01-31"
    freeTransfer: 1 GB
    freeRequests: 1000
    originGetPer1000: 0.5
    originTransferPerGB: 0.25
    storagePerGBMonth: 0.125
    regions:
      here:
        transfer: [{upTo: 10 GB, perGB: 4}, {upTo: 30 GB, perGB: 2}, {perGB: 1}]
        requestsPer10000: 8
        shieldPer10000: 3

    """

  private func bill(_ traffic: CDNBill.Traffic) throws -> CDNBill {
    let prices = try PriceList.parse(PriceTests.text, file: "prices.yaml")
    return CDNBill(traffic, prices: prices.prices(in: try #require(prices.region("here"))))
  }

  @Test func `the bill is the sum of its parts, each with its price`() throws {
    let bill = try bill(
      CDNBill.Traffic(
        bytes: 35e9, requests: 21_000, shieldRequests: 5_000, originRequests: 400,
        originBytes: 2e9, storedBytes: 8e9))
    // 9 GB of the first tier, 20 of the second, 5 of the last; the first gigabyte is free.
    #expect(bill.transfer == 9 * 4 + 20 * 2 + 5)
    #expect(bill.requests == 16 && bill.shield == 1.5)
    #expect(bill.originRequests == 0.2 && bill.originTransfer == 0.5 && bill.storage == 1)
    #expect(bill.total == 36 + 40 + 5 + 16 + 1.5 + 0.2 + 0.5 + 1)
  }

  @Test func `each provider is paid for its part, at its price or by its own volume`() throws {
    var traffic = CDNBill.Traffic(bytes: 40e9)
    traffic.parts = [
      .init(share: 0.5, transferPerGB: nil), .init(share: 0.5, transferPerGB: 1.5),
    ]
    // 20 GB by tiers, of which one is free, and 20 GB at 1.5.
    #expect(try bill(traffic).transfer == 9 * 4 + 10 * 2 + 30)
    traffic.parts = [.init(share: 1, transferPerGB: nil)]
    #expect(try bill(traffic).transfer == bill(CDNBill.Traffic(bytes: 40e9)).transfer)
  }

  @Test func `what is free costs nothing, and nothing costs nothing`() throws {
    #expect(try bill(CDNBill.Traffic(bytes: 1e9, requests: 1000)).total == 0)
    #expect(try bill(CDNBill.Traffic()).total == 0)
  }

  @Test(arguments: 0..<50)
  func `more hits at the same demand never raise the bill but for shield crossings`(_ seed: Int)
    throws
  {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func draw() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return Double(state >> 40)
    }
    let (bytes, requests) = (draw() * 1e4, draw() * 10)
    let (missed, fewer) = (draw() / 16_777_216, draw() / 16_777_216)
    func at(_ share: Double) throws -> CDNBill {
      try bill(
        CDNBill.Traffic(
          bytes: bytes, requests: requests, shieldRequests: requests * share,
          originRequests: requests * share, originBytes: bytes * share))
    }
    let (more, less) = (try at(max(missed, fewer)), try at(min(missed, fewer)))
    #expect(less.total - less.shield <= more.total - more.shield)
    #expect(less.total <= more.total)
  }

  @Test func `the transfer's price never falls with more bytes, across every tier`() throws {
    var last = -1.0
    for gigabytes in stride(from: 0.0, through: 60, by: 0.37) {
      let price = try bill(CDNBill.Traffic(bytes: gigabytes * 1e9)).transfer
      #expect(price >= last)
      last = price
    }
  }

  @Test func `all problems of a price file come in one pass`() throws {
    let text = """
      version: 1
      name: test
      asOf: yesterday
      regions:
        here:
          transfer: [{upTo: 10 GB, perGB: -4}, {perGB: 1}]
          requestsPer10000: 8

      """
    let error = #expect(throws: ScenarioRejected.self) {
      try PriceList.parse(text, file: "prices.yaml")
    }
    let message = error?.description ?? ""
    #expect(message.contains("prices.yaml:3:7: asOf: expected a day such as 2026-11-21"))
    #expect(message.contains("regions.here.transfer[0].perGB"))
  }

  @Test func `tiers ascend and only the last has no end`() throws {
    for tiers in [
      "[{upTo: 10 GB, perGB: 4}, {upTo: 5 GB, perGB: 2}, {perGB: 1}]",
      "[{perGB: 4}, {perGB: 1}]", "[{upTo: 10 GB, perGB: 4}]",
    ] {
      let text = PriceTests.text.replacing(
        "[{upTo: 10 GB, perGB: 4}, {upTo: 30 GB, perGB: 2}, {perGB: 1}]", with: tiers)
      let error = #expect(throws: ScenarioRejected.self) {
        try PriceList.parse(text, file: "prices.yaml")
      }
      #expect(error?.description.contains("upTo") == true)
    }
  }

  @Test func `the shipped price file is read`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let prices = try PriceList.load(root.path + "/scenarios/prices/cloudfront.yaml")
    // caches.md section 7: the first 10 TB cost 85 USD a terabyte, the first of which is free.
    let region = try #require(prices.region("us-eu"))
    let bill = CDNBill(CDNBill.Traffic(bytes: 10e12), prices: prices.prices(in: region))
    #expect(abs(bill.total - 9 * 85) < 1e-6)
  }
}
