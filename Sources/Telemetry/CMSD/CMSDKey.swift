/// The keys of Common Media Server Data (CTA-5006, 2022): those that an origin states of an object,
/// `CMSD-Static`, and those that each server on the way says of its answer, `CMSD-Dynamic`.
public enum CMSDKey: UInt8, CaseIterable, Sendable {
  case at, br, d, du, etp, ht, mb, n, nor, nrr, ot, rd, rtt, sf, st, su, v

  /// Which of the two headers has it.
  public var isDynamic: Bool {
    switch self {
    case .du, .etp, .mb, .rd, .rtt: true
    default: false
    }
  }

  /// What a value looks like. Words of keys that requests have, too, are those of ``CMCDKey``.
  var form: CMCDKey.Form {
    switch self {
    case .at, .d, .etp, .ht, .mb, .rd, .rtt, .br, .v: .whole
    case .du, .su: .flag
    case .n, .nor, .nrr: .string
    case .ot: CMCDKey.ot.form
    case .sf: CMCDKey.sf.form
    case .st: CMCDKey.st.form
    }
  }

  public var name: String { "\(self)" }

  /// The key of a name; nil when there is none.
  static func named(_ name: some Collection<UInt8>) -> CMSDKey? {
    allCases.first { $0.name.utf8.elementsEqual(name) }
  }
}

/// What one server on the way said of its answer: a member of `CMSD-Dynamic`.
public struct CMSDHop: Sendable, Equatable {
  /// As it calls itself.
  public var name: String
  /// What it takes the connection to the next one to carry, and the bit rate that it suggests not
  /// to exceed: bits per second.
  public var throughput: Double?
  public var suggestedBitrate: Double?
  /// From the request's arrival to the answer's first byte, and the round trip of the connection,
  /// seconds.
  public var responseDelay: Double?
  public var roundTrip: Double?
  /// It is overloaded.
  public var isUnderDuress = false

  public init(name: String) { self.name = name }
}

/// What an origin states of an object: `CMSD-Static`.
public struct CMSDObject: Sendable, Equatable {
  /// The origin, as it calls itself.
  public var name: String?
  /// Bits per second and seconds.
  public var bitrate: Double?
  public var duration: Double?
  /// How long the origin has held the answer back, and when the object became available: seconds,
  /// and seconds since 1970.
  public var heldTime: Double?
  public var availableAt: Double?
  /// One of the words of `ot`, `sf` and `st`.
  public var objectType: String?
  public var format: String?
  public var streamType: String?
  /// The object that is likely to be asked for next, and the part of it.
  public var next: String?
  public var nextRange: String?
  public var isForStartup = false
  public var version = 1

  public init() {}
}
