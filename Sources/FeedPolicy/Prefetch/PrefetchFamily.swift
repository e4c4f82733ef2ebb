import MediaUnits

/// Which rule decides what is fetched ahead.
///
/// This file is the registry: a new family is one file in `Families`, which says its word, its
/// settings and its plan, and here a case and a line in each `switch`.
public enum PrefetchFamily: UInt8, Sendable, Equatable, CaseIterable {
  /// Some seconds of the next item, the first segment of a few after it (SIG-023 to SIG-025).
  case head
  /// The first segment or segments of the next few items, all alike (VF-013).
  case firstSegments
  /// Players buffer their items by distance, without regard to each other (REEL-015, REEL-022).
  case playerKnob
  /// By stages and distance, one at a time, as Media3's preload manager (VF-026).
  case staged
  /// No more than an open connection (VF-026).
  case connection
  /// No more than the playlists (REEL-023).
  case playlists
  /// By the stall that is expected without a segment (Li et al., NSDI 2023).
  case dashlet
  /// In the order of play, each item up to a limit by retention and throughput (Zhou et al., 2022).
  case pdas
  /// First segments first, then by hazard, as deep as the throughput asks for and the waste allows.
  case hazard

  /// Whether the family reads the swipe curves, so that the host should tell lengths and positions.
  /// The others' plans follow from the feed, the rates and the configuration alone.
  public var readsHazard: Bool {
    switch self {
    case .dashlet, .pdas, .hazard: true
    case .head, .firstSegments, .playerKnob, .staged, .connection, .playlists: false
    }
  }
}

/// One family: what it wants, given what is known.
protocol PrefetchPlanner {
  /// What names it.
  static var row: PrefetchRow { get }
  /// Makes the plan.
  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan)
}

extension PrefetchFamily {
  /// The family's word, its settings and their defaults.
  public var row: PrefetchRow {
    switch self {
    case .head: HeadOfNext.row
    case .firstSegments: FirstSegments.row
    case .playerKnob: PlayerKnob.row
    case .staged: StagedPreload.row
    case .connection: ConnectionWarmUp.row
    case .playlists: PlaylistWarmUp.row
    case .dashlet: Dashlet.row
    case .pdas: ProbabilityDriven.row
    case .hazard: HazardOrdered.row
    }
  }

  /// Makes the plan.
  func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    plan.clear(gate: .buffer(state.configuration.pauseBelowBuffer))
    if state.current == nil || state.configuration.headLength <= .zero { return }
    switch self {
    case .head: HeadOfNext.plan(state, &forecast, into: &plan)
    case .firstSegments: FirstSegments.plan(state, &forecast, into: &plan)
    case .playerKnob: PlayerKnob.plan(state, &forecast, into: &plan)
    case .staged: StagedPreload.plan(state, &forecast, into: &plan)
    case .connection: ConnectionWarmUp.plan(state, &forecast, into: &plan)
    case .playlists: PlaylistWarmUp.plan(state, &forecast, into: &plan)
    case .dashlet: Dashlet.plan(state, &forecast, into: &plan)
    case .pdas: ProbabilityDriven.plan(state, &forecast, into: &plan)
    case .hazard: HazardOrdered.plan(state, &forecast, into: &plan)
    }
  }
}
