import CachePolicy
import FeedPolicy
import MediaUnits

/// What is loaded of a card, and what is asked for next: manifest, master playlist, then of each
/// rung its playlist, its initialisation segment and segment after segment.
///
/// Which rung and how far is not its to say, nor which bytes came of what was given up.
struct CardLoading {
  private var hasManifest = false
  private var hasMaster = false
  /// Playlists and initialisation segments that are here, a bit a rung.
  private var playlists: UInt8 = 0
  private var inits: UInt8 = 0
  /// Rungs of the segments that are here, from the beginning.
  private(set) var rungs: [UInt8] = []
  /// Media held, from the beginning.
  private(set) var held = TimeSpan.zero
  /// The place of its request among the viewer's; nil while there is none.
  private(set) var request: Int?
  /// The card is loaded ahead of its turn.
  private(set) var isPrefetch = false

  /// What is asked for first, whatever the rung; nil when that is here.
  var nextOfAll: AssetClass? {
    if !hasManifest { return .mediaManifest }
    return hasMaster ? nil : .masterPlaylist
  }

  /// What is asked for next of a rung.
  func next(of rung: RungIndex) -> AssetClass {
    let bit = UInt8(1) << UInt8(rung.index)
    if playlists & bit == 0 { return .mediaPlaylist }
    return inits & bit == 0 ? .initSegment : .segment
  }

  /// A request is made.
  mutating func ask(_ place: Int) { request = place }

  /// The request is over, one way or the other.
  ///
  /// - Returns: its place.
  @discardableResult
  mutating func endRequest() -> Int? {
    let place = request
    request = nil
    return place
  }

  /// An answer is complete.
  ///
  /// - Parameter length: media time of the segment, if it is one.
  mutating func take(_ asset: AssetClass, _ rung: RungIndex, length: TimeSpan) {
    let bit = UInt8(1) << UInt8(rung.index)
    switch asset {
    case .mediaManifest: hasManifest = true
    case .masterPlaylist: hasMaster = true
    case .mediaPlaylist: playlists |= bit
    case .initSegment: inits |= bit
    default:
      held += length
      rungs.append(UInt8(rung.index))
    }
  }

  mutating func startPrefetch() { isPrefetch = true }
  mutating func endPrefetch() { isPrefetch = false }
}
