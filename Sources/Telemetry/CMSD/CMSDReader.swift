/// Reads Common Media Server Data (CTA-5006) out of the headers of answers.
///
/// `CMSD-Static` is a dictionary of structured fields (RFC 8941), `ot=v,br=3200,n="origin"`;
/// `CMSD-Dynamic` a list whose members are servers in the order in which the answer passed them,
/// the origin's side first: `"CDNB-3ak1";etp=96;rtt=8`. A member that is a pair, `n="x"`, is read
/// as its value.
///
/// It is total: a value that its key cannot have, a member that is none, and whatever is beyond the
/// limits is counted, the first ones are named, and the rest is read. Keys of nobody's are counted
/// and passed over, those with a hyphen are somebody's own.
public struct CMSDReader: Sendable {
  /// What came by, over all headers.
  public struct Report: Sendable, Equatable {
    /// Headers of each kind.
    public var objects = 0
    public var hops = 0
    public var keys = 0
    public var unknown = 0
    public var custom = 0
    /// Members and keys that cannot be, and headers beyond a limit.
    public var malformed = 0
    /// What was wrong with the first of them, as `CMSD-Static br: expected …, got …`.
    public var examples: [String] = []

    public init() {}
  }

  /// The most bytes of a header that are read.
  public static let longestHeader = 4_096
  /// The most servers of a header, and the most keys of a server or an object.
  public static let mostHops = 32
  public static let mostKeys = 64
  /// The longest text that is kept, in bytes.
  public static let longestText = 256
  static let mostExamples = 8

  public private(set) var report = Report()
  private var header = ""

  public init() {}

  /// Reads `CMSD-Static`; several lines of it are joined by commas.
  public mutating func object(_ text: String) -> CMSDObject {
    header = "CMSD-Static"
    report.objects += 1
    var object = CMSDObject()
    var cursor = CMSDCursor(admitted(text))
    var count = 0
    while !cursor.isAtEnd {
      count += 1
      if count > CMSDReader.mostKeys {
        fault("", "at most \(CMSDReader.mostKeys) keys", "more")
        break
      }
      let place = cursor.place
      if let name = cursor.key(), let value = cursor.assigned(), cursor.skipsParameters(),
        cursor.endsMember()
      {
        take(name, value, into: &object)
      } else {
        noMember(&cursor, from: place)
      }
    }
    return object
  }

  /// Reads `CMSD-Dynamic`; several lines of it are joined by commas.
  public mutating func hops(_ text: String) -> [CMSDHop] {
    header = "CMSD-Dynamic"
    report.hops += 1
    var hops: [CMSDHop] = []
    var cursor = CMSDCursor(admitted(text))
    while !cursor.isAtEnd {
      if hops.count == CMSDReader.mostHops {
        fault("", "at most \(CMSDReader.mostHops) servers", "more")
        break
      }
      let place = cursor.place
      if let name = cursor.serverName(), let hop = hop(kept(name), &cursor), cursor.endsMember() {
        hops.append(hop)
      } else {
        noMember(&cursor, from: place)
      }
    }
    return hops
  }

  /// The parameters of a server; nil when they are none.
  private mutating func hop(_ name: String, _ cursor: inout CMSDCursor) -> CMSDHop? {
    var hop = CMSDHop(name: name)
    var count = 0
    while cursor.take(0x3B) {
      cursor.skipBlanks()
      guard let name = cursor.key(), let value = cursor.assigned() else { return nil }
      count += 1
      // The rest is passed over.
      if count <= CMSDReader.mostKeys { take(name, value, into: &hop) }
    }
    if count > CMSDReader.mostKeys { fault("", "at most \(CMSDReader.mostKeys) keys", "more") }
    return hop
  }

  // MARK: Keys

