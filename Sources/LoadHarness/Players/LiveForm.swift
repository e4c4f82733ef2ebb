import MediaUnits
import Scenario

/// A scenario as it can be run against real servers: what only a model can have is taken out, by
/// keys that stand in the resolved scenario like any other.
///
/// Real servers are one edge in front of one origin. The origin's first byte stays the scenario's
/// law, because the stand-in draws from it; round trips between tiers and the edge's service time
/// are what the machine has, so the modelled ones are taken as zero. Caches start cold, because
/// that is the one state into which a real cache can be put with certainty.
public struct LiveForm: Sendable {
  /// Time that is measured, and time before it in which the caches fill.
  public var window: TimeSpan
  public var warmUp: TimeSpan
  /// Sessions may end for this long after the last has begun.
  public var drain: TimeSpan
  /// About how many views are to end in the window; nil: as many as the scenario's audience makes.
  public var views: Double?
  public var edge: LiveEdge
  /// Whose players play.
  public enum Client: String, Sendable, CaseIterable {
    /// The model's.
    case model
    /// A real browser's.
    case browser
  }

  /// What a browser's viewers are limited to; nil: they are the world's.
  public var browser: Browser?
  /// Bytes cross real links: what those have not, the model must not have either.
  public var hasRealLinks = false

  /// Viewers of a browser play by the clock, a few at a time: both sides have shorter views and
  /// sessions than the scenario's, and no long presses, which a page's viewer does not make.
  public struct Browser: Sendable {
    /// Most that is seen of an item, and how long each session lasts.
    public var watchLimit, session: TimeSpan

    public init(watchLimit: TimeSpan, session: TimeSpan) {
      self.watchLimit = watchLimit
      self.session = session
    }
  }

  public init(
    window: TimeSpan, warmUp: TimeSpan, drain: TimeSpan = .seconds(2), views: Double? = nil,
    edge: LiveEdge
  ) {
    self.window = window
    self.warmUp = warmUp
    self.drain = drain
    self.views = views
    self.edge = edge
  }

  /// The keys that make the live form, as `--set` has them.
  ///
  /// - Parameter scenario: what they are for; its mean time of a view decides the arrival rate that
  ///   makes ``views`` views.
  ///   - viewsPerSession: as the scenario's pilot has counted them.
  public func keys(for scenario: FeedStudy, viewsPerSession: Double? = nil) -> [String] {
    var keys = [
      "cdn.edges=1", "cdn.edgesBehindShield=1", "cdn.regional=none", "cdn.shield=none",
      "cdn.start={kind: cold}", "cdn.edgeToShield=0 s", "cdn.backhaulFloor=0 s",
      "cdn.edge.serviceTime=\(edge.serviceTime)", "cdn.origin.outages=[]",
      "cdn.providers=[]", "cdn.switching={kind: fixed}",
      "cdn.origin.requestsPerSecond=none", "audience.diurnal=none", "network.compare=[]",
      "audience.background=none", "audience.sampling=none", "audience.extraColdStarts=0",
      "audience.window=\(text(window))", "audience.warmUp=\(text(warmUp))",
      "audience.drain=\(text(drain))",
    ]
    // The scenario's cut has times and a share of its own.
    if scenario.isShort { keys += ["short.window=\(text(window))"] }
    keys += edge.keys
    if let browser { keys += self.keys(browser, for: scenario) }
    if let views {
      keys.append(
        "audience.viewsPerDayPerEdge=\(Self.number(dayViews(views, scenario, viewsPerSession)))")
      if scenario.isShort { keys.append("short.share=1") }
    }
    if hasRealLinks {
      // No name is looked up, no radio promoted; plain HTTP/1.1 is what every edge speaks, whose
      // connections have one queue before the link.
      keys += [
        "network.http=\"1.1\"", "network.handshake=tcp", "network.resumedHandshake=tcp",
        "network.sharing=queue",
      ]
      for place in scenario.networks.indices {
        keys += [
          "network.access[\(place)].nameLookup=0 s", "network.access[\(place)].promotion=0 s",
        ]
      }
    }
    return keys
  }

  private func keys(_ browser: Browser, for scenario: FeedStudy) -> [String] {
    var keys = [
      "audience.watchLimit=\(text(browser.watchLimit))",
      "audience.sessionLength={kind: constant, value: \(text(browser.session))}",
    ]
    for place in scenario.configuration.audience.personas.indices {
      keys.append("audience.personas[\(place)].scrub=0")
    }
    // The browser's own cache is off: it knows no quota by size of the scenario's device.
    for place in scenario.configuration.devices.indices {
      keys.append("devices[\(place)].diskCache=0 B")
    }
    return keys
  }

  /// Views a day with which about `views` end in the window, counted from an empty start: the
  /// number of viewers grows by the arrival rate until sessions end.
  private func dayViews(
    _ views: Double, _ scenario: FeedStudy, _ viewsPerSession: Double?
  ) -> Double {
    let audience = scenario.configuration.audience
    let mean = audience.sessionLength.mean
    let whole = mean.isFinite && mean > 0 ? mean : 600
    // Mean time of one view by the scenario's own numbers.
    var each = whole / (viewsPerSession ?? audience.viewsPerSession)
    var length = whole
    if let browser {
      // From one settling to the next: what is watched at most, and the swipe.
      let settle = audience.settle.mean
      each = min(each, browser.watchLimit.seconds + (settle.isFinite ? settle : 0))
      length = browser.session.seconds
    }
    let (begin, end) = (warmUp.seconds, (warmUp + window).seconds)
    // Viewer seconds in the window for one session a second: sessions that began x ago are still
    // there with probability 1 - x / (2 length) while x is short.
    func seconds(_ t: Double) -> Double {
      let x = min(t, 2 * length)
      return x * x / 2 - x * x * x / (12 * length) + max(0, t - 2 * length) * length
    }
    let perSession = (seconds(end) - seconds(begin)) / each
    let rate = perSession > 0 ? views / perSession : 1
    return rate * audience.viewsPerSession * 86_400
  }

  private func text(_ time: TimeSpan) -> String { "\(time.nanoseconds / 1_000) us" }

  private static func number(_ value: Double) -> String { "\(Int64(value.rounded(.up)))" }
}

/// What stands between players and origin in a live run, and how the simulator models it.
public enum LiveEdge: String, Sendable, CaseIterable {
  case nginx, varnish
  /// The simulator's own edge as a real proxy.
  case firstframe
  /// None: players ask the origin itself.
  case none

  /// Service time of the model's edge for this one: nothing but the machine's own time.
  var serviceTime: String { "0 s" }

  /// Keys with which the modelled edge behaves as the product does (caches.md sections 4 and 5).
  var keys: [String] {
    switch self {
    case .nginx:
      [
        "cdn.edge.kind=lru", "cdn.edge.collapsing=absent-only", "cdn.edge.revalidation=background",
      ]
    case .varnish:
      ["cdn.edge.kind=lru", "cdn.edge.collapsing=full", "cdn.edge.revalidation=background"]
    case .firstframe, .none: []
    }
  }
}
