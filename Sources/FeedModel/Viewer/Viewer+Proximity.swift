import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Players' items are loaded as far as their distance from the screen allows.
extension Viewer {
  /// Every player's item is loaded as far as its distance allows; the current one by the player.
  mutating func applyProximity(_ context: inout ViewerContext) {
    guard let policy = clientSettings.pointee.proximity else { return }
    let current = ItemID(heldItem() ?? self.current)
    for player in 0..<players.count {
      let item = players[player].item
      if item == ItemState.nobody || item == current.index { continue }
      let place = place(item)
      guard items[place].item == item else { continue }
      if item < current.index && current.index - item > FeedConfiguration.loadedBehind {
        stopLoadingByProximity(item, &context)
        continue
      }
      let setting = setting(policy, ItemID(item))
      let duration = items[place].title.duration
      items[place].playerTarget =
        setting.forwardBuffer < duration ? setting.forwardBuffer : duration
      // Also where the target stood already and nothing could be asked for.
      continueLoading(item, &context)
    }
  }

  /// An item loses its player: what only that had asked for is not wanted any more.
  mutating func stopLoadingByProximity(_ item: UInt32, _ context: inout ViewerContext) {
    guard clientSettings.pointee.proximity != nil, item != ItemState.nobody,
      item != current
    else { return }
    let place = place(item)
    guard items[place].item == item else { return }
    items[place].playerTarget = .zero
    let isFetched =
      context.foreign.isUsed
      ? context.foreign.isActive(slot: slot, session: session, item)
      : prefetch.isActive(ItemID(item))
    if !isFetched { stopLoading(item, &context) }
  }
}
