import Models

/// What the head of an answer says that players and reports use.
public struct LiveHeaders: Sendable, Hashable {
  public var status: Int
  /// Seconds; nil when absent or no number.
  public var age: Int64?
  public var contentLength: Int64?
  public var contentType: String?
  public var entityTag: String?
  public var lastModified: String?
  public var cacheControl: String?
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
      case 3 where name.isSame("age"): age = Int64(value)
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
      case 14 where name.isSame("content-length"): contentLength = Int64(value)
      case 14 where name.isSame("x-cache-status"):
        xCacheStatus = LiveHeaders.joined(xCacheStatus, value)
      default: break
      }
    }
    if let length = contentLength, length < 0 { contentLength = nil }
    verdict = CacheVerdict(self)
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
