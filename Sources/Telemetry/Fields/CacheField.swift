/// What a cache did, out of the words of logs.
enum CacheField {
  /// The field Cache-Status (RFC 9211), whose last member is the cache nearest to the user; a list
  /// of words such as Fastly's `MISS, HIT`, likewise; one word; or true for a hit.
  static func outcome(_ text: TextSpan) -> Observation.CacheOutcome? {
    outcome(ofMember: text.from(lastComma(text).map { $0 + 1 } ?? 0).trimmed)
  }

  /// What the cache behind that one did: of the last member but one. Nil where there is none.
  static func behind(_ text: TextSpan) -> Observation.CacheOutcome? {
    guard let end = lastComma(text) else { return nil }
    let front = text.part(0, end)
    return outcome(ofMember: front.from(lastComma(front).map { $0 + 1 } ?? 0).trimmed)
  }

  private static func outcome(ofMember member: TextSpan) -> Observation.CacheOutcome? {
    member.firstIndex(of: 0x3B) != nil ? parameters(member) : word(member)
  }

  /// The last comma of a list outside quotation marks; nil for one member.
  private static func lastComma(_ text: TextSpan) -> Int? {
    var place: Int?
    var isQuoted = false
    for index in 0..<text.count {
      let byte = text.base[index]
      if byte == 0x22 { isQuoted.toggle() }
      if byte == 0x2C && !isQuoted { place = index }
    }
    return place
  }

  private static func parameters(_ member: TextSpan) -> Observation.CacheOutcome? {
    var outcome: Observation.CacheOutcome?
    var isCollapsed = false
    var isOld = false
    var start = member.firstIndex(of: 0x3B) ?? member.count
    while start < member.count {
      let end = member.firstIndex(of: 0x3B, from: start + 1) ?? member.count
      let parameter = member.part(start + 1, end).trimmed
      start = end
      let split = parameter.firstIndex(of: 0x3D)
      let name = parameter.part(0, split ?? parameter.count)
      let value = split.map { parameter.from($0 + 1) } ?? TextSpan(parameter.base, 0)
      if name.equals("hit") {
        outcome = split == nil || value.equals("?1") ? .hit : outcome
      } else if name.equals("fwd") {
        outcome = value.equals("bypass") || value.equals("method") ? .bypass : .miss
      } else if name.equals("fwd-status") {
        if value.equals("304") && outcome == .miss { outcome = .revalidated }
      } else if name.equals("collapsed") {
        isCollapsed = split == nil || value.equals("?1")
      } else if name.equals("ttl") {
        isOld = value.starts(with: "-1") || (TextNumber.whole(value) ?? 0) < 0
      }
    }
    if isCollapsed && outcome == .miss { return .collapsed }
    return isOld && outcome == .hit ? .staleHit : outcome
  }

  private static func word(_ text: TextSpan) -> Observation.CacheOutcome? {
    if let isHit = TextNumber.flag(text) { return isHit ? .hit : .miss }
    if text.isWord("error") || text.isWord("limitexceeded") || text.isWord("capacityexceeded") {
      return .error
    }
    if text.isWord("updating") || text.isWord("stale") || text.isWord("hit-stale") {
      return .staleHit
    }
    if text.isWord("refreshhit") || text.isWord("revalidated") || text.isWord("tcp_refresh_hit") {
      return .revalidated
    }
    if text.isWord("pass") || text.isWord("bypass") || text.isWord("dynamic")
      || text.isWord("redirect") || text.isWord("synth") || text.isWord("pipe")
    {
      return .bypass
    }
    if text.isWord("expired") { return .miss }
    // HIT-CLUSTER, OriginShieldHit, TCP_MEM_HIT, MISS-WAIT and the like.
    if text.holds("miss") { return .miss }
    return text.holds("hit") ? .hit : nil
  }
}

/// The field Server-Timing (W3C Server Timing, section 3): what of it is made anything of.
struct ServerTimingField {
  /// Seconds; not a number where no member says it.
  private(set) var total = Double.nan
  private(set) var upstream = Double.nan
  private(set) var roundTrip = Double.nan
  private(set) var outcome = Observation.CacheOutcome.unknown
  /// Whether any member has the form of one.
  private(set) var isPlausible = false

  init(_ text: TextSpan) {
    var start = 0
    while start < text.count {
      let end = ServerTimingField.end(text, start, 0x2C)
      take(text.part(start, end).trimmed)
      start = end + 1
    }
  }

  private static func end(_ text: TextSpan, _ start: Int, _ byte: UInt8) -> Int {
    var isQuoted = false
    for index in start..<text.count {
      if text.base[index] == 0x22 { isQuoted.toggle() }
      if text.base[index] == byte && !isQuoted { return index }
    }
    return text.count
  }

  private mutating func take(_ member: TextSpan) {
    var at = ServerTimingField.end(member, 0, 0x3B)
    let name = member.part(0, at).trimmed
    if name.isEmpty { return }
    isPlausible = true
    var duration = Double.nan
    var words = TextSpan(member.base, 0)
    while at < member.count {
      let end = ServerTimingField.end(member, at + 1, 0x3B)
      let parameter = member.part(at + 1, end).trimmed
      at = end
      guard let split = parameter.firstIndex(of: 0x3D) else { continue }
      let (key, value) = (parameter.part(0, split), parameter.from(split + 1))
      if key.isWord("dur"), let milliseconds = TextNumber.real(value), milliseconds >= 0 {
        duration = milliseconds / 1_000
      }
      if key.isWord("desc") {
        words = value[0] == 0x22 ? value.part(1, value.count - 1) : value
      }
    }
    if name.isWord("total") { total = duration }
    if name.isWord("origin") || name.isWord("cdn-upstream-fbl") { upstream = duration }
    if name.isWord("cdn-rtt") || name.isWord("rtt") { roundTrip = duration }
    if name.isWord("cdn-cache-hit") { outcome = .hit }
    if name.isWord("cdn-cache-miss") { outcome = .miss }
    if name.isWord("cdn-cache-refresh") { outcome = .revalidated }
    if name.isWord("cache") || name.isWord("cdn-cache"), let found = CacheField.outcome(words) {
      outcome = found
    }
  }
}
