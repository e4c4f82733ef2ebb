import MediaUnits

extension PrefetchPolicy {
  /// How much is fetched ahead, by which family, and when.
  public struct Configuration: Sendable, Equatable {
    /// What decides which items are wanted, how deep and in which order. Default
    /// ``PrefetchFamily/head`` (SIG-023).
    public var family: PrefetchFamily
    /// Media of the next item to hold; zero turns all prefetch off. Default 6 s: three segments of
    /// 2 s, inside SIG-023's 5 to 8 s. The most that a family holds which reckons a
    /// depth of its own.
    public var headLength: TimeSpan
    /// How many items after the current one are considered. Default 3 (assumed; the Media3
    /// short-form demo keeps three on each side, `parameters.md` section 4.1).
    public var itemsAhead: Int
    /// Media to hold of the items beyond the next. Default 2 s: one segment (assumed).
    public var furtherLength: TimeSpan
    /// Media to hold of the item before the current one. Default 2 s: one segment (assumed).
    public var previousLength: TimeSpan
    /// Throughput over bit rate from which the previous item is considered; infinity never. Default
    /// 3, the most careful of the thresholds that SIG-025 compares.
    public var previousThreshold: Double
    /// Fetches in progress at once. Default 2 (assumed; VF-023 sweeps 1 to 6).
    public var concurrency: Int
    /// Buffer ahead of the current item below which nothing is started. Default 4 s: two segments
    /// (assumed).
    public var pauseBelowBuffer: TimeSpan
    /// Length of a segment: a depth that a family reckons is whole segments. Default 2 s (SIG-023).
    public var segmentLength: TimeSpan
    /// How many times slower than estimated a link may get without a stall; nil: depths do not
    /// depend on the throughput. Default nil. ``PrefetchFamily/hazard`` takes 3 then: with the
    /// spread of `parameters.md` section 1.7 (0.5 in log rate) 1.4 % of the seconds are slower.
    public var cover: Double?
    /// Least share of viewers who get to what ``PrefetchFamily/hazard`` fetches. Default 0.5: as
    /// likely watched as wasted (assumed).
    public var leastWatched: Double
    /// Buffer of the current item under ``PrefetchFamily/hazard``: so many segments on a link twice
    /// as fast as the bit rate, fewer on a faster one. Default 3 (results/answers/OQ-10.md).
    public var bufferCover: Double
    /// Views of a session, as the app knows them of its users: the farther an item, the likelier
    /// the session ends before it. Nil: no session ends. Default nil.
    public var viewsPerSession: Double?
    /// Whether fetches in progress are suspended while the current item stalls (VF-026); otherwise
    /// they go on, and a stall holds new starts only by its empty buffer. Default false.
    public var suspendsOnStall: Bool
    /// When viewers swipe. Default: lab users (`parameters.md` section 6.2).
    public var curves: SwipeCurves

    public init(
      family: PrefetchFamily = .head, headLength: TimeSpan = .seconds(6), itemsAhead: Int = 3,
      furtherLength: TimeSpan = .seconds(2), previousLength: TimeSpan = .seconds(2),
      previousThreshold: Double = 3, concurrency: Int = 2,
      pauseBelowBuffer: TimeSpan = .seconds(4), segmentLength: TimeSpan = .seconds(2),
      cover: Double? = nil, leastWatched: Double = 0.5, bufferCover: Double = 3,
      viewsPerSession: Double? = nil,
      suspendsOnStall: Bool = false,
      curves: SwipeCurves = .lab
    ) {
      self.family = family
      self.headLength = headLength
      self.itemsAhead = itemsAhead
      self.furtherLength = furtherLength
      self.previousLength = previousLength
      self.previousThreshold = previousThreshold
      self.concurrency = concurrency
      self.pauseBelowBuffer = pauseBelowBuffer
      self.segmentLength = segmentLength
      self.cover = cover
      self.leastWatched = leastWatched
      self.bufferCover = bufferCover
      self.viewsPerSession = viewsPerSession
      self.suspendsOnStall = suspendsOnStall
      self.curves = curves
    }
  }
}
