import CachePolicy
import FeedPolicy
import Foundation
import MediaUnits
import Models
import NIOCore
import Scenario
import SimulationKernel
import Synchronization

/// What all requests of a stand-in share.
final class StandinState: Sendable {
  private struct Shared {
    var stats = StandinStats()
    var intake = EventIntake()
    var faults: StandinFaults
    var requests: UInt64 = 0
    /// When the first was heard.
    var firstAt: Instant?
    var sessions: UInt32 = 0
    /// New versions made by hand: since when, and for how many of the most popular titles.
    var republished: [(at: Int64, titles: UInt32)] = []
  }

  let configuration: FeedConfiguration
  let options: StandinOptions
  let catalogue: StandinCatalogue
  let pages: FeedPages
  private let streams: RandomStreams
  private let shared: Mutex<Shared>
  private let startedAt = NIODeadline.now()
  /// Seconds since 1970 at the start.
  private let startedOn = WallClock.nanoseconds() / 1_000_000_000

  init(_ scenario: FeedStudy, _ options: StandinOptions) {
    configuration = scenario.configuration
    self.options = options
    let contents = CatalogueContents(
      scenario.configuration, seed: scenario.seed, replication: options.replication)
    catalogue = StandinCatalogue(
      contents: contents, base: options.base, media: options.media)
    let latency = scenario.configuration.feedLatency
    pages = FeedPages(
      contents: contents, ranker: scenario.configuration.client.ranker,
      latency: { latency.quantile($0) })
    streams = RandomStreams(seed: scenario.seed, replication: options.replication)
    var faults = StandinFaults(streams: streams)
    faults.list = options.faults
    shared = Mutex(Shared(faults: faults))
  }

  /// Time since the start.
  var now: Instant {
    Instant(nanoseconds: (NIODeadline.now() - startedAt).nanoseconds)
  }

  // MARK: Counting

  /// The number of a new request, from 0.
  func number() -> UInt64 {
    shared.withLock { shared in
      defer { shared.requests += 1 }
      return shared.requests
    }
  }

  func count(_ asset: AssetClass, _ change: (inout StandinStats.Class) -> Void) {
    shared.withLock { change(&$0.stats[asset]) }
  }

  func note(_ change: (inout StandinStats) -> Void) { shared.withLock { change(&$0.stats) } }

  var stats: StandinStats {
    shared.withLock { shared in
      var stats = shared.stats
      stats.events = shared.intake.counts
      return stats
    }
  }

  // MARK: Faults and versions

  var faults: [StandinFault] {
    get { shared.withLock { $0.faults.list } }
    set { shared.withLock { $0.faults.list = newValue } }
  }

  func faults(of request: UInt64, _ asset: AssetClass) -> [StandinFault.Kind] {
    let now = now
    return shared.withLock { shared in
      let first = shared.firstAt ?? now
      shared.firstAt = first
      return shared.faults.list.isEmpty
        ? [] : shared.faults.met(by: request, asset, at: now - first)
    }
  }

  /// Most faults at a time, and most republications in all: every request looks at each (assumed).
  static let mostChanges = 1_000

  /// Publishes the most popular titles again, from now on; false when that was done too often.
  func republish(_ titles: UInt32) -> Bool {
    let at = now.nanoseconds
    return shared.withLock { shared in
      if shared.republished.count >= StandinState.mostChanges { return false }
      shared.republished.append((at, titles))
      return true
    }
  }

  /// The version of a title that is current.
  func version(_ title: UInt32) -> UInt32 {
    let planned = catalogue.contents.version(of: title, at: now)
    return shared.withLock { shared in
      shared.republished.reduce(planned) { $0 + (title < $1.titles ? 1 : 0) }
    }
  }

  /// When a version was published, seconds since 1970. The first was before anything ran: at noon
  /// UTC on 16 August 2025, as `created_at` says.
  func modified(_ title: UInt32, version: UInt32) -> Int64 {
    if version <= 1 { return 1_755_345_600 }
    if let at = catalogue.contents.published(title: title, version: version) {
      return startedOn + at.nanoseconds / 1_000_000_000
    }
    let planned = catalogue.contents.version(of: title, at: .distantFuture)
    let at = shared.withLock { shared in
      let own = shared.republished.filter { title < $0.titles }
      let place = Int(version) - Int(planned) - 1
      return own.indices.contains(place) ? own[place].at : 0
    }
    return startedOn + at / 1_000_000_000
  }

  // MARK: Events and pages

  func takeEvents(_ body: Data) -> (accepted: Int64, duplicates: Int64)? {
    shared.withLock { $0.intake.take(body) }
  }

  func refuseEvents() { shared.withLock { $0.intake.refuse() } }

  /// A session of its own for a client that names none.
  func newSession() -> UInt32 {
    shared.withLock { shared in
      defer { shared.sessions &+= 1 }
      return shared.sessions
    }
  }

  // MARK: Draws

  /// A uniform number of a request.
  func draw(_ request: UInt64, _ place: UInt32) -> Double {
    streams.uniform(.standInRequest, entity: request, draw: place)
  }

  /// How long the origin takes to the first byte of an object.
  func originWait(_ request: UInt64) -> TimeSpan {
    if !options.waitsAsOrigin { return .zero }
    return TimeSpan(seconds: configuration.cdn.origin.firstByte.quantile(draw(request, 0)))
  }

  /// What caches are told about an object.
  func control(_ asset: AssetClass, _ request: UInt64) -> CacheDirectives {
    var directives = configuration.cdn.directives(for: asset)
    let rule = configuration.cdn.assetRules[Int(asset.rawValue)]
    let (now, u) = (now, draw(request, 1))
    if let usual = directives.maxAge {
      directives.maxAge = rule.lifetime(usual, at: now, u: u)
    }
    if let usual = directives.sharedMaxAge {
      directives.sharedMaxAge = rule.lifetime(usual, at: now, u: u)
    }
    return directives
  }
}
