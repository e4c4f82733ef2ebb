import MediaUnits

/// What an edge holds its clients to, and what it keeps whatever its capacity is.
public struct EdgeLimits: Sendable, Equatable {
  /// No request body above so many bytes is taken: 413.
  public var largestRequest = 16 << 20
  /// How long a client may take to a whole head of a request, from the end of the answer before it
  /// or from the connection's begin (nginx's `client_header_timeout` is as long).
  public var headTimeout = TimeSpan.seconds(60)
  /// How long it may take from there to the end of the body (assumed).
  public var bodyTimeout = TimeSpan.seconds(120)
  /// How long a connection may carry no byte in either direction, at the least (nginx's
  /// `keepalive_timeout` is as long); never less than the origin is waited for.
  public var leastIdle = TimeSpan.seconds(75)
  /// Most connections of clients at a time; one above is closed (assumed).
  public var clients = 16_384

  /// Most answers that are kept of one address, under different values of what they vary by; for a
  /// new one some other that was not used goes, and while all are in use nothing is stored
  /// (assumed).
  public var variants = 1_024
  /// How long an answer on its way may stand still because its client takes no byte of it (nginx's
  /// `send_timeout` is as long).
  public var sendTimeout = TimeSpan.seconds(60)
  /// Most streams of one HTTP/2 connection at a time (RFC 9113 section 6.5.2 asks for no fewer).
  public var streams = 100
  /// Most bytes of the fields of a request over HTTP/2, as RFC 9113 section 6.5.2 counts them.
  public var largestHead = 16 << 10
  /// Most HTTP/2 frames of a connection in 30 s that ask for nothing: PING, SETTINGS and PRIORITY
  /// together; RST_STREAM; and errors of streams (as SwiftNIO has it).
  public var idleFrames = 200
  /// Most WINDOW_UPDATE frames of a connection beyond one for each 256 bytes that it was sent
  /// (assumed: clients send one for many thousand).
  public var windowUpdates = 1_000

  /// No object above so many bytes is kept, nor one that would take more than a capacity.
  public var largestObject: Int64 = 1 << 30
  /// Objects without a copy that are remembered at most; fewer where the capacity is small.
  public var rememberedAddresses = 1 << 18

  public init() {}
}
