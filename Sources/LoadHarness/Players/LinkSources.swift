import MediaUnits
import Models
import NIOCore
import SimulationKernel

/// Sessions on a user-space link: each has the address of its place and the link that the scenario
/// draws for it.
public final class LinkSources: PlayerSources {
  private let pair: NamespacePair
  private let link: UserLink
  private let configuration: FeedConfiguration
  private let streams: RandomStreams
  /// How far links are written out.
  private let length: TimeSpan
  private var slots: [UInt32: UInt32] = [:]

  public init(
    _ pair: NamespacePair, link: UserLink, configuration: FeedConfiguration, seed: UInt64,
    replication: UInt16 = 0, length: TimeSpan
  ) {
    self.pair = pair
    self.link = link
    self.configuration = configuration
    streams = RandomStreams(seed: seed, replication: replication)
    self.length = length
  }

  public func open(_ session: UInt32, slot: UInt32) {
    slots[session] = slot
    let drawn = configuration.link(of: session, streams: streams, length: length)
    link.assign(pair.address(ofPlayer: Int(slot)), LinkProfile(drawn, session: session))
  }

  public func address(of session: UInt32) -> SocketAddress? {
    guard let slot = slots[session] else { return nil }
    return try? SocketAddress(ipAddress: "\(pair.address(ofPlayer: Int(slot)))", port: 0)
  }

  public func close(_ session: UInt32) { slots[session] = nil }
}
