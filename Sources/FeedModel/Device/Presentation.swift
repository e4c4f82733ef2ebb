import MediaUnits
import SimulationKernel

/// From a decoded frame to the frame on the display.
///
/// Included: the attachment of the player's layer or surface on the main thread, the wait for the
/// display's next refresh (every moment of a period is equally likely), and the refreshes that a
/// buffer takes through the compositor. Left out: frames that miss their refresh, displays that
/// change their period, the light of the panel itself. Source: parameters.md section 3;
/// docs/decisions/0022.
public struct Presentation: Sendable {
  /// Attaching the layer or the surface, seconds of the main thread.
  public var attach: QuantileTable
  /// Time between two refreshes of the display.
  public var refresh: TimeSpan
  /// Refreshes from the one that takes the buffer to the one that shows it.
  public var composition: Int

  public init(attach: QuantileTable, refresh: TimeSpan, composition: Int) {
    precondition(refresh >= .zero && composition >= 0, "a display does not go back in time")
    self.attach = attach
    self.refresh = refresh
    self.composition = composition
  }

  /// From an attached layer to the frame on the display.
  ///
  /// - Parameter u: where in a period the attachment ended, between 0 and 1.
  func display(_ u: Double) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(u * Double(refresh.nanoseconds)))
      + refresh * Int64(composition)
  }
}

/// For how long work on players holds the main thread of an app, which does one thing after the
/// other.
///
/// Included: the creation of a player, another item for a player, and with ``Presentation`` the
/// attachment of a layer. Left out: the app's own work (layout, text, images), garbage collection,
/// priorities: work is done in the order in which it came up. Source: parameters.md section 3.
public struct MainThreadWork: Sendable {
  /// Seconds of the main thread for a new player, within ``DeviceClass/playerCreation``, and for
  /// another item in a player.
  public var create, retarget: QuantileTable

  public init(create: QuantileTable, retarget: QuantileTable) {
    self.create = create
    self.retarget = retarget
  }
}

/// How much longer a decoder's set-up takes by what the device does beside it: one and the sum of
/// the shares. No source was found; the values are assumed (docs/decisions/0022).
public struct DecoderStress: Sendable {
  /// Share for each other player that plays or has its decoder set up, for each transfer under way
  /// (bytes that are received and written), and while the viewer swipes from item to item.
  public var players, transfers, swipe: Double

  public init(players: Double, transfers: Double, swipe: Double) {
    precondition(players >= 0 && transfers >= 0 && swipe >= 0, "work does not make a device fast")
    self.players = players
    self.transfers = transfers
    self.swipe = swipe
  }

  /// What a set-up's time is multiplied by.
  func factor(players: Int, transfers: Int, isSwiping: Bool) -> Double {
    1 + self.players * Double(players) + self.transfers * Double(transfers)
      + (isSwiping ? swipe : 0)
  }
}
