import CachePolicy
import Foundation
import MediaUnits
import Testing

private let file = VectorFile("coalescing-runtime.json")

/// Bursts measured through nginx and Varnish, and the same through the machine.
struct `Measured bursts` {
  private struct Scenario {
    var delay: TimeSpan
    var cacheControl: String
    /// Asked within these times the origin answers 503.
    var failsFrom = Instant.distantFuture
    var failsUntil = Instant.distantFuture
  }

  /// The scenarios as the file describes them.
  private func described(_ name: String) -> Scenario? {
    let half = TimeSpan.milliseconds(500)
    let fifth = TimeSpan.milliseconds(200)
    switch name {
    case "cold_burst": return Scenario(delay: half, cacheControl: "max-age=60")
    case "swr_burst":
      return Scenario(delay: half, cacheControl: "max-age=2, stale-while-revalidate=10")
    case "expired_burst_no_swr": return Scenario(delay: half, cacheControl: "max-age=2")
    case "swr_window_over":
      return Scenario(delay: half, cacheControl: "max-age=2, stale-while-revalidate=3")
    case "sie_503":
      return Scenario(
        delay: fifth, cacheControl: "max-age=2, stale-if-error=60", failsFrom: .at(14),
        failsUntil: .at(15))
    case "nosie_503":
      return Scenario(
        delay: fifth, cacheControl: "max-age=2", failsFrom: .at(14), failsUntil: .at(15))
    case "no_store_burst": return Scenario(delay: half, cacheControl: "no-store")
    default: return nil
    }
  }

  private func settings(of proxy: String) -> CollapsingMachine.Configuration? {
    switch proxy {
    case "nginx_plain": return .nginx()
    case "nginx_lock": return .nginx(lock: CollapsingMachine.Lock())
    case "nginx_lock_bg":
      return .nginx(lock: CollapsingMachine.Lock(), revalidation: .background)
    case "varnish_default": return .varnish
    default: return nil
    }
  }

  private func origin(_ proxy: String, _ scenario: Scenario) throws -> CollapsingHost {
    let configuration = try #require(settings(of: proxy), "\(proxy)")
    // default_grace of Varnish.
    let grace = proxy == "varnish_default" ? TimeSpan.seconds(10) : .zero
    return CollapsingHost(configuration, delay: scenario.delay) { asked, answered in
      if asked >= scenario.failsFrom && asked < scenario.failsUntil {
        return .failed(.serverError, repeatFor: .zero)
      }
      return answer(scenario.cacheControl, at: answered, defaultGrace: grace)
    }
  }

  /// Status and cache word, as the proxy writes them.
  private func label(_ proxy: String, _ outcome: CollapsingHost.Outcome) -> String {
    let isVarnish = proxy == "varnish_default"
    switch outcome.service {
    case .fetched: return outcome.wasConditional && !isVarnish ? "200/EXPIRED" : "200/MISS"
    case .fresh, .collapsed: return "200/HIT"
    case .stale:
      if isVarnish { return "200/HIT" }
      return outcome.background == nil ? "200/UPDATING" : "200/STALE"
    case .failed: return outcome.wasConditional && !isVarnish ? "503/EXPIRED" : "503/MISS"
    case .staleAfterFailure: return "200/STALE"
    case .negative, nil: return "\(String(describing: outcome.service))"
    }
  }

  private func check(_ proxy: String, _ name: String, _ steps: [[String: Any]]) throws {
    let scenario = try #require(described(name), "\(name)")
    var host = try origin(proxy, scenario)
    for step in steps {
      let note = Comment(rawValue: "\(proxy) \(name) at \(step["t_s"] ?? "")")
      let time = try #require((step["t_s"] as? NSNumber)?.doubleValue)
      let count = Int(try #require(whole(step["concurrent"])))
      // A step began after the one before had ended.
      let start = max(host.now, .zero.advanced(saturatingBy: TimeSpan(seconds: time)))
      let outcomes = host.burst(count, at: start)
      var labels: [String: Int] = [:]
      for outcome in outcomes { labels[label(proxy, outcome), default: 0] += 1 }
      #expect(labels == step["results"] as? [String: Int], note)
      #expect(host.fetches == Int(try #require(whole(step["origin_fetches_so_far"]))), note)
      // Measured until the connection closed: nginx keeps it for its background fetch.
      let ends = outcomes.map {
        proxy == "nginx_lock_bg" ? $0.backgroundEnd ?? $0.servedAt : $0.servedAt
      }
      let latencies = zip(ends, outcomes).map { ($0 ?? .distantFuture) - $1.askedAt }.sorted()
      let found = [latencies[0], latencies[latencies.count / 2], latencies[latencies.count - 1]]
      let measured = try #require(step["latency_min_med_max_s"] as? [Double])
      for (span, seconds) in zip(found, measured) {
        #expect(abs(span.seconds - seconds) <= 0.03, "\(note): \(found) \(measured)")
      }
    }
    #expect(host.replays(), "\(proxy) \(name)")
    #expect(host.machine.ignored == 0)
  }

  @Test func `counts, words and latency classes are those that were measured`() throws {
    let results = try #require(file.object()["results"] as? [String: [String: Any]])
    var cells = 0
    for (proxy, scenarios) in results.sorted(by: { $0.key < $1.key }) {
      for (name, steps) in scenarios.sorted(by: { $0.key < $1.key }) {
        try check(proxy, name, try #require(steps as? [[String: Any]]))
        cells += 1
      }
    }
    #expect(cells >= 28)
  }
}
