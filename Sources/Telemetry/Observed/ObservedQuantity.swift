/// What a column can be. The words are the keys of a mapping file.
public enum ObservedQuantity: String, CaseIterable, Sendable {
  case time, date, serverTime
  case session, view, viewer, address, title, object, item
  case ttff, clock, abandoned, failed, ready
  case dwell, played, stall, stalls, bitrate, titleLength
  case launch, creation, preparation, setup, reuse, decode, presentation
  case startPart
  case request, url, query, status, bytes, duration, firstByte, upstream, roundTrip, throughput
  case cache, serverTiming, cmcd
  case device, network, region, version, edge, player
  case event, value

  /// What its fields look like.
  enum Form: Sendable {
    case instant
    case span
    case size
    case rate
    case number
    case flag
    /// Names somebody or something: hashed.
    case name
    /// Names somebody: never looked at.
    case dropped
    /// A word that cohorts are made of.
    case word
    case text
  }

  var form: Form {
    switch self {
    case .time, .serverTime: .instant
    case .date: .text
    case .ttff, .dwell, .played, .stall, .duration, .firstByte, .upstream, .roundTrip, .value,
      .titleLength, .launch, .creation, .preparation, .setup, .reuse, .decode, .presentation,
      .startPart:
      .span
    case .bytes: .size
    case .bitrate, .throughput: .rate
    case .stalls, .status, .item: .number
    case .abandoned, .failed, .ready: .flag
    case .session, .view, .viewer, .title, .object: .name
    case .address: .dropped
    case .device, .network, .region, .version, .edge, .player: .word
    case .clock, .request, .url, .query, .cache, .serverTiming, .cmcd, .event: .text
    }
  }

  /// What its values may be at most half of the time, in seconds, bytes or bits per second; nil
  /// where anything may be.
  ///
  /// Far wider than any audience: the median of a start is tens of milliseconds to seconds wherever
  /// one was published, so a median beyond is a unit that was stated wrongly. Assumed.
  var plausible: ClosedRange<Double>? {
    switch self {
    case .ttff: 0.001...60
    case .dwell, .played: 0.02...86_400
    case .titleLength: 0.5...86_400
    case .stall: 0.001...3_600
    case .firstByte, .roundTrip, .upstream: 0.000_01...60
    case .duration: 0.000_01...3_600
    case .launch: 0.01...60
    case .creation, .preparation, .setup, .reuse, .decode, .presentation: 0.000_01...30
    case .bytes: 1...1e11
    case .bitrate: 4e3...2e8
    case .throughput: 4e3...1e11
    default: nil
    }
  }
}
