import MediaUnits
import NIOCore

/// Looks at a body as it arrives, such as a checksum of the stand-in's content.
public protocol LiveBodyCheck: AnyObject {
  /// The next bytes, on the event loop; they are gone afterwards.
  func take(_ bytes: UnsafeRawBufferPointer)
  /// Whether the body was what it should be; after its last byte.
  func isRight() -> Bool
}

/// One request of a virtual player.
public struct LiveRequest: Sendable {
  /// How long to wait; each from where its comment says.
  public struct Timeouts: Sendable, Hashable {
    /// TCP and TLS together, from the first packet. 10 s (assumed).
    public var connect: TimeSpan
    /// From the request on the wire to the end of the answer's head. 15 s (assumed).
    public var firstByte: TimeSpan
    /// From the start of work to the last byte, redirects and waiting included. 60 s (assumed).
    public var whole: TimeSpan

    public init(
      connect: TimeSpan = .seconds(10), firstByte: TimeSpan = .seconds(15),
      whole: TimeSpan = .seconds(60)
    ) {
      self.connect = connect
      self.firstByte = firstByte
      self.whole = whole
    }
  }

  /// Names the request in events; may be used again after its last event.
  public var token: UInt64
  public var player: UInt32
  /// Which of the player's connections to the target carries it.
  public var connection: UInt16 = 0
  /// Index into ``LiveClientConfiguration/targets``.
  public var target = 0
  /// Path and query. Bytes that no request line may have are percent-encoded.
  public var path: String
  public var method = "GET"
  /// Beside `Host`, `User-Agent` and `Content-Length`, which the client writes.
  public var headers: [(name: String, value: String)] = []
  public var body: [UInt8]?
  /// When the request was due: the base of corrected latency.
  public var intendedAt: Instant
  /// Numbers of body bytes, ascending, whose arrival is reported.
  public var marks: [Int] = []
  /// Whether ``LiveEvent/Kind/ended(bytes:body:)`` has the body; else its bytes are counted and
  /// dropped.
  public var keepsBody = false
  /// The longest body that is taken, in bytes.
  public var bound = 64 << 20
  public var timeouts = Timeouts()
  /// Where a connection that this request opens comes from; nil for the system's choice.
  public var sourceAddress: SocketAddress?
  /// Makes a check of the body.
  public var check: (@Sendable () -> any LiveBodyCheck)?

  public init(token: UInt64, player: UInt32, path: String, intendedAt: Instant) {
    self.token = token
    self.player = player
    self.path = path
    self.intendedAt = intendedAt
  }

  /// A path with every byte outside printable ASCII, and blanks, percent-encoded (RFC 3986 section
  /// 2.1), so that no URI of a playlist can break a request line.
  static func encoded(_ path: String) -> String {
    let isPlain = { (byte: UInt8) in byte > 0x20 && byte < 0x7F }
    if path.utf8.allSatisfy(isPlain) { return path }
    let digits = Array("0123456789ABCDEF".utf8)
    var output: [UInt8] = []
    for byte in path.utf8 {
      if isPlain(byte) {
        output.append(byte)
      } else {
        output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Whether a second try cannot do harm (RFC 9110 section 9.2.2).
  var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }
}
