import MediaUnits
import SimulationKernel

/// A class of devices: what players and decoders cost.
///
/// Included: player creation, decoder set-up and reuse and what slows them down, first decode, a
/// limit on concurrent decoders, work on the main thread, the way to the display, a disk cache with
/// its read time, the app's launch. Left out: memory pressure, thermal state, work on the main
/// thread that is not about players. Defaults are those of parameters.md section 3.
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
  /// From a decoded frame to the display; nil: a decoded frame is on the screen at once.
  public var presentation: Presentation?
  /// What holds the main thread; nil: players are created and re-targeted side by side.
  public var mainThread: MainThreadWork?
  /// What slows a decoder's set-up down; nil: nothing does.
  public var stress: DecoderStress?
  /// From app open to the feed's first request, at the first view of a session: process, first
  /// layout, what the app does before it asks; seconds. Nil: no part of a cold start's clock.
  public var appLaunch: QuantileTable?
  /// From an item in a player to the set-up of its decoder, where the player goes through that on
  /// the screen (``PlayerModel/isSetUpAnew``): source, timeline, tracks, renderers; seconds. Nil:
  /// no time.
  public var sourcePreparation: QuantileTable?

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
