import CachePolicy
import Foundation
import MediaUnits

/// Vectors in `Tests/Reference/cache/http`.
struct VectorFile {
  let url: URL

  init(_ name: String) {
    url =
      URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "../Reference/cache/http/\(name)").standardized
  }

  func object() throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
    return object as? [String: Any] ?? [:]
  }
}

func whole(_ value: Any?) -> Int64? { (value as? NSNumber)?.int64Value }

extension Instant {
  static func at(_ seconds: Int64) -> Instant { .zero.advanced(saturatingBy: .seconds(seconds)) }
  static func at(milliseconds: Int64) -> Instant {
    .zero.advanced(saturatingBy: .milliseconds(milliseconds))
  }
}

/// A response head from header text; `received` in seconds since 1970.
func head(
  _ fields: [(String, String)], status: UInt16 = 200, received: Int64 = 1_700_000_000
) -> ResponseHead {
  var reader = ResponseHeadReader(status: status, receivedAt: received)
  for (name, value) in fields { reader.add(name: Array(name.utf8), value: Array(value.utf8)) }
  return reader.head
}

/// The directives of one `Cache-Control` value.
func directives(_ text: String) -> CacheDirectives { CacheControlParser.parse(Array(text.utf8)) }
