/// How a browser's elements get their media.
public enum BrowserFeeding: String, Codable, Sendable, CaseIterable {
  /// Through MediaSource, part by part as the page's requests bring them.
  case mse
  /// They load their playlists by themselves, through the HTTP cache that the page's requests fill.
  case native

  /// The scenario's kind of such a player.
  public var playerKind: String { "chromium-\(rawValue)" }

  /// The class of a device whose players are all fed so.
  public var deviceKind: String {
    switch self {
    case .mse: "chromium"
    case .native: "chromium-native"
    }
  }
}
