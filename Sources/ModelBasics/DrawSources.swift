import SimulationKernel

/// What links, disks and titles draw from.
public struct DrawSources: ~Copyable, Sendable {
  /// Those of the replication.
  public let streams: RandomStreams
  /// The standard normal law.
  public let normal: QuantileTable

  @inlinable
  public init(streams: RandomStreams, normal: QuantileTable) {
    self.streams = streams
    self.normal = normal
  }
}
