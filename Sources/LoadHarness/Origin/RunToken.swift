/// A secret that a run is administered by. An address would not do: whatever stands in front of a
/// server, an edge or a tunnel, asks from this machine for everybody.
public struct RunToken: Sendable, Equatable {
  public let text: String

  /// One that nobody can guess: 128 bits of the system's.
  public init() {
    var source = SystemRandomNumberGenerator()
    text = (0..<2).map { _ in
      let digits = String(source.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// One that somebody has made; nil for fewer than sixteen characters, or others than letters,
  /// digits and `-._~+/=`.
  public init?(_ text: String) {
    let isGood = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-._~+/=".utf8.contains(byte)
    }
    if text.utf8.count < 16 || !isGood { return nil }
    self.text = text
  }

  /// Whether a request's `Authorization` names it (RFC 6750 section 2.1). The time that this takes
  /// says nothing about where two tokens differ.
  func isIn(_ authorization: String?) -> Bool {
    guard let authorization, authorization.utf8.count == 7 + text.utf8.count,
      authorization.prefix(7).lowercased() == "bearer "
    else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(authorization.utf8.dropFirst(7), text.utf8) { difference |= a ^ b }
    return difference == 0
  }
}
