import FeedModel

/// How much the views of one session go together, measured at who had to wait.
///
/// Sums over sessions, so that replications can be added. Of n views in sessions of sizes m with w
/// views that waited, the design effect is the variance of the share between whole sessions over
/// what independent views would have. Source: L. Kish, "Survey Sampling", 1965, section 8.2.
public struct SessionSpread: Sendable, Equatable {
  public var views: Int64 = 0
  public var waited: Int64 = 0
  /// Sums over the sessions: waited², waited · views, views².
  public var squares: Int64 = 0
  public var products: Int64 = 0
  public var sizes: Int64 = 0

  public init() {}

  public init(views: Int64, waited: Int64, squares: Int64, products: Int64, sizes: Int64) {
    self.views = views
    self.waited = waited
    self.squares = squares
    self.products = products
    self.sizes = sizes
  }

  /// Of a replication's views.
  public init(_ views: [ViewRecord]) {
    // Views of a session stand together then; what is summed up has no order.
    let keys = views.map { view in
      UInt64(view.session) << 1 | (view.flags.contains(.ready) ? 0 : 1)
    }.sorted()
    var place = 0
    while place < keys.count {
      let session = keys[place] >> 1
      var (count, waited): (Int64, Int64) = (0, 0)
      while place < keys.count && keys[place] >> 1 == session {
        count += 1
        waited += Int64(keys[place] & 1)
        place += 1
      }
      add(views: count, waited: waited)
    }
  }

  /// A session's views, and those of them that waited.
  private mutating func add(views: Int64, waited: Int64) {
    self.views += views
    self.waited += waited
    squares += waited * waited
    products += waited * views
    sizes += views * views
  }

  public mutating func add(_ other: SessionSpread) {
    views += other.views
    waited += other.waited
    squares += other.squares
    products += other.products
    sizes += other.sizes
  }

  /// At least 1. Where nobody or everybody waited nothing is measured: views of a session are then
  /// taken for one, which is the most that they can go together.
  public var designEffect: Double {
    if views == 0 { return 1 }
    let share = Double(waited) / Double(views)
    if waited == 0 || waited == views { return max(1, Double(sizes) / Double(views)) }
    let between =
      Double(squares) - 2 * share * Double(products) + share * share * Double(sizes)
    return max(1, between / (Double(views) * share * (1 - share)))
  }

  /// Of several replications together; 1 where no sessions were counted.
  public static func designEffect(_ parts: [SessionSpread]) -> Double {
    var sum = SessionSpread()
    for part in parts { sum.add(part) }
    return sum.designEffect
  }
}
