import Foundation

/// A file that a page is handed.
public struct BrowserFile: Sendable, Equatable {
  /// Its media type.
  public var type: String
  public var bytes: [UInt8]

  public init(type: String, bytes: [UInt8]) {
    self.type = type
    self.bytes = bytes
  }
}

/// Files that a page finds under a path of whatever host it is on.
///
/// No request for them leaves the browser, and no connection is opened for them: what the page asks
/// of the host afterwards begins with a name look-up and a handshake, as an app's first request.
public struct BrowserPageFiles: Sendable, Equatable {
  /// Begins and ends with a slash.
  public let path: String
  private let files: [String: BrowserFile]

  /// - Parameter files: by the names that stand behind the path.
  public init(under path: String, _ files: [String: BrowserFile]) {
    self.path = path
    self.files = files
  }

  /// What the protocol calls the addresses that are answered from here.
  var pattern: String { "*\(path)*" }

  /// The answer to a request for an address, as the protocol has it: 404 where there is no file.
  func answer(to url: String, id: String) -> [String: DevToolsValue] {
    let name = url.range(of: path).map { url[$0.upperBound...].prefix { $0 != "?" && $0 != "#" } }
    guard let file = name.flatMap({ files[String($0)] }) else {
      return ["requestId": .text(id), "responseCode": 404]
    }
    return [
      "requestId": .text(id), "responseCode": 200,
      "responseHeaders": .list([
        .map(["name": "Content-Type", "value": .text(file.type)]),
        .map(["name": "Cache-Control", "value": "no-store"]),
      ]),
      "body": .text(Data(file.bytes).base64EncodedString()),
    ]
  }
}
