import MediaUnits
import SimulationKernel

/// How the origin fails.
public enum OriginOutageKind: UInt8, Sendable, Equatable {
  /// Status 503 after the usual time to first byte.
  case error
  /// Connections open and no answer comes.
  case timeout
  /// Connections do not open.
  case unreachable
}

/// A time in which the origin fails.
public typealias OriginOutage = Outage<OriginOutageKind>

/// The store behind all caches.
///
/// Included: time to first byte, a queue in front of a limited number of requests at once, a limit
/// of requests a second, outages. Left out: that a store spreads hot prefixes by itself, and the
/// time that bytes take.
public struct OriginConfiguration: Sendable {
  /// Time to first byte, seconds.
  public var firstByte: QuantileTable
  /// Requests served at once, the others wait in order of arrival; nil for no limit.
  public var concurrency: Int?
  /// Requests a second beyond which 503 Slow Down is answered, with bursts of a second's worth; nil
  /// for no limit.
  public var requestRate: Double?
  /// How soon that 503 comes.
  public var slowDownTime: TimeSpan
  /// In order of time, apart from each other.
  public var outages: [OriginOutage]

  public init(
    firstByte: QuantileTable, concurrency: Int? = nil, requestRate: Double? = nil,
    slowDownTime: TimeSpan = .milliseconds(10), outages: [OriginOutage] = []
  ) {
    precondition(concurrency ?? 1 >= 1 && requestRate ?? 1 > 0)
    self.firstByte = firstByte
    self.concurrency = concurrency
    self.requestRate = requestRate
    self.slowDownTime = slowDownTime
    self.outages = outages
  }

  /// The outage that is on.
  public func outage(at now: Instant) -> OriginOutage? { outages.outage(at: now) }
}
