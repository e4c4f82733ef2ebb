/// What a column can be. The words are the keys of a mapping file.
public enum ObservedQuantity: String, CaseIterable, Sendable {
  case time, date, serverTime
  case session, view, viewer, address, title, object, item
  case ttff, clock, abandoned, failed
  case dwell, played, stall, stalls, bitrate
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
    case .ttff, .dwell, .played, .stall, .duration, .firstByte, .upstream, .roundTrip, .value: .span
    case .bytes: .size
    case .bitrate, .throughput: .rate
    case .stalls, .status, .item: .number
    case .abandoned, .failed: .flag
    case .session, .view, .viewer, .title, .object: .name
    case .address: .dropped
    case .device, .network, .region, .version, .edge, .player: .word
    case .clock, .request, .url, .query, .cache, .serverTiming, .cmcd, .event: .text
    }
  }

  /// The line of the documentation.
  public var summary: String {
    switch self {
    case .time: "when, by the client's clock"
    case .date: "the day of time, where that is a time of day"
    case .serverTime: "when, by the server's clock"
    case .session: "whose session of the app; hashed"
    case .view: "which view; hashed"
    case .viewer: "who; hashed"
    case .address: "an address of the network; dropped"
    case .title: "which title was viewed; hashed"
    case .object: "which object of the title; hashed"
    case .item: "place in the session's feed, from 0"
    case .ttff: "to the first frame"
    case .clock: "what ttff begins with: cold, swipe or play"
    case .abandoned: "left before the first frame"
    case .failed: "ended by an error"
    case .dwell: "how long the item was current"
    case .played: "how long media played"
    case .stall: "how long it stood still after the first frame"
    case .stalls: "how often it stood still"
    case .bitrate: "bit rate that was played"
    case .request: "method, target and protocol of a request"
    case .url: "target of a request, with or without its query"
    case .query: "query of a request"
    case .status: "status code"
    case .bytes: "bytes sent"
    case .duration: "from a request's arrival to its last byte"
    case .firstByte: "to the first byte"
    case .upstream: "what the tier behind took"
    case .roundTrip: "round trip of the connection"
    case .throughput: "measured throughput"
    case .cache: "what the cache did: a word, Cache-Status, or true for a hit"
    case .serverTiming: "the field Server-Timing"
    case .cmcd: "Common Media Client Data in any form"
    case .device: "class or model of the device"
    case .network: "kind of access"
    case .region: "country or region"
    case .version: "version of the app, or arm of an experiment"
    case .edge: "edge location"
    case .player: "player software"
    case .event: "what a row is about, see events"
    case .value: "the value of a row's event"
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
    case .stall: 0.001...3_600
    case .firstByte, .roundTrip, .upstream: 0.000_01...60
    case .duration: 0.000_01...3_600
    case .bytes: 1...1e11
    case .bitrate: 4e3...2e8
    case .throughput: 4e3...1e11
    default: nil
    }
  }
}
