/// The part of a CDN and its audience that one simulation has.
///
/// An edge with its viewers talks to the rest of the world only by requests to the next cache and
/// their answers, and both take at least half of the backhaul's floor. So edges can be simulated
/// side by side for that long without hearing of each other.
public enum FeedDomain: Sendable, Equatable {
  /// Everything.
  case whole
  /// One edge and the viewers that it serves.
  case edge(UInt32)
  /// The caches behind the edges, and the origin.
  case behind

  /// Whether a session is one of this part's.
  @inline(__always)
  public func has(session: UInt32, edges: Int) -> Bool {
    switch self {
    case .whole: true
    case .edge(let edge): session % UInt32(edges) == edge
    case .behind: false
    }
  }

  /// Whether a cache node that a request or an answer goes to is in another part. Each part has the
  /// nodes of all providers.
  ///
  /// - Parameter node: its place among those of its provider.
  @inline(__always)
  func isElsewhere(_ node: Int, edges: Int) -> Bool {
    switch self {
    case .whole: false
    case .edge(let edge): node != Int(edge)
    case .behind: node < edges
    }
  }
}
