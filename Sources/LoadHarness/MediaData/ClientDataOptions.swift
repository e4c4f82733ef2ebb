/// Whether and how a run's players tell servers of themselves (Common Media Client Data).
public struct ClientDataOptions: Sendable, Equatable {
  public enum Way: String, Sendable, CaseIterable {
    case off
    /// The headers `CMCD-Object`, `CMCD-Request`, `CMCD-Session` and `CMCD-Status`.
    case headers
    /// The parameter `CMCD` of the query, which caches that have queries in their keys take for
    /// another object every time.
    case query
  }

  public var way = Way.off
  /// 1: CTA-5004, 2: CTA-5004-A.
  public var version = 1

  public init(way: Way = .off, version: Int = 1) {
    self.way = way
    self.version = version
  }

  /// As reports have it; empty when off.
  public var words: String {
    switch way {
    case .off: ""
    case .headers: "CMCD \(version) in headers"
    case .query: "CMCD \(version) in queries"
    }
  }
}
