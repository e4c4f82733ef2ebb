import Models

/// What a client has done so far.
public struct LiveCounters: Counters, Hashable {
  public var requests = 0
  public var ended = 0
  public var failed = 0
  /// Body bytes read.
  public var bytes = 0
  /// Connections begun.
  public var opened = 0
  /// Connections that never came to be.
  public var unopened = 0
  /// Requests sent a second time because the connection refused the first.
  public var retried = 0
  /// Answers that nobody had asked for.
  public var unsolicited = 0

  public init() {}
}
