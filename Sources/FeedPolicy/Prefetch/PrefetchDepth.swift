import MediaUnits

/// How far an item is brought before the viewer gets there: the steps of its chain, in order.
public enum PrefetchStage: UInt8, Sendable, Equatable, Comparable, CaseIterable {
  /// Nothing at all.
  case nothing
  /// A connection to the server is open.
  case connection
  /// The playlists (or the MPD) are there: Media3's "source prepared".
  case playlists
  /// The init segment is there, so a decoder can be set up: Media3's "tracks selected".
  case initSegment
  /// Media is there, from the item's beginning.
  case media

  public static func < (a: PrefetchStage, b: PrefetchStage) -> Bool { a.rawValue < b.rawValue }
}

/// A stage and, for ``PrefetchStage/media``, how much of it.
public struct PrefetchDepth: Sendable, Equatable, Comparable {
  /// Media from the item's beginning; zero below ``PrefetchStage/media``.
  public var length: TimeSpan
  public var stage: PrefetchStage

  public init(_ stage: PrefetchStage) {
    self.stage = stage
    length = .zero
  }

  /// Media of a length; nothing at all when the length is not positive.
  public static func media(_ length: TimeSpan) -> PrefetchDepth {
    var depth = PrefetchDepth(length > .zero ? .media : .nothing)
    if length > .zero { depth.length = length }
    return depth
  }

  public static func < (a: PrefetchDepth, b: PrefetchDepth) -> Bool {
    a.stage != b.stage ? a.stage < b.stage : a.length < b.length
  }
}
