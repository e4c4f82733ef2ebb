import Models

extension StartupPart {
  /// The part by its name in results.
  init?(name: String) {
    guard let part = StartupPart.allCases.first(where: { "\($0.name)" == name }) else { return nil }
    self = part
  }

  /// What a part of this name in results is called; other names stand for themselves.
  static func words(of name: String) -> String {
    StartupPart(name: name)?.label ?? name.replacing("_", with: " ")
  }

  /// The part in words.
  var label: String {
    switch self {
    case .launch: "app launch"
    case .feed: "feed page"
    case .queue: "queue"
    case .nameLookup: "name look-up"
    case .connect: "connect"
    case .tls: "TLS"
    case .manifest: "manifest"
    case .playlists: "playlists"
    case .initSegment: "init segment"
    case .ownQueue: "own queue"
    case .segmentWait: "segment wait"
    case .slowStart: "slow start"
    case .linkShare: "link share"
    case .transfer: "transfer"
    case .decoder: "player, decoder"
    case .firstDecode: "first decode"
    case .mainThread: "main thread"
    case .presentation: "presentation"
    }
  }
}
