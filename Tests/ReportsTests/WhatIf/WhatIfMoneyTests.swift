import Foundation
import Models
import Testing

@testable import Reports
@testable import Scenario
@testable import Studies

/// What a page's script reads of money, and of views that are worth a look.
@Suite struct WhatIfMoneyTests {
  private static let root = RepositoryText.root.path

  private static func members(
    _ cost: CDNCost?, _ viewers: [Exemplars.View] = []
  ) throws -> [String: Any] {
    let page = WhatIfPage(
      identity: .init(
        name: "a-feed", description: "", digest: "0123abcd", file: "a.yaml", isShort: true,
        arguments: [], seed: 1, replications: 2, viewsPerReplication: 10, report: nil,
        viewers: viewers),
      base: .init(
        metrics: [], budgets: [], budgetMetrics: [], fingerprints: [], curve: [], image: [],
        plan: [], cost: cost),
      controls: WhatIfControls(controls: [], conflicts: []))
    let text = page.page([]).text(indent: 0)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(object as? [String: Any])
  }

  @Test func aPricedRunHasItsAmounts() throws {
    let scenario = try StudyScenario.parse(
      "version: 1\nname: a\n"
        + "cost: {prices: \(Self.root)/scenarios/prices/cloudfront.yaml, viewsPerDay: 1000000}\n",
      file: "a.yaml")
    let traffic = [2_000_000_000, 3_000_000_000].map { bytes in
      var measures = FeedMeasures(networks: 1, devices: 1)
      measures.counts.deliveredBytes = Int64(bytes)
      return ReplicationTraffic(views: 1000, measures: measures)
    }
    let plan = try #require(scenario.cost)
    let cost = try #require(CDNCost(traffic, plan: plan))
    let members = try #require(try Self.members(cost)["cost"] as? [String: Any])
    #expect(members["currency"] as? String == "USD")
    #expect(members["prices"] as? String == plan.prices.name)
    #expect(members["asOf"] as? String == plan.prices.asOf)
    #expect(members["region"] as? String == "us-eu")
    let base = try #require(members["base"] as? [String: Any])
    #expect(base["viewsPerDay"] as? Double == 1_000_000)
    let month = try #require(base["month"] as? [String: Double])
    #expect(month["value"] == cost.total.value)
    // Foundation's reader of numbers may be off by a unit of the last place.
    let lower = try #require(cost.total.interval?.lower)
    #expect(abs((month["lower"] ?? .nan) - lower) <= lower.ulp)
    let million = try #require(base["perMillion"] as? [String: Double])
    #expect(million["value"] == cost.perMillionViews)
    #expect(try #require(million["upper"]) > cost.perMillionViews)
    // One replication has no interval.
    let one = try #require(CDNCost(Array(traffic.prefix(1)), plan: plan))
    let first = try #require(try Self.members(one)["cost"] as? [String: Any])
    let amounts = (first["base"] as? [String: Any])?["month"] as? [String: Any]
    #expect(amounts?["lower"] is NSNull && amounts?["value"] is Double)
  }

  @Test func withoutPricesThereIsNothing() throws {
    #expect(try Self.members(nil)["cost"] is NSNull)
  }

  @Test func viewsOfTheReportComeOnce() throws {
    let views = [(0, 7, 3), (1, 8, 0), (0, 7, 3), (2, 1, 1)].map {
      Exemplars.View(
        what: "a view that waited", replication: Int64($0.0), session: Int64($0.1),
        item: Int64($0.2))
    }
    let shown = try #require(try Self.members(nil, views)["viewers"] as? [[String: Any]])
    // The page can run replications 0 and 1.
    #expect(shown.map { $0["session"] as? Int } == [7, 8])
    #expect(shown.map { $0["item"] as? Int } == [3, 0])
    #expect(shown[0]["words"] as? String == "a view that waited")
    let many = (0..<40).map {
      Exemplars.View(what: "a view", replication: 0, session: Int64($0), item: 0)
    }
    let first = try #require(try Self.members(nil, many)["viewers"] as? [[String: Any]])
    #expect(first.count == 12)
  }
}

/// The front page of the playground.
@Suite struct PlaygroundTests {
  @Test func itLinksToEveryPageThatIsMade() throws {
    let page = try RepositoryText.of("docs/play/index.html")
    let script = try RepositoryText.of(".ci/play")
    let links = page.matches(of: /href="([^"]+)"/).map { String($0.output.1) }
    let names = script.matches(of: /scenarios\/\{([^}]+)\}/).flatMap {
      $0.output.1.split(separator: ",").map(String.init)
    }
    #expect(names.count == 5)
    #expect(Set(links) == Set(names.map { "\($0).html" }))
    for name in names { _ = try RepositoryText.of("scenarios/\(name).yaml") }
  }

  /// It has no script, asks nobody for anything, and its policy names its one style.
  @Test func itNeedsNothing() throws {
    let page = try RepositoryText.of("docs/play/index.html")
    let start = try #require(page.firstRange(of: "<style>"))
    let end = try #require(page.firstRange(of: "</style>"))
    let style = page[start.upperBound..<end.lowerBound]
    let hash = Data(SHA256.bytes(of: style.utf8)).base64EncodedString()
    #expect(page.contains("default-src 'none'; style-src 'sha256-\(hash)'"))
    for word in ["<script", "http:", "https:", "src=", "@import", "url(", "style="] {
      #expect(!page.contains(word), "\(word)")
    }
  }
}
