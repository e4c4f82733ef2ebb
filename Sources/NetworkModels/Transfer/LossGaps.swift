import MediaUnits
import ModelBasics
import SimulationKernel

/// Which of a connection's transmissions are lost, as gaps between losses.
///
/// Geometric gaps, one uniform each, keyed by (connection, number of the gap): with common random
/// numbers a smaller loss rate lengthens every gap, so no loss comes earlier. Bursts follow
/// Gilbert (1960) and Elliott (1963) with loss 1 in the bad and 0 in the good state: geometric runs
/// of both, the first one drawn from the stationary law.
public struct LossGaps: Sendable {
  /// Transmissions that get through before the next lost one; `Int64.max` when nothing is lost.
  public private(set) var clean: Int64
  /// Lost packets of the run that follows.
  private var run: Int64
  /// Packets that get through between two runs, at least.
  private let least: Int64
  /// log(1 - p) of a good packet being the last good one, and of a lost one being the last lost.
  private let goodLogarithm: Double
  private let badLogarithm: Double
  private let streams: RandomStreams
  private let connection: UInt64
  private var draw: UInt32

  /// - Parameters:
  ///   - connection: number of the connection; part of the key.
  ///   - streams: seed and replication.
  public init(_ loss: PacketLoss, connection: UInt64, streams: RandomStreams) {
    self.streams = streams
    self.connection = connection
    clean = .max
    run = 1
    draw = 0
    var least: Int64 = 0
    switch loss {
    case .bursts(let rate, let meanBurst) where rate < 1:
      let burst = meanBurst > 1 ? meanBurst : 1
      badLogarithm = LossGaps.logarithm(ofComplement: 1 / burst)
      goodLogarithm = LossGaps.logarithm(ofComplement: rate / (burst * (1 - rate)))
      least = 1
    case .none:
      goodLogarithm = 0
      badLogarithm = -.infinity
    case .independent(let rate):
      goodLogarithm = LossGaps.logarithm(ofComplement: rate)
      badLogarithm = -.infinity
    case .bursts(let rate, _):
      goodLogarithm = LossGaps.logarithm(ofComplement: rate)
      badLogarithm = -.infinity
    }
    self.least = least
    if goodLogarithm == 0 { return }
    if case .bursts(let rate, _) = loss, least > 0 {
      startBursts(rate: rate)
    } else {
      clean = length(goodLogarithm)
    }
  }

  /// Nothing is ever lost.
  public static var none: LossGaps {
    LossGaps(.none, connection: 0, streams: RandomStreams(seed: 0, replication: 0))
  }

  /// `count` packets get through; at most ``clean``.
  @inline(__always)
  public mutating func pass(_ count: Int64) {
    if clean != .max { clean -= count }
  }

  /// One packet is lost; after the last one of a run the next gap is drawn.
  public mutating func lose() {
    if goodLogarithm == 0 { return }
    run -= 1
    if run > 0 { return }
    clean = least + length(goodLogarithm)
    run = 1 + length(badLogarithm)
  }

  /// Whether the next packet is lost.
  mutating func losesNext() -> Bool {
    if clean == 0 {
      lose()
      return true
    }
    pass(1)
    return false
  }

  private mutating func startBursts(rate: Double) {
    let u = streams.uniform(.packetLoss, entity: connection, draw: draw)
    draw += 1
    if u > 1 - rate {
      clean = 0
    } else {
      clean = 1 + LossGaps.length(u / (1 - rate), goodLogarithm)
    }
    run = 1 + length(badLogarithm)
  }

  private mutating func length(_ logarithm: Double) -> Int64 {
    if logarithm == 0 { return .max }
    if logarithm == -.infinity { return 0 }
    let u = streams.uniform(.packetLoss, entity: connection, draw: draw)
    draw &+= 1
    return LossGaps.length(u, logarithm)
  }

  private static func length(_ u: Double, _ logarithm: Double) -> Int64 {
    Int64(atMost: PortableMath.log(u) / logarithm)
  }

  private static func logarithm(ofComplement p: Double) -> Double {
    p <= 0 ? 0 : p >= 1 ? -.infinity : PortableMath.log(1 - p)
  }
}
