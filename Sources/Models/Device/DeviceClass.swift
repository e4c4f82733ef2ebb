import MediaUnits
import SimulationKernel

/// A class of devices: what players and decoders cost.
///
/// Included: player creation, decoder set-up and reuse, first decode, a limit on concurrent
/// decoders, a disk cache with its read time. Left out: memory pressure, thermal state, main-thread
/// contention. Defaults are those of parameters.md section 3.
public struct DeviceClass: Sendable {
  /// Creating a player, setting a decoder up, reusing one, decoding the first frame; seconds.
  public var playerCreation, decoderSetup, decoderReuse, firstDecode: QuantileTable
  /// Hardware decoders that may exist at once.
  public var decoderLimit: Int
  /// Disk cache for responses.
  public var diskCache: ByteCount
  /// Reading something from the disk cache.
  public var diskRead: TimeSpan
  /// Memory of one player with its decoder's frames.
  public var playerMemory = ByteCount.zero

  public init(
    playerCreation: QuantileTable, decoderSetup: QuantileTable,
    decoderReuse: QuantileTable, firstDecode: QuantileTable, decoderLimit: Int,
    diskCache: ByteCount, diskRead: TimeSpan
  ) {
    precondition(decoderLimit >= 1, "a device has at least one decoder")
    self.playerCreation = playerCreation
    self.decoderSetup = decoderSetup
    self.decoderReuse = decoderReuse
    self.firstDecode = firstDecode
    self.decoderLimit = decoderLimit
    self.diskCache = diskCache
    self.diskRead = diskRead
  }
}
