import Foundation

/// Looks for what no log, trace, result or report may hold: descriptions of sessions, candidates,
/// and statistics of media that belong to somebody (ICC-051).
public enum PrivacyLint {
  /// One thing that must not be there.
  public struct Finding: Sendable, Equatable {
    /// From 1.
    public let line: Int
    public let what: String
  }

  /// A file with findings.
  public struct File: Sendable, Equatable {
    public let path: String
    public let findings: [Finding]
  }

  /// Lines of a session description (RFC 8866) and of ICE in one (RFC 8839). Each stands for itself
  /// in a text and escaped within JSON.
  private static let description: [(String, String)] = [
    (#"(^|\\r\\n|\\n|[\s"'>])v=0(\\r|\\n|\s)"#, "a session description"),
    (#"(^|\\n|[\s"'>])m=(audio|video|application) \d+ "#, "a session description"),
    (#"(^|\\n|[\s"'>])o=\S+ \d+ \d+ IN IP[46] "#, "a session description"),
    (
      #"a=(ice-ufrag|ice-pwd|fingerprint|rtpmap|setup|mid|ssrc|candidate)\b"#,
      "a session description"
    ),
    (#"candidate:\S+ \d+ (udp|tcp|UDP|TCP) \d+ \S+ \d+ typ "#, "a candidate"),
    (#"\btyp (host|srflx|prflx|relay)\b"#, "a candidate"),
  ]

  private static let whose =
    #"["']?\b(user|userId|username|from|to|peer|callId|lastCallId|lastRemoteUser|token)\b"#
    + #"["']?\s*[:=]"#
  private static let media =
    #"["']?\b(packetLoss|packetsLost|fractionLost|jitter|roundTripTime|framesPerSecond|frameRate|"#
    + #"frame_rate|bitrate|bytesReceived|bytesSent|nackCount|pliCount|freezeCount)\b["']?\s*[:=]"#

  /// What a text holds that it must not.
  public static func findings(in text: String) -> [Finding] {
    var found: [Finding] = []
    var number = 0
    text.enumerateLines { line, _ in
      number += 1
      for (pattern, what) in description
      where line.range(of: pattern, options: .regularExpression) != nil {
        found.append(Finding(line: number, what: what))
        break
      }
      // An object of JSON on one line, or a line of a log, that says whose and how good.
      for part in line.split(whereSeparator: { $0 == "{" || $0 == "}" })
      where part.range(of: whose, options: .regularExpression) != nil
        && part.range(of: media, options: .regularExpression) != nil
      {
        found.append(Finding(line: number, what: "statistics of somebody's media"))
        break
      }
    }
    return found + nested(text)
  }

  /// JSON that is written over several lines.
  private static func nested(_ text: String) -> [Finding] {
    guard text.contains("\n"), let first = text.first(where: { !$0.isWhitespace }),
      first == "{" || first == "[",
      let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    else { return [] }
    return isOwned(value) ? [Finding(line: 1, what: "statistics of somebody's media")] : []
  }

  private static func isOwned(_ value: Any) -> Bool {
    if let list = value as? [Any] { return list.contains { isOwned($0) } }
    guard let object = value as? [String: Any] else { return false }
    func has(_ pattern: String) -> Bool {
      object.keys.contains { "\($0):".range(of: pattern, options: .regularExpression) != nil }
    }
    return has(whose) && has(media) || object.values.contains { isOwned($0) }
  }

  /// Every file of a folder and the folders in it; bytes that are no text are read as if they were.
  public static func files(in folder: String) throws -> (read: Int, bad: [File]) {
    let root = URL(filePath: folder)
    let paths = FileManager.default.enumerator(
      at: root, includingPropertiesForKeys: [.isRegularFileKey])
    var read = 0
    var bad: [File] = []
    while let path = paths?.nextObject() as? URL {
      guard try path.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      read += 1
      let text = String(decoding: try Data(contentsOf: path), as: UTF8.self)
      let found = findings(in: text)
      if !found.isEmpty { bad.append(File(path: path.path, findings: found)) }
    }
    return (read, bad.sorted { $0.path < $1.path })
  }
}
