import Models

/// How eviction policies, admission rules and capacities are written on a command line.
public enum CacheWords {
  /// The policies in a message.
  public static let policies =
    "lru, fifo, clock:BITS (1 to 8), sieve, s3-fifo, s3-fifo:paper, lfu, arc, 2q, slru:N (1 to "
    + "64), gdsf, w-tinylfu, w-tinylfu:wide, lookahead:REQUESTS (0 to 2147483647), belady, infinite"
  /// The admission rules in a message.
  public static let admissions = "all, size:BYTES, bloom, prob:P"

  /// The words without a parameter.
  private static let plain: [(String, EvictionKind)] = [
    ("lru", .lru), ("fifo", .fifo), ("sieve", .sieve), ("s3-fifo", .s3FIFO(.libCacheSim)),
    ("s3-fifo:paper", .s3FIFO(.paper)), ("lfu", .lfu), ("arc", .arc), ("2q", .twoQ),
    ("gdsf", .gdsf), ("w-tinylfu", .wTinyLFU), ("w-tinylfu:wide", .wTinyLFUWide),
    ("belady", .belady), ("infinite", .infinite),
  ]

  /// The policy called `text`.
  /// - Throws: ``QuantityFault`` with what was probably meant.
  public static func policy(_ text: String) throws(QuantityFault) -> EvictionKind {
    if let found = plain.first(where: { $0.0 == text }) { return found.1 }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let number = parts.count == 2 ? Int(parts[1]) : nil
    if parts[0] == "clock" {
      guard let number, (1...8).contains(number) else {
        throw QuantityFault(.outOfRange, expected: "clock:BITS with 1 to 8 bits")
      }
      return .clock(bits: number)
    }
    if parts[0] == "slru" {
      guard let number, (1...64).contains(number) else {
        throw QuantityFault(.outOfRange, expected: "slru:N with 1 to 64 segments")
      }
      return .slru(segments: number)
    }
    if parts[0] == "lookahead" {
      guard let number, (0...Int(Int32.max)).contains(number) else {
        throw QuantityFault(
          .outOfRange, expected: "lookahead:REQUESTS with 0 to \(Int32.max) requests")
      }
      return .lookahead(window: number)
    }
    let words = plain.map(\.0) + ["clock:2", "slru:4", "lookahead:1000"]
    throw QuantityFault(
      .wrongWord, expected: "one of \(policies)",
      suggestion: Spelling.nearest(to: text.lowercased(), in: words))
  }

  /// The word for a policy; ``policy(_:)`` reads it back.
  public static func text(_ kind: EvictionKind) -> String {
    switch kind {
    case .clock(let bits): "clock:\(bits)"
    case .slru(let segments): "slru:\(segments)"
    case .lookahead(let window): "lookahead:\(window)"
    default: plain.first { $0.1 == kind }?.0 ?? ""
    }
  }

  /// The admission rule called `text`.
  public static func admission(_ text: String) throws(QuantityFault) -> CacheAdmission {
    let fault = QuantityFault(.wrongWord, expected: "one of \(admissions)")
    if text == "all" { return .all }
    if text == "bloom" { return .bloom }
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    if parts.count != 2 { throw fault }
    if parts[0] == "size" { return .size(atMost: try bytes(parts[1])) }
    if parts[0] == "prob" { return .probability(try PlainNumber.ratio(of: parts[1])) }
    throw fault
  }

  /// A number of bytes, with a unit or without.
  static func bytes(_ text: String) throws(QuantityFault) -> Int64 {
    let value: Int64
    if let plain = try? PlainNumber.integer(of: text) {
      value = plain
    } else {
      value = try Quantity.bytes.value(of: text)
    }
    guard value > 0, value <= CacheTraceBuilder.byteLimit else {
      throw QuantityFault(
        .outOfRange, expected: "a size from 1 byte to \(Quantity.bytes.text(1 << 60))")
    }
    return value
  }
}
