import MediaUnits

/// What all players of a client have in common.
public struct LiveClientConfiguration: Sendable {
  /// Which protocol players speak.
  public enum Transport: UInt8, Sendable {
    case http1
    /// Over TLS by ALPN, with HTTP/1.1 where the server has no HTTP/2; HTTP/1.1 without TLS.
    case http2
    /// HTTP/2 without asking (RFC 9113 section 3.3), also over TCP alone.
    case http2PriorKnowledge
  }

  /// Whose certificates count.
  public enum Trust: Sendable, Hashable {
    case system
    /// The certificates in a PEM file.
    case file(String)
    /// Anybody's: for a server of one's own.
    case anyone
  }

  /// The only servers that are talked to.
  public var targets: [LiveTarget]
  public var clock: LiveClock
  public var transport = Transport.http1
  public var trust = Trust.system
  /// A connection that was idle for longer is closed and opened anew by the next request. The
  /// default is the simulator's (`TransportConfiguration.idleClose`).
  public var idleTime: TimeSpan = .seconds(60)
  /// Redirects followed for one request; 5, as in the first version of RFC 2068 (assumed).
  public var redirectLimit = 5
  /// Whether a GET or HEAD that an idle connection took with it is sent once more on a new one
  /// (RFC 9112 section 9.3.1), and one that an HTTP/2 server refused before working on it (RFC
  /// 9113 section 8.7), as players' HTTP stacks do.
  public var retriesRefused = true
  /// Bytes of a stream that the server may send ahead (HTTP/2); 6 MiB, as Chromium has it.
  public var streamWindow = 6 << 20
  /// Bytes of a connection that the server may send ahead (HTTP/2); 15 MiB, as Chromium has it.
  public var connectionWindow = 15 << 20
  public var userAgent = "FirstFrame"

  public init(targets: [LiveTarget], clock: LiveClock) {
    self.targets = targets
    self.clock = clock
  }

  /// Which target a URI of a document at `base` means, and the whole reference; nil when it is none
  /// of them, which are the only servers to talk to.
  public func place(
    _ uri: String, relativeTo base: URIReference
  ) -> (target: Int, reference: URIReference)? {
    let reference = URIReference(uri).resolved(against: base)
    return targets.firstIndex { $0.owns(reference) }.map { ($0, reference) }
  }
}
