/// Addresses that an answer names.
enum EdgeTarget {
  /// The path and query that `Location` or `Content-Location` leads to at one of the hosts; nil for
  /// another host or no HTTP address.
  ///
  /// - Parameter base: the path that the answer belongs to (RFC 3986 section 5.2).
  static func path(of reference: String, from base: String, hosts: [String]) -> String? {
    var rest = Substring(reference)
    if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
    for scheme in ["http:", "https:"] where rest.lowercased().hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
      if !rest.hasPrefix("//") { return nil }
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      if !hosts.contains(where: { $0.lowercased() == rest[..<end].lowercased() }) { return nil }
      rest = rest[end...]
      if !rest.hasPrefix("/") { return "/" + rest }
    }
    let path = base.prefix { $0 != "?" }
    if rest.isEmpty { return base }
    if rest.hasPrefix("?") { return String(path) + String(rest) }
    if rest.hasPrefix("/") { return withoutDots(String(rest)) }
    if rest.prefix(while: { $0 != "/" && $0 != "?" }).contains(":") { return nil }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
    return withoutDots(String(folder) + String(rest))
  }

  /// A path without `.` and `..` (RFC 3986 section 5.2.4).
  private static func withoutDots(_ text: String) -> String {
    let path = text.prefix { $0 != "?" }
    var kept: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (place, part) in parts.enumerated() {
      let isLast = place == parts.count - 1
      switch part {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(part)
      }
    }
    return "/" + kept.joined(separator: "/") + text.dropFirst(path.count)
  }
}
