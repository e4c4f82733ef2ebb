/// The keys of Common Media Client Data: version 1 is CTA-5004 (2020), version 2 CTA-5004-A (2025)
/// with what its successor adds.
///
/// What is read of logs (``CMCDReader``) and what live players send (``CMCDWriter``) follow from
/// this table alone.
public enum CMCDKey: UInt8, CaseIterable, Sendable {
  case ab, bg, bl, br, bs, bsa, bsd, bsda, cdn, cen, cid, cmsdd, cmsds, cs, d, dfa, dl, e, ec, h,
    lab, lb, ltc, msd, mtp, nor, nr, nrr, ot, pb, pr, pt, rc, rtp, sf, sid, smrt, sn, st, sta, su,
    tab, tb, tbl, tpb, ts, ttfb, ttfbb, ttlb, url, v

  /// What a value of the key looks like.
  enum Form {
    /// A whole number, in version 2 perhaps a list of them by object type.
    case whole
    case decimal
    /// The key alone, or a Boolean.
    case flag
    case string
    case token(StaticString)
    /// Text of any form.
    case any
  }

  /// The header that carries the key. A request's line holds all of them.
  public enum Header: UInt8, CaseIterable, Sendable {
    case object, request, session, status

    public var name: String {
      switch self {
      case .object: "CMCD-Object"
      case .request: "CMCD-Request"
      case .session: "CMCD-Session"
      case .status: "CMCD-Status"
      }
    }
  }

  /// What a key's numbers count.
  enum Unit {
    /// Kilobits per second.
    case rate
    /// Milliseconds.
    case time
    case plain
  }

  /// The first version that has it.
  var version: UInt8 {
    switch self {
    case .bl, .br, .bs, .cid, .d, .dl, .mtp, .nor, .nrr, .ot, .pr, .rtp, .sf, .sid, .st, .su, .tb,
      .v:
      1
    default: 2
    }
  }

  var form: Form {
    switch self {
    case .ab, .bl, .br, .bsa, .bsd, .bsda, .d, .dfa, .dl, .lab, .lb, .ltc, .msd, .mtp, .pb, .pt,
      .rc, .rtp, .sn, .tab, .tb, .tbl, .tpb, .ts, .ttfb, .ttfbb, .ttlb, .v:
      .whole
    case .pr: .decimal
    case .bg, .bs, .nr, .su: .flag
    case .cdn, .cen, .cid, .cmsdd, .cmsds, .cs, .h, .nrr, .sid, .smrt, .url: .string
    case .ec, .nor: .any
    case .e: .token("abs abe ae as b bc c ce e h m pc pe pr ps rr sk t um")
    case .ot: .token("a av c i k m o tt v")
    case .sf: .token("d e h o s")
    case .st: .token("l ll v")
    case .sta: .token("a d e f k p q r s w")
    }
  }

  /// Of a number.
  var unit: Unit {
    switch self {
    case .ab, .br, .lab, .lb, .mtp, .pb, .rtp, .tab, .tb, .tpb: .rate
    case .bl, .bsd, .bsda, .d, .dl, .ltc, .msd, .pt, .tbl, .ts, .ttfb, .ttfbb, .ttlb: .time
    default: .plain
    }
  }

  /// What a whole number is rounded to.
  var step: Double {
    switch self {
    case .bl, .dl, .mtp, .rtp, .tbl: 100
    default: 1
    }
  }

  /// Whether version 2 writes a list of numbers by object type.
  var isListed: Bool {
    switch self {
    case .ab, .bl, .br, .bsa, .bsd, .bsda, .lab, .lb, .mtp, .pb, .tab, .tb, .tbl, .tpb: true
    default: false
    }
  }

  /// The header that it belongs to: by how often it changes.
  public var header: Header {
    switch self {
    case .ab, .br, .d, .lab, .lb, .ot, .tab, .tb, .tpb, .url: .object
    case .cid, .msd, .pr, .sf, .sid, .st, .v: .session
    case .bg, .bs, .bsa, .bsd, .bsda, .cdn, .ec, .nr, .pt, .rtp: .status
    case .bl, .cen, .cmsdd, .cmsds, .cs, .dfa, .dl, .e, .h, .ltc, .mtp, .nor, .nrr, .pb, .rc,
      .smrt, .sn, .sta, .su, .tbl, .ts, .ttfb, .ttfbb, .ttlb:
      .request
    }
  }

  /// The most characters of a text.
  static let longestText = 64

  public var name: String { "\(self)" }

  /// A number of the key in bits per second, seconds, or what it counts.
  func value(of written: Double) -> Double {
    switch unit {
    case .rate: written * 1_000
    case .time: written / 1_000
    case .plain: written
    }
  }

  /// What is written of a value in bits per second, seconds, or what the key counts; whole numbers
  /// are rounded as the standard has it.
  func written(of value: Double) -> Double {
    let number =
      switch unit {
      case .rate: value / 1_000
      case .time: value * 1_000
      case .plain: value
      }
    if case .whole = form { return (number / step).rounded() * step }
    return number
  }

  var expected: String {
    switch form {
    case .whole: "a whole number, not negative"
    case .decimal: "a number, not negative"
    case .flag: "the key alone, true or false"
    case .string: "a text in quotation marks"
    case .token(let words): "one of \(words)"
    case .any: "a value"
    }
  }

  /// The key of a name of at most five letters; nil when neither version has it.
  static func named(_ name: TextSpan) -> CMCDKey? {
    if name.isEmpty || name.count > 5 { return nil }
    var packed: UInt64 = 0
    for index in 0..<name.count { packed = packed << 8 | UInt64(name.base[index]) }
    var slot = slot(of: packed)
    while table[slot].packed != 0 {
      if table[slot].packed == packed { return table[slot].key }
      slot = (slot + 1) & 255
    }
    return nil
  }

  private static func slot(of packed: UInt64) -> Int {
    Int(truncatingIfNeeded: (packed &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  private static let table: [(packed: UInt64, key: CMCDKey)] = {
    var table = [(packed: UInt64, key: CMCDKey)](repeating: (0, .v), count: 256)
    for key in CMCDKey.allCases {
      let packed = key.name.utf8.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      var place = slot(of: packed)
      while table[place].packed != 0 { place = (place + 1) & 255 }
      table[place] = (packed, key)
    }
    return table
  }()
}
