/// The keys of Common Media Client Data: version 1 is CTA-5004 (2020), version 2 CTA-5004-A (2025)
/// with what its successor adds.
enum CMCDKey: UInt8, CaseIterable {
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

  var name: String { "\(self)" }

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
