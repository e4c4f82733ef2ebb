import CallSignalling

/// Messages of call signalling as text frames: words with spaces between.
///
/// `type call from to payload…` with `-` for what is absent; the call in 32 hexadecimal digits. A
/// payload is `none`, `opaque BYTES DIGEST`, `registration ROLE TOKEN`, `presence USER 0|1`,
/// `reason WORD` or `fault WORD`. Descriptions and candidates are a length and a digest here too,
/// so that no recording of a run can hold them (ICC-051).
public enum CallWire {
  private static let types = words(MessageType.allCases)
  private static let reasons = words(EndReason.allCases)
  private static let faults = words(EnvelopeFault.allCases)
  private static let roles = words(Role.allCases)

  private static func words<Value: Sendable>(_ values: [Value]) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: values.map { ("\($0)", $0) })
  }

  /// The text of a message.
  public static func text(_ envelope: Envelope) -> String {
    let call = envelope.call.map { hex($0.high) + hex($0.low) } ?? "-"
    let from = envelope.from.map { String($0.index) } ?? "-"
    let to = envelope.to.map { String($0.index) } ?? "-"
    return "\(envelope.type) \(call) \(from) \(to) \(text(envelope.payload))"
  }

  private static func hex(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func text(_ payload: Payload) -> String {
    switch payload {
    case .none: "none"
    case .opaque(let bytes, let digest): "opaque \(bytes) \(digest)"
    case .registration(let role, let token): "registration \(role) \(token)"
    case .presence(let user, let isAvailable): "presence \(user.index) \(isAvailable ? 1 : 0)"
    case .reason(let reason): "reason \(reason)"
    case .fault(let fault): "fault \(fault)"
    }
  }

  /// The message of a text; nil when it is none.
  public static func envelope(_ text: String) -> Envelope? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 5, let type = types[String(words[0])],
      let call = absent(words[1], Self.call), let from = absent(words[2], user),
      let to = absent(words[3], user), let payload = payload(words[4...])
    else { return nil }
    return Envelope(type, call: call, from: from, to: to, payload: payload)
  }

  private static func absent<Value>(
    _ word: Substring, _ read: (Substring) -> Value?
  ) -> Value?? {
    if word == "-" { return .some(nil) }
    return read(word).map { .some($0) }
  }

  private static func call(_ word: Substring) -> CallID? {
    guard word.utf8.count == 32, let high = UInt64(word.prefix(16), radix: 16),
      let low = UInt64(word.suffix(16), radix: 16)
    else { return nil }
    return CallID(high: high, low: low)
  }

  private static func user(_ word: Substring) -> UserID? { UInt32(word).map { UserID($0) } }

  private static func payload(_ words: ArraySlice<Substring>) -> Payload? {
    let words = Array(words)
    switch (words[0], words.count) {
    case ("none", 1): return Payload.none
    case ("opaque", 3):
      guard let bytes = UInt32(words[1]), let digest = UInt64(words[2]) else { return nil }
      return .opaque(bytes: bytes, digest: digest)
    case ("registration", 3):
      guard let role = roles[String(words[1])], let token = UInt64(words[2]) else { return nil }
      return .registration(role, token: token)
    case ("presence", 3):
      guard let user = user(words[1]), words[2] == "0" || words[2] == "1" else { return nil }
      return .presence(user, isAvailable: words[2] == "1")
    case ("reason", 2): return reasons[String(words[1])].map { .reason($0) }
    case ("fault", 2): return faults[String(words[1])].map { .fault($0) }
    default: return nil
    }
  }
}
