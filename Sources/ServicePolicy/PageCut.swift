import MediaUnits

/// Where a page of a list begins that grows at its head (SIG-046).
///
/// A pure decider on the server's side; the client's is `CursorPager`. By key, the cursor is the
/// last key given and the next page holds what is older. By offset, it is how many were given: what
/// is published meanwhile shifts the list, so that items come twice, and what is deleted hides
/// some.
public enum PageCut: UInt8, Sendable, Equatable, CaseIterable {
  case key
  case offset

  /// The cursor after a page.
  public func next(lastKey: UInt64, given: UInt64) -> UInt64 {
    switch self {
    case .key: return lastKey
    case .offset: return given
    }
  }
}

/// What a page shows when the ranker was not in time (OQ-15).
public struct PageFallback: Sendable, Equatable {
  public enum Source: UInt8, Sendable, Equatable {
    /// What everybody gets.
    case trending
    /// What was ranked for this viewer before.
    case earlier
  }

  /// How old a page may be that was ranked for the viewer before; zero for never. Default zero
  /// (SIG-009 names Trending alone).
  public var oldest: TimeSpan

  /// - Precondition: `oldest` is not negative.
  public init(oldest: TimeSpan = .zero) {
    precondition(oldest >= .zero, "an age is not negative")
    self.oldest = oldest
  }

  /// - Parameter age: of the last page that was ranked for the viewer; nil when there is none.
  public func source(age: TimeSpan?) -> Source {
    guard let age, oldest > .zero, age <= oldest else { return .trending }
    return .earlier
  }
}
