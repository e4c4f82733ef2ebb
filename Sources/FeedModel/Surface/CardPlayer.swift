import MediaUnits

/// A card's player: whether the card is mounted, whether it has a player, and how far that has got
/// with the first frame, from the decoder to the display.
struct CardPlayer {
  private(set) var isMounted = false
  /// The policy's number of the mount.
  private(set) var mount: UInt32 = 0
  /// The player's number among the viewer's; nil without one.
  private(set) var number: UInt32?
  /// Changes whenever a player comes or goes.
  private(set) var generation: UInt32 = 0
  private var hasDecoder = false
  private var isDecoding = false
  private(set) var isDecoded = false
  /// The player has had a frame on the display.
  private(set) var isShown = false
  /// When the frame that was decoded will be on it; nil while nothing is on its way.
  private(set) var shownAt: Instant?
  /// It was decoded when it was last told to play.
  private(set) var wasReady = false

  // MARK: The card

  mutating func mount(_ number: UInt32) {
    mount = number
    isMounted = true
  }

  mutating func unmount() { isMounted = false }

  /// The card is told to play.
  mutating func tell() { wasReady = isDecoded }

  // MARK: The player

  /// The card gets a player.
  mutating func give(_ number: UInt32) {
    self.number = number
    generation &+= 1
  }

  /// The card's player goes to another one.
  mutating func lose() {
    number = nil
    hasDecoder = false
    isDecoding = false
    isDecoded = false
    takeOff()
    generation &+= 1
  }

  /// The decoder can take the card's media.
  mutating func readyDecoder() { hasDecoder = true }

  /// The player that can decode the first frame now; nil when none can or one has begun.
  var freeDecoder: UInt32? { hasDecoder && !isDecoding && !isDecoded ? number : nil }

  mutating func beginDecoding() { isDecoding = true }

  /// The first frame is decoded.
  mutating func finishDecoding() {
    isDecoding = false
    isDecoded = true
  }

  // MARK: The display

  /// The frame is on its way to the display.
  mutating func present(until time: Instant) { shownAt = time }

  /// What is on its way is not waited for.
  mutating func stopPresenting() { shownAt = nil }

  /// The frame is on the display.
  mutating func show() { isShown = true }

  /// The display does not show the card's frame any more.
  mutating func takeOff() {
    isShown = false
    shownAt = nil
  }
}
