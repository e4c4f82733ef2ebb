import MediaUnits

/// Reads `Cache-Control` fields of a response into ``CacheDirectives``.
///
/// Total: any bytes give some directives. Names are compared in any case; an argument may be a
/// token or a quoted string. An invalid `max-age` or `s-maxage` counts as zero, so that the
/// response is stale; an invalid window counts as none. Of duplicates the first counts. A directive
/// that restricts caching counts even with a malformed argument, one that permits it does not. A
/// quoted string that never ends is read as if it were not one, so that what comes after it still
/// counts.
///
/// Source: RFC 9111 sections 1.2.2, 4.2.1 and 5.2; RFC 5861; RFC 8246.
public struct CacheControlParser: Sendable, Equatable {
  /// What the fields so far say.
  public private(set) var directives = CacheDirectives()
  /// List members that are not a directive, or a known directive with an invalid argument.
  public private(set) var malformed = 0
  private var hasStaleWhileRevalidate = false
  private var hasStaleIfError = false

  /// A parser that has read nothing.
  public init() {}

  /// The directives of one field value.
  public static func parse(_ value: [UInt8]) -> CacheDirectives {
    var parser = CacheControlParser()
    value.withUnsafeBufferPointer { parser.add($0) }
    return parser.directives
  }

  /// Reads one more field value; several field lines count as one list.
  public mutating func add(_ value: UnsafeBufferPointer<UInt8>) {
    var text = FieldText(value)
    while true {
      text.skipBlanks()
      if text.isAtEnd { return }
      if text.take(UInt8(ascii: ",")) { continue }
      readMember(&text)
    }
  }

  /// An argument as it was found.
  private enum Argument {
    case absent
    case value(Range<Int>)
    case malformed
  }

  private mutating func readMember(_ text: inout FieldText) {
    let name = text.takeToken()
    var argument = Argument.absent
    if text.take(UInt8(ascii: "=")) {
      if let inside = text.takeQuoted() {
        argument = .value(inside)
      } else {
        argument = .value(text.takeToken())
      }
    }
    text.skipBlanks()
    if !text.isAtEnd && text.next != UInt8(ascii: ",") {
      argument = .malformed
      text.skipMember()
    }
    if name.isEmpty {
      malformed += 1
    } else {
      note(name, argument, in: text.bytes)
    }
  }

  private mutating func note(
    _ name: Range<Int>, _ argument: Argument, in bytes: UnsafeBufferPointer<UInt8>
  ) {
    func isNamed(_ word: StaticString) -> Bool { FieldText.isEqual(bytes, name, word) }
    if isNamed("max-age") {
      let span = seconds(argument, in: bytes) ?? .zero
      if directives.maxAge == nil { directives.maxAge = span }
    } else if isNamed("s-maxage") {
      let span = seconds(argument, in: bytes) ?? .zero
      if directives.sharedMaxAge == nil { directives.sharedMaxAge = span }
    } else if isNamed("stale-while-revalidate") {
      let span = seconds(argument, in: bytes)
      if !hasStaleWhileRevalidate { directives.staleWhileRevalidate = span ?? .zero }
      hasStaleWhileRevalidate = true
    } else if isNamed("stale-if-error") {
      let span = seconds(argument, in: bytes)
      if !hasStaleIfError {
        directives.staleIfError = span ?? .zero
        if span == .zero { directives.options.insert(.noStaleIfError) }
      }
      hasStaleIfError = true
    } else if isNamed("no-store") {
      directives.options.insert(.noStore)
    } else if isNamed("no-cache") {
      directives.options.insert(.noCache)
    } else if isNamed("must-revalidate") {
      directives.options.insert(.mustRevalidate)
    } else if isNamed("proxy-revalidate") {
      directives.options.insert(.proxyRevalidate)
    } else if isNamed("private") {
      directives.options.insert(.isPrivate)
    } else if isNamed("public") {
      permit(.isPublic, argument)
    } else if isNamed("immutable") {
      permit(.immutable, argument)
    } else if isNamed("must-understand") {
      permit(.mustUnderstand, argument)
    }
  }

  private mutating func permit(_ option: CacheDirectives.Options, _ argument: Argument) {
    if case .malformed = argument {
      malformed += 1
    } else {
      directives.options.insert(option)
    }
  }

  private mutating func seconds(
    _ argument: Argument, in bytes: UnsafeBufferPointer<UInt8>
  ) -> TimeSpan? {
    if case .value(let range) = argument, let span = FieldText.deltaSeconds(bytes, range) {
      return span
    }
    malformed += 1
    return nil
  }
}
