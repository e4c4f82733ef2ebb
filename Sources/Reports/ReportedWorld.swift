import Models
import Scenario
import Studies

/// What reports show of a run's world, and in which words.
///
/// This is the only place of the module that looks at the kind of a scenario's world: a new one has
/// a case in ``Scenario/World``, and the compiler asks for it here.
enum ReportedWorld {
  /// Sections for startup, playback, caches and what else a feed has.
  case feed(FeedWorldPlan, FeedKind)
  /// A table of its metrics.
  case metrics(WorldKind)

  init(_ world: World) {
    switch world {
    case .feed(let plan): self = .feed(plan, .fullScreen)
    case .mixedFeed(let plan): self = .feed(plan.feed, .mixed)
    case .messages: self = .metrics(MessagesPlan.kind)
    case .services: self = .metrics(ServicesPlan.kind)
    case .pipeline: self = .metrics(PipelinePlan.kind)
    case .calls: self = .metrics(CallsPlan.kind)
    }
  }

  /// What a record says of it; nil for a feed.
  var recorded: RunRecord.World? {
    switch self {
    case .feed: nil
    case .metrics(let kind): RunRecord.World(kind)
    }
  }

  /// Whether the metrics are all that there is to show.
  var hasMetricsOnly: Bool {
    switch self {
    case .feed: false
    case .metrics: true
    }
  }

  /// Whether there is a surface to report about.
  var hasSurface: Bool {
    switch self {
    case .feed(_, let kind): kind == .mixed
    case .metrics: false
    }
  }

  /// Whether `firstframe trace` can show one of its sessions.
  var isTraceable: Bool {
    switch self {
    case .feed(_, let kind): kind == .fullScreen
    case .metrics: false
    }
  }

  /// The parts of the measured time, by name.
  var windows: [(name: String, window: MeasureWindow)] {
    switch self {
    case .feed(let plan, _): zip(plan.windows, plan.configuration.windows).map { ($0, $1) }
    case .metrics: []
    }
  }

  /// The cache tiers that stand behind the edges.
  var tiersBehindEdges: (regional: Bool, shield: Bool) {
    switch self {
    case .feed(let plan, _):
      (plan.configuration.cdn.regional != nil, plan.configuration.cdn.shield != nil)
    case .metrics: (false, false)
    }
  }

  /// Whether the servers' windows decay while a connection idles; nil without a network of ours.
  var restartsAfterIdle: Bool? {
    switch self {
    case .feed(let plan, _): plan.configuration.transport.slowStartAfterIdle
    case .metrics: nil
    }
  }

  /// How the transfers of each network were simulated.
  var transfers: [(network: String, model: NetworkModel, tier: TransferTier)] {
    switch self {
    case .feed(let plan, _):
      let transport = plan.configuration.transport
      return plan.networks.indices.map { index in
        (plan.networks[index], transport.model, plan.configuration.networks[index].tier(transport))
      }
    case .metrics: return []
    }
  }
}

extension RunRecord {
  /// Whether the metrics are all that there is to show, as of the run that was recorded.
  var hasMetricsOnly: Bool { world != nil }
}

extension StudyResult {
  /// The world of the run as reports show it.
  var world: ReportedWorld { ReportedWorld(scenario.plan) }
}