  private mutating func take(
    _ name: ArraySlice<UInt8>, _ value: CMSDCursor.Value, into object: inout CMSDObject
  ) {
    guard let key = known(name) else { return }
    switch (key, checked(key, value)) {
    case (_, nil): return
    case (.br, .number(let number)?): object.bitrate = number * 1_000
    case (.d, .number(let number)?): object.duration = number / 1_000
    case (.ht, .number(let number)?): object.heldTime = number / 1_000
    case (.at, .number(let number)?): object.availableAt = number / 1_000
    case (.v, .number(let number)?): object.version = Int(number)
    case (.n, .text(let text)?): object.name = kept(text)
    case (.nor, .text(let text)?): object.next = kept(text)
    case (.nrr, .text(let text)?): object.nextRange = kept(text)
    case (.ot, .text(let text)?): object.objectType = kept(text)
    case (.sf, .text(let text)?): object.format = kept(text)
    case (.st, .text(let text)?): object.streamType = kept(text)
    case (.su, .flag(let isOn)?): object.isForStartup = isOn
    default: fault(key.name, "a key of CMSD-Dynamic there", "it in CMSD-Static")
    }
  }

  private mutating func take(
    _ name: ArraySlice<UInt8>, _ value: CMSDCursor.Value, into hop: inout CMSDHop
  ) {
    guard let key = known(name) else { return }
    switch (key, checked(key, value)) {
    case (_, nil): return
    case (.etp, .number(let number)?): hop.throughput = number * 1_000
    case (.mb, .number(let number)?): hop.suggestedBitrate = number * 1_000
    case (.rd, .number(let number)?): hop.responseDelay = number / 1_000
    case (.rtt, .number(let number)?): hop.roundTrip = number / 1_000
    case (.du, .flag(let isOn)?): hop.isUnderDuress = isOn
    case (.n, .text(let text)?): hop.name = kept(text)
    // An object's keys beside a server's are its own affair.
    default: break
    }
  }

  private mutating func known(_ name: ArraySlice<UInt8>) -> CMSDKey? {
    if let key = CMSDKey.named(name) { return key }
    if name.contains(0x2D) { report.custom += 1 } else { report.unknown += 1 }
    return nil
  }

  /// A value that the key can have; nil, and counted, for any other.
  private mutating func checked(
    _ key: CMSDKey, _ value: CMSDCursor.Value
  ) -> CMSDCursor.Value? {
    let result: CMSDCursor.Value?
    let expected: String
    switch (key.form, value) {
    case (.whole, .number(let number)):
      let isWhole = number >= 0 && number < 1e15 && number == number.rounded(.towardZero)
      (result, expected) = (isWhole ? value : nil, "a whole number, not negative")
    case (.flag, .flag): (result, expected) = (value, "")
    case (.string, .text): (result, expected) = (value, "")
    case (.token(let words), .text(let text)):
      let isOne = words.description.utf8.split(separator: 0x20).contains { $0.elementsEqual(text) }
      (result, expected) = (isOne ? value : nil, "one of \(words)")
    case (.whole, _): (result, expected) = (nil, "a whole number, not negative")
    case (.flag, _): (result, expected) = (nil, "the key alone, ?1 or ?0")
    case (.token(let words), _): (result, expected) = (nil, "one of \(words)")
    default: (result, expected) = (nil, "a text in quotation marks")
    }
    if result == nil {
      fault(key.name, expected, value.description)
    } else {
      report.keys += 1
    }
    return result
  }

  // MARK: What is wrong

  private mutating func admitted(_ text: String) -> ArraySlice<UInt8> {
    let bytes = Array(text.utf8.prefix(CMSDReader.longestHeader + 1))
    if bytes.count <= CMSDReader.longestHeader { return bytes[...] }
    fault("", "at most \(CMSDReader.longestHeader) bytes", "more")
    // The last member may be cut.
    let end = bytes.lastIndex(of: 0x2C) ?? 0
    return bytes[..<end]
  }

  private mutating func noMember(_ cursor: inout CMSDCursor, from place: Int) {
    fault("", "a member of structured fields", cursor.restOfMember(from: place))
  }

  private mutating func fault(_ key: String, _ expected: String, _ got: String) {
    report.malformed += 1
    if report.examples.count < CMSDReader.mostExamples {
      let name = key.isEmpty ? header : "\(header) \(key)"
      report.examples.append("\(name): expected \(expected), got \(got)")
    }
  }

  private func kept(_ text: ArraySlice<UInt8>) -> String {
    String(decoding: text.prefix(CMSDReader.longestText), as: UTF8.self)
  }
}
