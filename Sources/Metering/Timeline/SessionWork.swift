import FeedModel

/// What a request waits for, in the order in which it comes.
public enum RequestStep: Int, CaseIterable, Sendable {
  case connectionWait, connection, wayToEdge, behindEdge
  /// Of a page of the feed.
  case feedAPI
  /// Of a request of which nobody knows when it was at the edge.
  case answer
  case wayFromEdge
  /// With recovery: rounds in which the link was not used.
  case slowStart
  case transfer
  /// All of a request that the device's disk answers.
  case disk
}

/// What the screen shows from the first frame on.
public enum ScreenState: Int, CaseIterable, Sendable {
  case playing, stalled, scrubbing, paused

  /// What a change makes of the screen; nil when it is of something else.
  public init?(_ kind: SessionChange.Kind) {
    switch kind {
    case .playing: self = .playing
    case .stalled: self = .stalled
    case .scrubbing: self = .scrubbing
    case .paused: self = .paused
    default: return nil
    }
  }
}

/// What a player does for an item.
public enum PlayerWork: Int, CaseIterable, Sendable {
  /// It has the item.
  case holds
  /// The same, of the item that it was created for.
  case holdsFirst
  case isCreated, setsDecoderUp, resetsDecoder
}

/// What the screen, a player or a request is busy with for a while.
public enum SessionWork: Sendable, Equatable {
  case start(StartupPart)
  case screen(ScreenState)
  case player(PlayerWork)
  case request(RequestStep)

  /// All of them, each at the place of its ``number``.
  public static var all: [SessionWork] {
    StartupPart.allCases.map { .start($0) } + ScreenState.allCases.map { .screen($0) }
      + PlayerWork.allCases.map { .player($0) } + RequestStep.allCases.map { .request($0) }
  }

  static var count: Int {
    StartupPart.allCases.count + ScreenState.allCases.count + PlayerWork.allCases.count
      + RequestStep.allCases.count
  }

  /// By which a page knows it.
  public var number: Int {
    let states = StartupPart.allCases.count
    let players = states + ScreenState.allCases.count
    return switch self {
    case .start(let part): part.rawValue
    case .screen(let state): states + state.rawValue
    case .player(let work): players + work.rawValue
    case .request(let step): players + PlayerWork.allCases.count + step.rawValue
    }
  }
}

/// What happens in a session at an instant, apart from its views and requests.
public enum SessionEvent: Int, CaseIterable, Sendable {
  case playing, stalled, scrubbing, paused
  case playerCreated, playerGiven, decoderReset, decoderSetUp, playerReady
  case playerDestroyed
  /// The same, because another player needs its decoder.
  case decoderTaken
  case prefetchStarted, prefetchCancelled, prefetchReached
  case handOver

  /// nil for what is a value and no event: the buffer, the link's rate.
  public init?(_ kind: SessionChange.Kind) {
    switch kind {
    case .playing: self = .playing
    case .stalled: self = .stalled
    case .scrubbing: self = .scrubbing
    case .paused: self = .paused
    case .assigned(_, _, let isCreated): self = isCreated ? .playerCreated : .playerGiven
    case .decoder(_, _, _, let isReused): self = isReused ? .decoderReset : .decoderSetUp
    case .ready: self = .playerReady
    case .released(_, let lostDecoder): self = lostDecoder ? .decoderTaken : .playerDestroyed
    case .prefetchStarted: self = .prefetchStarted
    case .prefetchCancelled: self = .prefetchCancelled
    case .prefetchReached: self = .prefetchReached
    case .handOver: self = .handOver
    case .buffer, .linkRate: return nil
    }
  }
}

extension SessionChange.Kind {
  /// The player that a change is about; nil for none.
  public var player: UInt32? {
    switch self {
    case .assigned(let player, _, _), .decoder(let player, _, _, _), .ready(let player),
      .released(let player, _):
      player
    default: nil
    }
  }
}
