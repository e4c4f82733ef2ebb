import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// How much of an item is enough: to load on, to start, to go on after a stall.
extension Viewer {
  /// Media ahead at which the current item stops loading, and at which it goes on.
  func loadLevels(_ state: UnsafeMutablePointer<ItemState>) -> (most: TimeSpan, least: TimeSpan) {
    var most = policy.pointee.forwardBuffer
    if let top = policy.pointee.player.topBuffer,
      state.pointee.lastRung == catalogue.pointee.ladder.top
    {
      most = top
    }
    if hasClient { most = activeBuffer(usual: most) }
    if let limit = bufferLimit, limit < most { most = limit }
    // Less than a start or a stall needs would end none.
    most = max(most, max(startNeed(state), resumeNeed(state)))
    let least = policy.pointee.player.minimumBuffer ?? most
    return (most, least < most ? least : most)
  }

  /// Whether the current item has loaded enough for now.
  mutating func isFull(_ state: UnsafeMutablePointer<ItemState>, _ ahead: TimeSpan) -> Bool {
    let levels = loadLevels(state)
    return view.fills(ahead, least: levels.least, most: levels.most)
  }

  /// Media that an item can still get, the next segment included, for the rule that chooses it.
  func achievable(_ state: UnsafeMutablePointer<ItemState>, _ ahead: TimeSpan) -> TimeSpan {
    let remaining = state.pointee.title.duration - held(state)
    if bufferLimit == nil || state.pointee.item != current {
      return remaining
    }
    let room = loadLevels(state).most - ahead
    let most = (room > .zero ? room : .zero) + state.pointee.title.step
    return remaining < most ? remaining : most
  }

  /// Fixes what the first frame needs when its first segment is asked for. Left out: that the
  /// prediction may change until then.
  func predictStart(_ state: UnsafeMutablePointer<ItemState>, _ rung: RungIndex) {
    guard let keepUp = policy.pointee.player.keepUp else { return }
    state.pointee.startNeed = need(keepUp, estimator.estimate, rung)
  }

  /// Media ahead that ends a stall.
  func resumeNeed(_ state: UnsafeMutablePointer<ItemState>) -> TimeSpan {
    guard let keepUp = policy.pointee.player.keepUp, let rung = state.pointee.lastRung
    else { return policy.pointee.resumeThreshold }
    return need(keepUp, estimator.estimate, rung)
  }

  func need(
    _ keepUp: PlayerModel.KeepUp, _ estimate: BitRate, _ rung: RungIndex
  ) -> TimeSpan {
    let rate = catalogue.pointee.ladder[rung].scaled(by: keepUp.plenty)
    return estimate >= rate ? keepUp.shorter : keepUp.longer
  }

  /// How far ahead of the playhead the current item is loaded: what its player was told, where that
  /// is less than what the player would load by itself.
  func activeBuffer(usual: TimeSpan) -> TimeSpan {
    guard let policy = clientSettings.pointee.proximity else { return usual }
    let own = policy.setting(for: .active).forwardBuffer
    return own < usual ? own : usual
  }

  /// Comes back when the playhead has used up what is too much.
  mutating func scheduleResume(_ ahead: TimeSpan, _ context: inout ViewerContext) {
    agenda.cancel(.load)
    if view.phase != .playing { return }
    let state = items.at(place(current))
    let wait = ahead - loadLevels(state).least + .nanoseconds(1)
    plan(.loadResumed, at: context.now + wait, context)
  }
}
