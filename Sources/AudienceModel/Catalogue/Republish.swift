import MediaUnits

/// A new version of titles (SIG-069).
///
/// `media_manifest.json` keeps its path and changes; the objects under a version's own path are new
/// ones, of the same sizes. The old ones stay where they are.
public struct Republish: Sendable, Equatable {
  /// From the beginning of the measured window.
  public var at: TimeSpan
  /// How many of the most popular titles.
  public var titles: UInt32

  public init(at: TimeSpan, titles: UInt32) {
    precondition(at >= .zero, "titles are republished in the measured window")
    self.at = at
    self.titles = titles
  }
}
