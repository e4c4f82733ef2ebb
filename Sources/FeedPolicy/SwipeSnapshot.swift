import MediaUnits

/// A swipe that has settled on an item: what a gate looks at.
public struct SwipeSnapshot: Sendable, Equatable {
  /// The item that it would reach.
  public var item: ItemID
  /// Whether that can be rendered at once.
  public var isReady: Bool
  /// How often this swipe was snapped back before.
  public var snapBacks: Int
  /// Since the first of these.
  public var held: TimeSpan

  public init(item: ItemID, isReady: Bool, snapBacks: Int, held: TimeSpan) {
    self.item = item
    self.isReady = isReady
    self.snapBacks = snapBacks
    self.held = held
  }
}
