import MediaUnits

/// CUBIC's memory (RFC 9438; Linux tcp_cubic).
public struct CubicState: Sendable, Equatable {
  /// Window at the last reduction, 0 before the first one.
  public var lastMaximum = 0.0
  /// When the present growth began, negative when it has not.
  public var epochStart: Int64 = -1
  /// Where the plateau lies and how long the way there takes, seconds.
  public var origin = 0.0
  public var timeToOrigin = 0.0
  /// The window that Reno would have.
  public var friendly = 0.0
  /// Whether HyStart has ended slow start once.
  public var hasLeftSlowStart = false
}

extension CongestionState {
  /// Multiplicative decrease and scaling of Linux: 717/1024 and 0.4 (RFC 9438 section 4.6).
  static let cubicBeta = 717.0 / 1024
  static let cubicScale = 0.4
  /// 3(1-β)/(1+β) in the integer arithmetic of Linux: 8/15 segments per round trip.
  static let friendlyGrowth = 8.0 / 15

  /// Grows the window for `count` acknowledged packets.
  mutating func growCubic(_ count: Double, now: Int64) {
    if cubic.epochStart < 0 {
      cubic.epochStart = now
      cubic.friendly = window
      if cubic.lastMaximum <= window {
        cubic.timeToOrigin = 0
        cubic.origin = window
      } else {
        cubic.timeToOrigin = CongestionState.cubeRoot(
          (cubic.lastMaximum - window) / CongestionState.cubicScale)
        cubic.origin = cubic.lastMaximum
      }
    }
    let ahead = leastRoundTrip < .infinity ? leastRoundTrip : 0
    let time = (Double(now - cubic.epochStart) + ahead) * 1e-9 - cubic.timeToOrigin
    let target = cubic.origin + CongestionState.cubicScale * time * time * time
    // Packets to be acknowledged for one more in the window.
    var packets = target > window ? window / (target - window) : 100 * window
    if cubic.lastMaximum == 0 && packets > 20 { packets = 20 }
    cubic.friendly += CongestionState.friendlyGrowth * count / cubic.friendly
    if cubic.friendly > window {
      let friendlyPackets = window / (cubic.friendly - window)
      if friendlyPackets < packets { packets = friendlyPackets }
    }
    window += count / (packets > 2 ? packets : 2)
  }

  /// The slow-start threshold after a loss, with fast convergence.
  mutating func reduceCubic() -> Double {
    let isLower = window < cubic.lastMaximum
    cubic.lastMaximum = isLower ? window * (1 + CongestionState.cubicBeta) / 2 : window
    cubic.epochStart = -1
    return window * CongestionState.cubicBeta
  }

  /// HyStart (Ha and Rhee 2008, as in Linux): how many of `count` acknowledgements it takes to end
  /// slow start; negative when they do not.
  ///
  /// Two signs, both only from a window of 16 on. Delay: the least of the first samples of a round
  /// exceeds the path's least by an eighth, at least 4 and at most 16 ms; the ninth sample decides.
  /// Train: acknowledgements at most 2 ms apart that last longer than half the least round trip.
  mutating func slowStartExit(_ count: Int64, span: Double, first: Double, last: Double) -> Int64 {
    let before = window < 16 ? 16 - Int64(window) : 0
    let spacing = count > 1 ? span / Double(count - 1) : 0
    var exit = Int64.max
    let stride = acknowledgementStride
    let quick = quickAcks - before
    let inQuick: Int64 = quick > 9 ? 9 : quick > 0 ? quick : 0
    let deciding = before + inQuick + stride * (9 - inQuick)
    if deciding <= count {
      let slope = count > 1 ? (last - first) / Double(count - 1) : 0
      let lowest = slope > 0 ? first + slope * Double(before) : first + slope * Double(deciding)
      let eighth = leastRoundTrip / 8
      let margin = eighth < 4e6 ? 4e6 : eighth > 16e6 ? 16e6 : eighth
      if lowest > leastRoundTrip + margin { exit = deciding }
    }
    if spacing > 0 && spacing * Double(stride) <= 2e6 {
      let needed = TransferClock.packets((leastRoundTrip + 1e6) / 2 / spacing) + 1
      let train = needed > before ? needed : before
      if train < exit { exit = train }
    }
    if exit > count { return -1 }
    cubic.hasLeftSlowStart = true
    return exit
  }

  /// Cube root of a number ≥ 0.
  static func cubeRoot(_ value: Double) -> Double {
    value > 0 ? PortableMath.exp(PortableMath.log(value) / 3) : 0
  }
}
