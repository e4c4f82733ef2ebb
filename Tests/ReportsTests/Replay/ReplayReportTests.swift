import Foundation
import Models
import Scenario
import Studies
import Testing

@testable import Reports

@Suite struct ReplayReportTests {
  /// 600 requests of 39 objects, with sizes.
  private static let trace: CacheTrace = {
    var trace = CacheTrace(objectCount: 40)
    var state: UInt64 = 7
    for _ in 0..<600 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let object = (state >> 33) % (1 + (state >> 50) % 40)
      trace.objects.append(UInt32(object))
      trace.sizes.append(Int64(100 + object * 7))
    }
    return trace
  }()

  private static func result(_ plan: ReplayPlan) async -> ReplayResult {
    await ReplayStudy(trace, plan: plan, threads: 2).run()
  }

  private static func object(_ json: JSONText) throws -> [String: Any] {
    try #require(
      JSONSerialization.jsonObject(with: Data(json.text().utf8)) as? [String: Any])
  }

  @Test func `json has the keys of the contract`() async throws {
    let document = try Self.object(ReplayDocument.json(await Self.result(ReplayPlan())))
    #expect(Set(document.keys) == ["schema", "requests", "bytes", "results"])
    #expect(document["schema"] as? Int == 1 && document["requests"] as? Int == 600)
    let results = try #require(document["results"] as? [[String: Any]])
    #expect(results.count == 16)
    for result in results {
      #expect(
        Set(result.keys) == [
          "policy", "capacity", "tier", "requests", "misses", "bytes", "missedBytes",
          "missesSecondHalf", "objectsAtEnd",
        ])
      #expect(result["bytes"] as? Int == document["bytes"] as? Int)
    }
  }

  @Test func `curves come with the ceiling, as a picture, as JSON, as CSV and as a chart`()
    async throws
  {
    let result = await Self.result(ReplayPlan(kinds: [.lru, .sieve], hasCurves: true))
    let text = ReplayReport.text(result)
    for part in ["miss ratio by capacity", "compulsory 6.50 %", "a  lru: exact", "at most 93.50"] {
      #expect(text.contains(part), "\(part)")
    }
    let document = try Self.object(ReplayDocument.json(result))
    let curves = try #require(document["mrc"] as? [String: Any])
    #expect(curves["objects"] as? Int == 39)
    let list = try #require(curves["curves"] as? [[String: Any]])
    #expect(list.map { $0["method"] as? String } == ["exact", "replayed"])
    let points = list.compactMap { ($0["points"] as? [Any])?.count }
    let rows = ReplayCurveText.csv(result.curves).split(separator: "\n")
    #expect(rows.first == "policy,method,capacity,miss_ratio,byte_miss_ratio")
    #expect(rows.count == 1 + points.reduce(0, +) && points.count == 2)
    let drawing = ReplayCurveChart.svg(result)
    for part in ["<title id=", "compulsory 6.50 %", ">lru</text>", ">sieve</text>", "</svg>\n"] {
      #expect(drawing.contains(part), "\(part)")
    }
  }

  @Test func `a sample is labelled as an estimate with its error for LRU`() async throws {
    let result = await Self.result(ReplayPlan(kinds: [.sieve], rate: 0.5))
    #expect(ReplayReport.text(result).contains("estimates from a sample"))
    let document = try Self.object(ReplayDocument.json(result))
    let sample = try #require(document["sample"] as? [String: Any])
    #expect(sample["rate"] as? Double == 0.5 && sample["lruError"] is Double)
  }
}
