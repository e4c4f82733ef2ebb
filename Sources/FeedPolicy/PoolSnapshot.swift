import MediaUnits

/// A pool without a free player for an item: what a rule of which player gives way looks at.
public struct PoolSnapshot: Sendable, Equatable {
  /// A player that may be given to the item.
  public struct Player: Sendable, Equatable {
    /// The item that it has.
    public var item: ItemID
    /// Whether that can be rendered at once.
    public var isReady: Bool
    /// Whether that lies within the items ahead and behind for which the pool is meant.
    public var isInWindow: Bool

    public init(item: ItemID, isReady: Bool, isInWindow: Bool) {
      self.item = item
      self.isReady = isReady
      self.isInWindow = isInWindow
    }
  }

  /// The current item.
  public var current: ItemID
  /// The item that has no player yet.
  public var wanted: ItemID
  /// Players whose items are not wanted, at least two.
  public var players: [Player]

  public init(current: ItemID, wanted: ItemID, players: [Player]) {
    self.current = current
    self.wanted = wanted
    self.players = players
  }
}
