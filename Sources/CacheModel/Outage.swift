import MediaUnits

/// A time in which something fails, and how.
public struct Outage<Failure: Sendable & Equatable>: Sendable, Equatable {
  public typealias Kind = Failure

  public var begin: Instant
  public var end: Instant
  public var kind: Failure

  public init(begin: Instant, end: Instant, kind: Failure) {
    precondition(begin <= end)
    self.begin = begin
    self.end = end
    self.kind = kind
  }
}

extension Array {
  /// The outage that is on.
  func outage<Failure>(at now: Instant) -> Outage<Failure>? where Element == Outage<Failure> {
    for outage in self where outage.begin <= now && now < outage.end { return outage }
    return nil
  }
}
