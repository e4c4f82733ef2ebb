/// An IPv4 address in host byte order.
public struct IPv4Address: Hashable, Sendable, CustomStringConvertible {
  public var bits: UInt32

  public init(bits: UInt32) { self.bits = bits }

  /// Reads `a.b.c.d`; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard part.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let value = UInt8(part) else {
        return nil
      }
      bits = bits << 8 | UInt32(value)
    }
    self.bits = bits
  }

  public var description: String {
    "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
  }
}

/// A block of IPv4 addresses.
public struct IPv4Block: Equatable, Sendable, CustomStringConvertible {
  public let base: IPv4Address
  public let prefix: Int

  /// - Parameters:
  ///   - base: bits below the prefix are cleared.
  ///   - prefix: 8 to 30.
  public init(_ base: IPv4Address, prefix: Int) {
    precondition(prefix >= 8 && prefix <= 30, "a prefix of 8 to 30 bits, not \(prefix)")
    self.prefix = prefix
    self.base = IPv4Address(bits: base.bits & ~(UInt32(1) << UInt32(32 - prefix) - 1))
  }

  /// Addresses of the block.
  public var count: Int { 1 << (32 - prefix) }

  /// Number of an address in the block; nil for one outside.
  @inline(__always)
  public func host(of bits: UInt32) -> Int? {
    let offset = bits ^ base.bits
    return offset < UInt32(count) ? Int(offset) : nil
  }

  public subscript(host: Int) -> IPv4Address {
    precondition(host >= 0 && host < count, "a host below \(count), not \(host)")
    return IPv4Address(bits: base.bits | UInt32(host))
  }

  public var description: String { "\(base)/\(prefix)" }
}
