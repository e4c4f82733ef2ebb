import MediaUnits

/// What happened to a request. Exactly one `ended` or `failed` per request, and it is the last.
public struct LiveEvent: Sendable {
  /// Which protocol carries a request.
  public enum Version: UInt8, Sendable {
    case http1, http2
  }

  public enum Kind: Sendable {
    /// The request goes onto the wire now. With `isReused` the spans are zero: the connection was
    /// open. A second one follows a redirect or a retry.
    case connected(isReused: Bool, tcp: TimeSpan, tls: TimeSpan, version: Version)
    /// The head of the final answer.
    case headed(LiveHeaders)
    /// One of ``LiveRequest/marks`` was reached.
    case mark(bytes: Int)
    /// The body is whole. `body` is nil unless it was to be kept.
    case ended(bytes: Int, body: [UInt8]?)
    case failed(LiveFailure)
  }

  public let token: UInt64
  public let player: UInt32
  public let kind: Kind
  /// When the bytes were read, on the event loop.
  public let at: Instant
  /// When the client began to work on the request.
  public let startedAt: Instant
  /// As the request has it.
  public let intendedAt: Instant
  /// Body bytes of the answer that have come so far, those of redirects not among them.
  public var received = 0
}

/// Why a request has failed. The kinds are counted apart.
public enum LiveFailure: Error, Sendable, Hashable {
  /// Refused, no route, or reset while connecting.
  case unreachable
  case connectTimeout
  /// No TLS, a certificate that is not trusted, or a handshake broken off.
  case tls
  /// The connection ended before the head of the answer.
  case closedBeforeHead
  /// The connection ended inside the body.
  case closedMidBody
  /// Other bytes than announced: a clean end after fewer by a server that said it would close,
  /// bytes beyond the announced ones, or an HTTP/2 stream that ends with another count.
  case wrongContentLength
  case firstByteTimeout
  case wholeTimeout
  /// More than ``LiveRequest/bound``, or an announcement of more.
  case bodyOverBound
  /// No HTTP, or HTTP that breaks its rules.
  case malformed
  /// More redirects than ``LiveClientConfiguration/redirectLimit``.
  case redirectLoop
  /// A redirect to a server that is not the target; it was not followed.
  case redirectElsewhere
  /// HTTP/2: the server reset the stream; its error code.
  case streamReset(UInt32)
  /// HTTP/2: the server went away without working on the request, twice.
  case goneAway
  /// ``LiveRequest/check`` said no.
  case wrongContent
  /// ``LiveClient/cancel(_:of:)``, ``LiveClient/closePlayer(_:)`` or the end of the client.
  case cancelled
  /// No file descriptor was left: the generator's own limit.
  case descriptorsExhausted
  /// No source port was left, or the source address is not this machine's.
  case sourceExhausted

  /// A name without its values, for counters and reports.
  public var name: String {
    switch self {
    case .unreachable: "unreachable"
    case .connectTimeout: "connect-timeout"
    case .tls: "tls"
    case .closedBeforeHead: "closed-before-head"
    case .closedMidBody: "closed-mid-body"
    case .wrongContentLength: "wrong-content-length"
    case .firstByteTimeout: "first-byte-timeout"
    case .wholeTimeout: "whole-timeout"
    case .bodyOverBound: "body-over-bound"
    case .malformed: "malformed"
    case .redirectLoop: "redirect-loop"
    case .redirectElsewhere: "redirect-elsewhere"
    case .streamReset: "stream-reset"
    case .goneAway: "gone-away"
    case .wrongContent: "wrong-content"
    case .cancelled: "cancelled"
    case .descriptorsExhausted: "descriptors-exhausted"
    case .sourceExhausted: "source-exhausted"
    }
  }

  /// Whether the generator is to blame, so that a result with it is no measurement of the target.
  public var isOurs: Bool { self == .descriptorsExhausted || self == .sourceExhausted }
}
