import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// What the app tells a player about loading, by its distance from the screen.
extension Viewer {
  func setting(_ policy: ProximityPolicy, _ item: ItemID) -> ProximitySetting {
    let current = ItemID(heldItem() ?? self.current)
    let rung = items[place(current.index)].lastRung
    return policy.setting(
      for: policy.proximity(of: item, active: current),
      throughput: estimator.median.estimate,
      bitrate: rung.map { catalogue.pointee.ladder[$0] } ?? .zero)
  }

  /// The peak that an item's player was told, beside the cap at the start.
  func peak(_ item: UInt32, _ cap: BitRate?) -> BitRate? {
    guard let policy = clientSettings.pointee.proximity, players.index(of: item) != nil
    else { return cap }
    let peak = setting(policy, ItemID(item)).peakBitRate
    guard let peak else { return cap }
    guard let cap else { return peak }
    return peak < cap ? peak : cap
  }
}
