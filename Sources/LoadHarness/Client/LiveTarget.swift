import NIOCore

/// A server that a run may talk to, looked up once before the run.
public struct LiveTarget: Sendable, Hashable {
  /// Why a text names no target.
  public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was wrong with which text.
    public let description: String
    /// Whether the text is fine but the name has no address.
    public let isLookup: Bool
  }

  public var isSecure: Bool
  /// As in the URL; an IPv6 address without its brackets.
  public var host: String
  public var port: Int
  /// Where connections go.
  public var address: SocketAddress

  public init(isSecure: Bool, host: String, port: Int, address: SocketAddress) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
    self.address = address
  }

  /// From `http://host[:port]` or `https://…`; a path is passed over. Looks the name up, which
  /// blocks: not for event loops.
  ///
  /// - Throws: ``Failure``.
  public init(url: String) throws(Failure) {
    let reference = URIReference(url)
    guard let scheme = reference.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let parts = LiveTarget.split(reference.authority ?? "")
    else {
      throw Failure(
        description: "expected http://host[:port] or https://host[:port], got '\(url)'",
        isLookup: false)
    }
    isSecure = scheme == "https"
    host = parts.host
    port = parts.port ?? (isSecure ? 443 : 80)
    do {
      address = try SocketAddress.makeAddressResolvingHost(host, port: port)
    } catch {
      throw Failure(description: "no address for '\(host)'", isLookup: true)
    }
  }

  /// Host and port of an authority; nil without a host or with a user.
  static func split(_ authority: String) -> (host: String, port: Int?)? {
    if authority.isEmpty || authority.contains("@") { return nil }
    var host = authority[...]
    var port: Substring?
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      let rest = authority[authority.index(after: end)...]
      if !rest.isEmpty {
        guard rest.hasPrefix(":") else { return nil }
        port = rest.dropFirst()
      }
    } else if let colon = authority.lastIndex(of: ":") {
      host = authority[..<colon]
      port = authority[authority.index(after: colon)...]
    }
    if host.isEmpty { return nil }
    guard let port, !port.isEmpty else { return (String(host), nil) }
    guard let number = Int(port), (1...65_535).contains(number) else { return nil }
    return (String(host), number)
  }

  var scheme: String { isSecure ? "https" : "http" }

  /// What `Host` and `:authority` say.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// The reference of a path on this target; relative ones resolve against it.
  public func reference(path: String) -> URIReference {
    URIReference(path).resolved(
      against: URIReference(scheme: scheme, authority: authority, path: "/"))
  }

  /// Whether an absolute reference points here: same scheme, host and port.
  public func owns(_ reference: URIReference) -> Bool {
    guard reference.scheme?.lowercased() == scheme,
      let parts = LiveTarget.split(reference.authority ?? "")
    else { return false }
    return parts.host.lowercased() == host.lowercased()
      && (parts.port ?? (isSecure ? 443 : 80)) == port
  }
}
