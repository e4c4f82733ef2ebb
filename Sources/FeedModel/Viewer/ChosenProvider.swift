import CacheModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Which of several providers a viewer's requests go to.
struct ChosenProvider {
  var machine: ProviderSwitch
  /// When the steering manifest is read next; never where none is.
  private(set) var readsAt: Instant
  /// The provider that the session began with.
  private let first: UInt8
  /// A request of the item on the screen has failed in this view.
  var isTroubled = false
  /// Memory of what the machine commands.
  var commands: [ProviderSwitch.Command] = []
  /// Requests that have, or had, a copy at a second provider.
  var races = RaceTable()

  /// At the beginning of a session; nil where there is one provider.
  init?(_ setting: UnsafePointer<FeedSetting>, session: UInt32, at now: Instant) {
    let providers = setting.pointee.configuration.cdn.providers
    if providers.isEmpty { return nil }
    let switching = setting.pointee.configuration.cdn.switching
    let u = setting.pointee.streams.uniform(.provider, entity: UInt64(session))
    first = ChosenProvider.draw(providers, u)
    var policy = switching.policy
    policy.providers = providers.count
    policy.first = first
    machine = ProviderSwitch(policy)
    readsAt = policy.rule == .steered ? now : .distantFuture
  }

  /// The provider of a session, by shares.
  ///
  /// - Parameter u: uniform on 0 ..< 1.
  static func draw(_ providers: [CDNProvider], _ u: Double) -> UInt8 {
    var sum = 0.0
    var last: UInt8 = 0
    for provider in providers.indices where providers[provider].share > 0 {
      sum += providers[provider].share
      last = UInt8(provider)
      if u < sum { return last }
    }
    return last
  }

  /// Reads the steering manifest as often as its lifetime was over by now.
  mutating func read(_ cdn: CDNConfiguration, at now: Instant) {
    let steering = cdn.switching.steering
    while readsAt <= now {
      let order = order(cdn.providers, knownAt: readsAt.advanced(saturatingBy: -steering.delay))
      commands.removeAll(keepingCapacity: true)
      machine.handle(.steered(order), at: readsAt, into: &commands)
      readsAt = readsAt.advanced(saturatingBy: steering.lifetime)
    }
  }

  /// What the manifest says: the session's own provider, the others by share, those that fail last.
  private func order(_ providers: [CDNProvider], knownAt time: Instant) -> ProviderOrder {
    var order = ProviderOrder()
    for failing in [false, true] {
      if isFailing(providers[Int(first)], at: time) == failing { order.append(first) }
      // The largest share first; of equal ones the one that stands first.
      for _ in providers {
        var best = -1
        for place in providers.indices
        where !order.contains(UInt8(place))
          && isFailing(providers[place], at: time) == failing
          && (best < 0 || providers[place].share > providers[best].share)
        { best = place }
        if best >= 0 { order.append(UInt8(best)) }
      }
    }
    return order
  }

  private func isFailing(_ provider: CDNProvider, at time: Instant) -> Bool {
    provider.outage(at: time) != nil
  }
}
