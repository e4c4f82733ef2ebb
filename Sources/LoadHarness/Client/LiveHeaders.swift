import MediaUnits
import Models

/// What the head of an answer says that players and reports use.
public struct LiveHeaders: Sendable, Hashable {
  public var status: Int
  /// Seconds; nil when absent or not to be believed.
  public var age: Int64?
  public var contentLength: Int64?
  /// Numbers that are not to be believed, or none, each kind once.
  public private(set) var refused: [StatedNumber] = []
  public var contentType: String?
  public var entityTag: String?
  public var lastModified: String?
  public var cacheControl: String?
  /// What `cacheControl` says of a device's cache: zero where nothing may be kept, nil where it
  /// does not say. More than is believed counts as the most of it (RFC 9111 section 1.2.2).
  public private(set) var lifetime: TimeSpan?
  public var location: String?
  public var contentRange: String?
  /// The raw fields that ``verdict`` was read from; several fields of a name are joined by commas.
  public var cacheStatus: String?
  public var xCacheStatus: String?
  public var xCache: String?
  public var xVarnish: String?
  /// Common Media Server Data (CTA-5006), likewise joined.
  public var cmsdStatic: String?
  public var cmsdDynamic: String?
  /// Redirects followed on the way here.
  public var redirects = 0
  /// What the nearest cache did, as far as it says.
  public var verdict: CacheVerdict

  /// - Parameter fields: names in any case.
  init(status: Int, fields: some Sequence<(name: String, value: String)>) {
    self.status = status
    verdict = CacheVerdict(outcome: nil, evidence: .none)
    for (name, value) in fields {
      switch name.utf8.count {
      case 3 where name.isSame("age"): age = read(.age, value)
      case 4 where name.isSame("etag"): entityTag = value
      case 7 where name.isSame("x-cache"): xCache = LiveHeaders.joined(xCache, value)
      case 8 where name.isSame("location"): location = value
      case 9 where name.isSame("x-varnish"): xVarnish = value
      case 11 where name.isSame("cmsd-static"):
        cmsdStatic = LiveHeaders.joined(cmsdStatic, value)
      case 12 where name.isSame("cmsd-dynamic"):
        cmsdDynamic = LiveHeaders.joined(cmsdDynamic, value)
      case 12 where name.isSame("content-type"): contentType = value
      case 12 where name.isSame("cache-status"):
        cacheStatus = LiveHeaders.joined(cacheStatus, value)
      case 13 where name.isSame("cache-control"):
        cacheControl = LiveHeaders.joined(cacheControl, value)
      case 13 where name.isSame("last-modified"): lastModified = value
      case 13 where name.isSame("content-range"): contentRange = value
      case 14 where name.isSame("content-length"):
        contentLength = read(.contentLength, value)
      case 14 where name.isSame("x-cache-status"):
        xCacheStatus = LiveHeaders.joined(xCacheStatus, value)
      default: break
      }
    }
    if let cacheControl { lifetime = readLifetime(cacheControl) }
    verdict = CacheVerdict(self)
  }

  private mutating func read(_ kind: StatedNumber, _ text: String) -> Int64? {
    switch kind.read(text) {
    case .value(let value): return value
    case .refused:
      refuse(kind)
      return nil
    }
  }

  private mutating func readLifetime(_ cacheControl: String) -> TimeSpan? {
    for part in cacheControl.split(separator: ",") {
      let word = part.drop { $0 == " " || $0 == "\t" }.lowercased()
      let name = word.prefix { $0 != "=" && $0 != " " && $0 != "\t" }
      if name == "no-store" || name == "no-cache" { return .zero }
      guard name == "max-age", word.count > 8 else { continue }
      let digits = word.dropFirst(8).filter { $0 != " " && $0 != "\t" }
      if let seconds = read(.maxAge, digits) { return .seconds(seconds) }
      let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
      return isNumber ? .seconds(StatedNumber.maxAge.most) : nil
    }
    return nil
  }

  private mutating func refuse(_ kind: StatedNumber) {
    if !refused.contains(kind) { refused.append(kind) }
  }

  private static func joined(_ before: String?, _ value: String) -> String {
    guard let before else { return value }
    return before + ", " + value
  }
}

extension String {
  /// Whether the text is the word in any ASCII case; the word is in lower case.
  func isSame(_ word: String) -> Bool {
    utf8.elementsEqual(word.utf8) { byte, expected in
      byte == expected || (byte >= 0x41 && byte <= 0x5A && byte | 0x20 == expected)
    }
  }
}
