import MediaUnits

/// What a cache did with a request, in the words of the `Cache-Status` field.
///
/// Source: RFC 9211 section 2; the form of names and strings, RFC 8941 section 3.3.
public struct CacheStatus: Sendable, Equatable {
  /// Why a request went forward (section 2.2).
  public enum Forward: UInt8, Sendable, Equatable {
    /// The cache was told not to handle the request.
    case bypass
    /// The method has to be forwarded.
    case method
    /// Nothing for this address.
    case uriMiss
    /// Something for this address, but not for these fields.
    case varyMiss
    /// Nothing, for either reason.
    case miss
    /// A fresh response that the request does not want.
    case request
    /// A stale response.
    case stale
    /// A part of what is wanted.
    case partial

    var word: StaticString {
      switch self {
      case .bypass: return "bypass"
      case .method: return "method"
      case .uriMiss: return "uri-miss"
      case .varyMiss: return "vary-miss"
      case .miss: return "miss"
      case .request: return "request"
      case .stale: return "stale"
      case .partial: return "partial"
      }
    }
  }

  /// The two ways in which a request is answered.
  public enum Outcome: Sendable, Equatable {
    /// From the cache, without forwarding.
    case hit
    /// By the next tier.
    case forwarded(Forward)
  }

  public var outcome: Outcome
  /// The status code that the next tier answered with, nil if unknown; only when forwarded.
  public var forwardStatus: UInt16?
  /// What is left of the lifetime, negative when stale; nil if unknown.
  public var remaining: TimeSpan?
  /// Whether the answer was stored; only when forwarded.
  public var isStored: Bool
  /// Whether the request was answered with another's; only when forwarded.
  public var isCollapsed: Bool

  public init(
    _ outcome: Outcome, forwardStatus: UInt16? = nil, remaining: TimeSpan? = nil,
    isStored: Bool = false, isCollapsed: Bool = false
  ) {
    self.outcome = outcome
    self.forwardStatus = forwardStatus
    self.remaining = remaining
    self.isStored = isStored
    self.isCollapsed = isCollapsed
  }

  /// Appends the member of this cache, such as `edge; fwd=stale; ttl=-3; collapsed`.
  ///
  /// - Parameters:
  ///   - name: the cache's name in ASCII: written as a token if it is one, else as a string, in
  ///     which a byte that no string may have becomes `?`.
  ///   - field: gets the bytes at its end, after a comma if it is not empty: the cache nearest to
  ///     the user comes last.
  public func write(name: [UInt8], into field: inout [UInt8]) {
    if !field.isEmpty { CacheStatus.append(", ", to: &field) }
    CacheStatus.append(name: name, to: &field)
    switch outcome {
    case .hit: CacheStatus.append("; hit", to: &field)
    case .forwarded(let reason):
      CacheStatus.append("; fwd=", to: &field)
      CacheStatus.append(reason.word, to: &field)
      if let forwardStatus {
        CacheStatus.append("; fwd-status=", to: &field)
        CacheStatus.append(Int64(forwardStatus), to: &field)
      }
    }
    if let remaining {
      CacheStatus.append("; ttl=", to: &field)
      CacheStatus.append(remaining.wholeSteps(of: .seconds(1)), to: &field)
    }
    if case .forwarded = outcome {
      if isStored { CacheStatus.append("; stored", to: &field) }
      if isCollapsed { CacheStatus.append("; collapsed", to: &field) }
    }
  }

  private static func append(_ word: StaticString, to field: inout [UInt8]) {
    word.withUTF8Buffer { field.append(contentsOf: $0) }
  }

  private static func append(_ number: Int64, to field: inout [UInt8]) {
    if number < 0 { field.append(UInt8(ascii: "-")) }
    let magnitude = number.magnitude
    var unit: UInt64 = 1
    while magnitude / unit >= 10 { unit *= 10 }
    while unit > 0 {
      field.append(UInt8(ascii: "0") + UInt8(magnitude / unit % 10))
      unit /= 10
    }
  }

  /// A token begins with a letter or `*` and may have `:` and `/` besides the usual bytes.
  private static func append(name: [UInt8], to field: inout [UInt8]) {
    var isToken = false
    for (index, byte) in name.enumerated() {
      let folded = byte | 0x20
      let isLetter = folded >= UInt8(ascii: "a") && folded <= UInt8(ascii: "z")
      let isInside =
        FieldText.isTokenByte(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/")
      isToken = index == 0 ? isLetter || byte == UInt8(ascii: "*") : isToken && isInside
    }
    if isToken {
      field.append(contentsOf: name)
      return
    }
    field.append(UInt8(ascii: "\""))
    for byte in name {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        field.append(UInt8(ascii: "\\"))
      }
      field.append(byte >= 0x20 && byte <= 0x7E ? byte : UInt8(ascii: "?"))
    }
    field.append(UInt8(ascii: "\""))
  }
}
