import Models
import Scenario

extension SessionWork {
  /// What it is called.
  var words: String {
    switch self {
    case .start(let part): part.label
    case .screen(let state): state.words
    case .player(let work): work.words
    case .request(let step): step.words
    }
  }

  /// What it is drawn as.
  var kind: TimelineKind {
    switch self {
    case .start: .waits
    case .screen(let state): state == .playing ? .plays : .waits
    case .player(.holds), .player(.holdsFirst): .holds
    case .player: .player
    case .request(let step):
      switch step {
      case .connectionWait, .connection: .connection
      case .wayToEdge, .wayFromEdge, .answer: .way
      case .slowStart, .transfer, .disk: .transfer
      case .behindEdge, .feedAPI: .behindEdge
      }
    }
  }
}

extension ScreenState {
  fileprivate var words: String {
    switch self {
    case .playing: "playing"
    case .stalled: "stalled"
    case .scrubbing: "scrubbing"
    case .paused: "paused"
    }
  }
}

extension PlayerWork {
  fileprivate var words: String {
    switch self {
    case .holds, .holdsFirst: "holds"
    case .isCreated: "creates player"
    case .setsDecoderUp: "sets decoder up"
    case .resetsDecoder: "resets decoder"
    }
  }
}

extension RequestStep {
  fileprivate var words: String {
    switch self {
    case .connectionWait: "waits for a connection"
    case .connection: "connection"
    case .wayToEdge: "to the edge"
    case .behindEdge: "behind the edge"
    case .feedAPI: "feed API"
    case .answer: "answer"
    case .wayFromEdge: "from the edge"
    case .slowStart: "slow start, recovery"
    case .transfer: "transfer"
    case .disk: "device's disk"
    }
  }
}

extension SessionEvent {
  /// To whom it happens, but for players, who have numbers.
  var source: String {
    switch self {
    case .playing, .stalled, .scrubbing, .paused: "screen"
    case .playerCreated, .playerGiven, .decoderReset, .decoderSetUp, .playerReady,
      .playerDestroyed, .decoderTaken:
      "player"
    case .prefetchStarted, .prefetchCancelled, .prefetchReached: "prefetch"
    case .handOver: "network"
    }
  }

  /// - Parameter item: what its item is called.
  func words(of item: String) -> String {
    switch self {
    case .playing: "playing"
    case .stalled: "stalled"
    case .scrubbing: "scrubbing"
    case .paused: "paused"
    case .playerCreated: "is created for \(item)"
    case .playerGiven: "is given to \(item)"
    case .decoderReset: "resets its decoder for \(item)"
    case .decoderSetUp: "sets a decoder up for \(item)"
    case .playerReady: "is ready for \(item)"
    case .playerDestroyed: "is destroyed"
    case .decoderTaken: "is destroyed, because another one needs its decoder"
    case .prefetchStarted: "start \(item)"
    case .prefetchCancelled: "cancel \(item)"
    case .prefetchReached: "\(item) has what was wanted"
    case .handOver: "hand-over"
    }
  }
}
