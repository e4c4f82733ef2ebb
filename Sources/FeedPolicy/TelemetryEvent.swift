import MediaUnits

/// The names of what a client tells the event service (SIG-050).
public enum TelemetryName: UInt8, Sendable, Equatable, CaseIterable {
  case viewStart = 0
  case viewEnd
  case tapPlayPause
  case previewScrubStart
  case previewScrubCommit
  case playbackError
  case timeToFirstFrame
  case rebuffer
  case selectedBitrate

  /// The name on the wire.
  public var text: StaticString {
    switch self {
    case .viewStart: "view_start"
    case .viewEnd: "view_end"
    case .tapPlayPause: "tap_play_pause"
    case .previewScrubStart: "preview_scrub_start"
    case .previewScrubCommit: "preview_scrub_commit"
    case .playbackError: "playback_error"
    case .timeToFirstFrame: "time_to_first_frame"
    case .rebuffer: "rebuffer"
    case .selectedBitrate: "selected_bitrate"
    }
  }
}

/// One event of a view.
///
/// What the two numbers mean depends on the name; zero where a name has none:
/// | name | `value` | `second` |
/// |---|---|---|
/// | view end | time on the screen, ms | media played of the item, parts in 10,000 |
/// | time to first frame | ms | |
/// | rebuffer | stalls | their sum, ms |
/// | selected bit rate | kbit/s | |
/// | tap | 1 for play, 0 for pause | |
/// | scrub commit | position, ms | |
/// | playback error | the host's code | |
///
/// A view that ended before its first frame has a view end and no time to first frame; the pair
/// says so, and nobody has to guess (SIG-051).
public struct TelemetryEvent: Sendable, Equatable {
  public var name: TelemetryName
  /// The view's number in the session, from 0.
  public var view: UInt32
  public var item: ItemID
  /// When it happened.
  public var at: Instant
  public var value: Int64
  public var second: Int64

  public init(
    name: TelemetryName, view: UInt32, item: ItemID, at: Instant, value: Int64 = 0,
    second: Int64 = 0
  ) {
    self.name = name
    self.view = view
    self.item = item
    self.at = at
    self.value = value
    self.second = second
  }
}
