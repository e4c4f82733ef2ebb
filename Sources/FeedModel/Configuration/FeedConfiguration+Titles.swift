import AudienceModel
import CacheModel
import MediaUnits
import SimulationKernel

// What a catalogue needs to know of a feed to number its titles.

extension TitleNumbers {
  /// How many numbers a configuration takes; it must not be more than ``limit``.
  public static func count(_ configuration: borrowing FeedConfiguration) -> Int64 {
    count(
      configuration.catalogue, crowds: configuration.audience.crowds.count,
      until: configuration.length)
  }

  init(_ configuration: borrowing FeedConfiguration) {
    self.init(
      configuration.catalogue, crowds: configuration.audience.crowds.count,
      warmUp: configuration.cdn.warmUp, until: configuration.length)
  }
}

extension CatalogueContents {
  public init(_ configuration: FeedConfiguration, seed: UInt64, replication: UInt16 = 0) {
    self.init(
      configuration.catalogue, normal: configuration.normal,
      numbers: TitleNumbers.count(configuration), warmUp: configuration.cdn.warmUp,
      streams: RandomStreams(seed: seed, replication: replication))
  }
}

extension FeedConfiguration {
  /// From the beginning of the warm-up to the end of the drain.
  fileprivate var length: TimeSpan { cdn.warmUp + audience.window + audience.drain }
}
