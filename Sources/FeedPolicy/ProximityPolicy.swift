import MediaUnits

/// How near a player's item is to the active one (REEL-014).
public enum Proximity: UInt8, Sendable, Equatable, Comparable, CaseIterable {
  /// The item on the screen.
  case active = 0
  /// An item a swipe away, or a few.
  case near
  /// Any other item that has a player.
  case far

  public static func < (a: Proximity, b: Proximity) -> Bool { a.rawValue < b.rawValue }
}

/// What a player is told.
public struct ProximitySetting: Sendable, Equatable {
  /// How far ahead of the playhead the player loads; `TimeSpan.max` leaves it to the player.
  public var forwardBuffer: TimeSpan
  /// Upper bound of the bit rate; nil for none.
  public var peakBitRate: BitRate?

  public init(forwardBuffer: TimeSpan, peakBitRate: BitRate?) {
    self.forwardBuffer = forwardBuffer
    self.peakBitRate = peakBitRate
  }
}

/// Forward buffer and peak bit rate of a player by its item's distance (REEL-014 to REEL-017).
///
/// A pure decider. An item that is farther away never gets a longer buffer or a higher peak than a
/// nearer one, whatever the configuration says: each status is held to the one before it. Leaves
/// out: how players share one link, for which AVPlayer has no control (REEL-016).
public struct ProximityPolicy: Sendable, Equatable {
  /// Whether neighbours follow the network (REEL-028).
  public enum Adaptation: Sendable, Equatable {
    /// The settings are used as they are.
    case none
    /// Neighbours get none of their buffer while the throughput is at most `from` times the active
    /// item's bit rate, all of it at `full` times that rate, and a share in proportion between;
    /// their peak is held to what the active item leaves of the throughput.
    case throughput(from: Double, full: Double)
  }

  /// One setting for each status.
  public struct Configuration: Sendable, Equatable {
    /// Default: the player's own buffer (REEL-017: 0, which AVPlayer reads as automatic) and no
    /// peak.
    public var active: ProximitySetting
    /// Default 4 s, in the middle of REEL-017's 2 to 6 s, and its 1100 kbps.
    public var near: ProximitySetting
    /// Default 1 s and 400 kbps: REEL-017's 0 to 1 s and its lowest peak.
    public var far: ProximitySetting
    /// Items on each side of the active one that are near. Default 1 (assumed).
    public var nearDistance: UInt32
    /// Default none (REEL-028 compares).
    public var adaptation: Adaptation

    public init(
      active: ProximitySetting = ProximitySetting(forwardBuffer: .max, peakBitRate: nil),
      near: ProximitySetting = ProximitySetting(
        forwardBuffer: .seconds(4), peakBitRate: .kilobits(1100)),
      far: ProximitySetting = ProximitySetting(
        forwardBuffer: .seconds(1), peakBitRate: .kilobits(400)),
      nearDistance: UInt32 = 1, adaptation: Adaptation = .none
    ) {
      self.active = active
      self.near = near
      self.far = far
      self.nearDistance = nearDistance
      self.adaptation = adaptation
    }
  }

  public let configuration: Configuration

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// The status of an item's player.
  public func proximity(of item: ItemID, active: ItemID) -> Proximity {
    if item == active { return .active }
    let distance = item > active ? item.index - active.index : active.index - item.index
    return distance <= configuration.nearDistance ? .near : .far
  }

  /// What a player of this status is told.
  ///
  /// - Parameters:
  ///   - proximity: how near the player's item is to the active one.
  ///   - throughput: the present estimate.
  ///   - bitrate: the active item's bit rate; zero when it is not known, which gives neighbours
  ///     all of their setting.
  public func setting(
    for proximity: Proximity, throughput: BitRate = .zero, bitrate: BitRate = .zero
  ) -> ProximitySetting {
    var setting = configuration.active
    if proximity == .active { return setting }
    setting = held(adapted(configuration.near, throughput, bitrate), to: setting)
    if proximity == .near { return setting }
    return held(adapted(configuration.far, throughput, bitrate), to: setting)
  }

  private func adapted(
    _ setting: ProximitySetting, _ throughput: BitRate, _ bitrate: BitRate
  ) -> ProximitySetting {
    guard case .throughput(let from, let full) = configuration.adaptation, bitrate > .zero
    else { return setting }
    let headroom = Double(throughput.bitsPerSecond) / Double(bitrate.bitsPerSecond)
    var share = 0.0
    if headroom >= full {
      share = 1
    } else if headroom > from {
      share = (headroom - from) / (full - from)
    }
    var adapted = setting
    if share < 1 { adapted.forwardBuffer = setting.forwardBuffer.scaled(by: share) }
    let left =
      throughput > bitrate
      ? BitRate(bitsPerSecond: throughput.bitsPerSecond - bitrate.bitsPerSecond) : .zero
    adapted.peakBitRate = lower(setting.peakBitRate, left)
    return adapted
  }

  private func held(_ setting: ProximitySetting, to nearer: ProximitySetting) -> ProximitySetting {
    ProximitySetting(
      forwardBuffer: min(setting.forwardBuffer, nearer.forwardBuffer),
      peakBitRate: lower(setting.peakBitRate, nearer.peakBitRate))
  }

  private func lower(_ a: BitRate?, _ b: BitRate?) -> BitRate? {
    guard let a else { return b }
    guard let b else { return a }
    return a < b ? a : b
  }
}
