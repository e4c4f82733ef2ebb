import MediaUnits

/// Reads `CDN-Cache-Control`, which stands in the place of `Cache-Control` and `Expires` for caches
/// that know it.
///
/// The field is a Dictionary of Structured Fields: one error anywhere and it says nothing. Known
/// directives whose values have the wrong type are overlooked.
///
/// Source: RFC 9213 sections 2.1 and 2.2; RFC 8941 sections 3.2 and 4.2.
public struct TargetedControl: Sendable, Equatable {
  private var found = CacheDirectives()
  private var isValid = true
  private var isEmpty = true

  public init() {}

  /// What the fields say; nil when they are absent, empty or malformed.
  public var directives: CacheDirectives? { isValid && !isEmpty ? found : nil }

  /// Reads one more line; several lines count as one list.
  public mutating func add(_ value: UnsafeBufferPointer<UInt8>) {
    var text = FieldText(value)
    text.skipBlanks()
    while isValid && !text.isAtEnd {
      isValid = readMember(&text)
      text.skipBlanks()
      if text.isAtEnd { return }
      if !text.take(UInt8(ascii: ",")) { isValid = false }
      text.skipBlanks()
      // No comma at the end.
      if text.isAtEnd { isValid = false }
    }
  }

  private enum Item {
    case yes
    case no
    case whole(Int64)
    case other
  }

  private mutating func readMember(_ text: inout FieldText) -> Bool {
    let start = text.position
    guard let first = text.next, isKeyStart(first) else { return false }
    while let byte = text.next, isKeyByte(byte) { text.position += 1 }
    let key = start..<text.position
    var item = Item.yes
    if text.take(UInt8(ascii: "=")) {
      guard let read = TargetedControl.readItem(&text) else { return false }
      item = read
    }
    guard TargetedControl.skipParameters(&text) else { return false }
    isEmpty = false
    note(key, item, in: text.bytes)
    return true
  }

  /// Of duplicates the last counts (RFC 8941 section 4.2.2).
  private mutating func note(
    _ key: Range<Int>, _ item: Item, in bytes: UnsafeBufferPointer<UInt8>
  ) {
    func isNamed(_ word: StaticString) -> Bool { FieldText.isEqual(bytes, key, word) }
    if case .whole(let number) = item {
      let span = TimeSpan.seconds(max(0, min(number, 1 << 31)))
      if isNamed("max-age") { found.maxAge = span }
      if isNamed("s-maxage") { found.sharedMaxAge = span }
      if isNamed("stale-while-revalidate") { found.staleWhileRevalidate = span }
      if isNamed("stale-if-error") { found.staleIfError = span }
      return
    }
    var option: CacheDirectives.Options = []
    if isNamed("no-store") { option = .noStore }
    if isNamed("no-cache") { option = .noCache }
    if isNamed("private") { option = .isPrivate }
    if isNamed("public") { option = .isPublic }
    if isNamed("must-revalidate") { option = .mustRevalidate }
    if isNamed("proxy-revalidate") { option = .proxyRevalidate }
    if isNamed("immutable") { option = .immutable }
    if isNamed("must-understand") { option = .mustUnderstand }
    switch item {
    case .yes: found.options.insert(option)
    case .no: found.options.remove(option)
    case .whole, .other: break
    }
  }

  // MARK: Structured fields

  private func isKeyStart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
  }

  private func isKeyByte(_ byte: UInt8) -> Bool {
    isKeyStart(byte) || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  /// An item of a type that a directive may have, or another scalar; nil when malformed. Inner
  /// lists and byte sequences are taken as malformed: no directive has such a value.
  private static func readItem(_ text: inout FieldText) -> Item? {
    guard let byte = text.next else { return nil }
    switch byte {
    case UInt8(ascii: "?"):
      text.position += 1
      if text.take(UInt8(ascii: "1")) { return .yes }
      return text.take(UInt8(ascii: "0")) ? .no : nil
    case UInt8(ascii: "\""): return text.takeQuoted() == nil ? nil : .other
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return readNumber(&text)
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "*"):
      while let byte = text.next,
        FieldText.isTokenByte(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/")
      {
        text.position += 1
      }
      return .other
    default: return nil
    }
  }

  /// An integer of at most 15 digits, or a decimal of at most 12 and 3.
  private static func readNumber(_ text: inout FieldText) -> Item? {
    let isNegative = text.take(UInt8(ascii: "-"))
    let whole = takeDigits(&text)
    if whole.isEmpty || whole.count > 15 { return nil }
    if text.take(UInt8(ascii: ".")) {
      let rest = takeDigits(&text)
      return whole.count > 12 || rest.isEmpty || rest.count > 3 ? nil : .other
    }
    return FieldText.decimal(text.bytes, whole, limit: .max).map { .whole(isNegative ? -$0 : $0) }
  }

  private static func takeDigits(_ text: inout FieldText) -> Range<Int> {
    let start = text.position
    while let byte = text.next, byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
      text.position += 1
    }
    return start..<text.position
  }

  private static func skipParameters(_ text: inout FieldText) -> Bool {
    while text.take(UInt8(ascii: ";")) {
      while text.take(UInt8(ascii: " ")) {}
      guard let byte = text.next,
        byte == UInt8(ascii: "*") || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
      else { return false }
      _ = text.takeToken()
      if text.take(UInt8(ascii: "=")) && readItem(&text) == nil { return false }
    }
    return true
  }
}
