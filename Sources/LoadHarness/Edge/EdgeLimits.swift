import MediaUnits

/// What an edge holds its clients to.
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

  public init() {}
}
