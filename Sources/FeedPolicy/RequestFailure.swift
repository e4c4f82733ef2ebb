/// A request of a player that has failed: what decides whether it is sent again.
public struct RequestFailure: Sendable, Equatable {
  /// How often it has failed in a row, from 1 on.
  public var failures: Int
  /// A page of the feed, or else something of an item.
  public var isFeedPage: Bool
  /// Whether the viewer waits for it: his current item, or a page without which he cannot go on.
  public var isOnScreen: Bool
  /// No server has answered, as where a name is not found.
  public var hasNoAnswer: Bool

  public init(failures: Int, isFeedPage: Bool, isOnScreen: Bool, hasNoAnswer: Bool) {
    self.failures = failures
    self.isFeedPage = isFeedPage
    self.isOnScreen = isOnScreen
    self.hasNoAnswer = hasNoAnswer
  }
}
