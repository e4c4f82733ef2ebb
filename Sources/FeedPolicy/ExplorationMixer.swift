import MediaUnits

/// Which items of a feed page are exploration items (SIG-071).
///
/// A pure decider. A page of at least five items gets the whole number nearest to the share that is
/// between a tenth and a fifth of it; smaller pages have no such number, so the share is kept over
/// the pages instead, and both kinds of page below ten items are flagged. The items are spread over
/// the page. Leaves out: which titles they are (the host draws them).
public struct ExplorationMixer: Sendable, Equatable {
  /// How many items of a page explore.
  public struct Count: Sendable, Equatable {
    public var items: Int
    /// The page is too small for every share from a tenth to a fifth: the number is rounded.
    public var isRounded: Bool
  }

  public struct Configuration: Sendable, Equatable {
    /// Share of a page that explores; zero turns it off. Default 0.15, the middle of SIG-071.
    public var share: Double
    /// Least and largest share of one page. Default 0.1 and 0.2 (SIG-071).
    public var least: Double
    public var largest: Double

    public init(share: Double = 0.15, least: Double = 0.1, largest: Double = 0.2) {
      self.share = share
      self.least = least
      self.largest = largest
    }
  }

  /// Larger pages are counted as pages of this size: what is beyond is not mixed.
  static let largestPage = 1 << 20

  public let configuration: Configuration

  /// - Precondition: `0 <= share <= 1` and `0 <= least <= largest <= 1`.
  public init(_ configuration: Configuration = Configuration()) {
    precondition(configuration.share >= 0 && configuration.share <= 1, "a share is 0 to 1")
    precondition(
      configuration.least >= 0 && configuration.least <= configuration.largest
        && configuration.largest <= 1, "0 <= least <= largest <= 1")
    self.configuration = configuration
  }

  /// How many items of a page of this size explore; `page` counts from 0.
  public func count(pageSize: Int, page: UInt32) -> Count {
    if pageSize <= 0 || configuration.share == 0 { return Count(items: 0, isRounded: false) }
    let pageSize = min(pageSize, ExplorationMixer.largestPage)
    let size = Double(pageSize)
    // Whole numbers within the bounds; a millionth forgives the rounding of the product.
    let most = Int(configuration.largest * size + 1e-6)
    let least = Int(configuration.least * size + 1 - 1e-6)
    if least <= most {
      let wanted = Int(configuration.share * size + 0.5)
      return Count(items: max(least, min(most, wanted)), isRounded: pageSize < 10)
    }
    let before = Int(configuration.share * size * Double(page) + 0.5)
    let after = Int(configuration.share * size * (Double(page) + 1) + 0.5)
    return Count(items: max(0, min(pageSize, after - before)), isRounded: true)
  }

  /// Whether the item in this place of the page explores: the first one stands in the middle of the
  /// page's first part, and so on.
  public func explores(place: Int, pageSize: Int, page: UInt32) -> Bool {
    let count = count(pageSize: pageSize, page: page).items
    let pageSize = min(pageSize, ExplorationMixer.largestPage)
    if count <= 0 || place < 0 || place >= pageSize { return false }
    for part in 0..<count where (2 * part + 1) * pageSize / (2 * count) == place { return true }
    return false
  }
}
