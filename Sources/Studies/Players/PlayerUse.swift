/// One item that a real player was given, and what a browser told of it.
///
/// Times are milliseconds since the session's begin; -1 where something did not happen.
public struct PlayerUse: Codable, Sendable, Equatable {
  /// The player's number in its pool, and the item's place in the feed.
  public var player, item: UInt32
  /// Whether the player was made for this item.
  public var isNew: Bool
  /// When the pool wanted it, and for how long that held the page's thread.
  public var due, worked: Double
  /// When the player took bytes, had the first init segment put in, knew the media's kind, and
  /// could play.
  public var opened, configured, metadata, ready: Double
  /// Other players that played or were set up, and transfers under way, when the first init segment
  /// was put in.
  public var players, transfers: Int
  /// Until it could play: when bytes were put in, and where the media ended then, milliseconds of
  /// media.
  public var appends: [[Double]]
  /// When the pool wanted it to play, 1 where it had painted its first frame already, and when that
  /// was on the display.
  public var plays: [[Double]]

  public init(
    player: UInt32, item: UInt32, isNew: Bool, due: Double, worked: Double, opened: Double,
    configured: Double, metadata: Double, ready: Double, players: Int, transfers: Int,
    appends: [[Double]], plays: [[Double]]
  ) {
    self.player = player
    self.item = item
    self.isNew = isNew
    self.due = due
    self.worked = worked
    self.opened = opened
    self.configured = configured
    self.metadata = metadata
    self.ready = ready
    self.players = players
    self.transfers = transfers
    self.appends = appends
    self.plays = plays
  }

  /// Whether its numbers are what a browser can have told.
  var isSound: Bool {
    let times = [due, worked, opened, configured, metadata, ready]
    return times.allSatisfy { $0.isFinite && $0 >= -1 && $0 < 1e10 } && players >= 0
      && transfers >= 0 && appends.allSatisfy { $0.count == 2 && $0.allSatisfy(Self.isTime) }
      && plays.allSatisfy { $0.count == 3 && $0.allSatisfy(Self.isTime) }
  }

  private static func isTime(_ value: Double) -> Bool {
    value.isFinite && value >= -1 && value < 1e10
  }
}
